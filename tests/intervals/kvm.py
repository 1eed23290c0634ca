#!/usr/bin/env python3
"""A made-up recording of exits of virtual machines, which few machines that run tests can record: kvm.py FILE.

The formats are those of Linux 6.18 (arch/x86/kvm/trace.h), with fewer names. What run expects of it is worked out by hand.
"""
import os, struct, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../trace"))
import hostile

EXIT, ENTRY = 103, 115
INTEL, AMD = 1, 2  # the field isa
REASON = ('"reason %s", (REC->isa == 1) ? __print_symbolic(REC->exit_reason & 0xffff, { 12, "HLT" }, '
          '{ 30, "IO_INSTRUCTION" }, { 48, "EPT_VIOLATION" }) : __print_symbolic(REC->exit_reason, { 0x072, "cpuid" })')
FORMATS = [("kvm", hostile.format_of("kvm_exit", EXIT, hostile.field("unsigned int exit_reason", 8, 4) +
                                     hostile.field("unsigned long guest_rip", 16, 8) + hostile.field("u32 isa", 24, 4),
                                     REASON)),
           ("kvm", hostile.format_of("kvm_entry", ENTRY, hostile.field("unsigned int vcpu_id", 8, 4),
                                     '"vcpu %u", REC->vcpu_id'))]


def leaves(reason, isa=INTEL):
    return EXIT, struct.pack("<HBBiIIQI", EXIT, 0, 0, 7, reason, 0, 0x1000, isa)


ENTERS = ENTRY, struct.pack("<HBBiI", ENTRY, 0, 0, 7, 0)

if __name__ == "__main__":
    # at 1000 ns, 1001 ns ...
    made = hostile.recording(FORMATS, [ENTERS, leaves(30), ENTERS, leaves(12), leaves(48), ENTERS, leaves(0x72, AMD), ENTERS, leaves(12)])
    with open(sys.argv[1], "wb") as file:
        file.write(made)

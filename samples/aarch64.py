"""Makes samples/stacks-aarch64.data: a recording with registers and copies of the stack of a program that runs under
qemu-aarch64, and tests/stacks/aarch64.folded, what gdb says about each stack. samples/record-aarch64 starts gdb with it.

Every instruction of the program is a sample: the stops are in the middle of what makes and takes down frames, too.
"""
import struct

import gdb

NAME, RECORDING, STACKS, BUILD_ID = (gdb.parse_and_eval(f"${n}").string()
                                             for n in ("name", "recording", "stacks", "build_id"))
COPY = 1024
PID = 1000
REGISTERS = [f"x{n}" for n in range(31)] + ["sp", "pc"]
IP, TID, TIME, CALLCHAIN, PERIOD, REGS_USER, STACK_USER = (1 << n for n in (0, 1, 2, 5, 8, 12, 13))
MMAP, MMAP2, COMM, SAMPLE = 1, 10, 3, 9
KERNEL, USER = 1, 2
ENABLE_ON_EXEC, EXCLUDE_CALLCHAIN_USER, SAMPLE_ID_ALL = 1 << 12, 1 << 22, 1 << 18
# How often an instruction is passed before it is sampled, so that there are callers.
PASSES = {"even": 4, "odd": 3, "go_deeper": 3, "call_with_room": 2, "fill_randomly": 1, "spin": 5, "start": 1,
          "_start": 0}


def record(number, misc, payload):
    payload += b"\0" * (-len(payload) % 8)
    return struct.pack("<IHH", number, misc, 8 + len(payload)) + payload


def text(string):
    string = string.encode() + b"\0"
    return string + b"\0" * (-len(string) % 8)


def sample_id(time):
    return struct.pack("<iiQ", PID, PID, time)


def take_sample(time):
    """A SAMPLE record, in the order of the format: IP, TID, TIME, PERIOD, CALLCHAIN, REGS_USER, STACK_USER."""
    values = [int(gdb.parse_and_eval(f"(unsigned long)${name}")) & (1 << 64) - 1 for name in REGISTERS]
    sp, pc = values[31], values[32]
    try:
        stack = bytes(gdb.selected_inferior().read_memory(sp, COPY))
        used = COPY
    except gdb.MemoryError:
        used = STACK_TOP - sp
        stack = bytes(gdb.selected_inferior().read_memory(sp, used)).ljust(COPY, b"\0")
    body = struct.pack("<QiiQQQ", pc, PID, PID, time, 1000000, 0)
    body += struct.pack("<Q33Q", 2, *values) + struct.pack("<Q", COPY) + stack + struct.pack("<Q", used)
    return record(SAMPLE, USER, body)


def backtrace():
    names, frame = [], gdb.newest_frame()
    while frame:
        if frame.type() != gdb.INLINE_FRAME:
            names.append(frame.function().name if frame.function() else frame.name())
        frame = frame.older()
    return ";".join(reversed(names))


def code():
    """(address, size) of what is mapped, as the kernel maps the only executable segment."""
    for line in gdb.execute("info files", to_string=True).split("\n"):
        if line.endswith("is .text"):
            start, end = (int(word, 16) for word in line.split()[0:3:2])
            return start & ~0xfff, (end + 0xfff & ~0xfff) - (start & ~0xfff)
    raise gdb.GdbError("no .text")


def top_of_stack():
    page, size = int(gdb.parse_and_eval("(unsigned long)$sp")) & ~0xfff, 0x1000
    while True:
        try:
            gdb.selected_inferior().read_memory(page, 8)
        except gdb.MemoryError:
            return page
        page += size


def stops():
    """Every instruction of the functions: {address: how often it is passed before it is sampled}."""
    found = {}
    for function, passes in PASSES.items():
        listing = gdb.execute(f"disassemble {function}", to_string=True)
        for line in listing.split("\n"):
            if line.startswith(("   0x", "=> 0x")):
                found[int(line[3:].split()[0], 16)] = passes
    return found


def write(records):
    """The file layout: header, attr, records, two features."""
    sample_type = IP | TID | TIME | CALLCHAIN | PERIOD | REGS_USER | STACK_USER
    attr = struct.pack("<IIQQQQQIIQQQQIiQI", 1, 112, 0, 1000000, sample_type, 0, SAMPLE_ID_ALL |
                       EXCLUDE_CALLCHAIN_USER | ENABLE_ON_EXEC, 0, 0, 0, 0, 0, (1 << 33) - 1, COPY, 0, 0, 0)
    attr = attr.ljust(112, b"\0") + struct.pack("<QQ", 0, 0)
    data = b"".join(records)
    attrs_at, data_at = 104, 104 + len(attr)
    features = bytearray(32)
    features[0] |= 1 << 3 | 1 << 6  # HOSTNAME, ARCH
    texts = [struct.pack("<I", 64) + value.ljust(64, b"\0") for value in (b"qemu", b"aarch64")]
    head = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, len(attr), attrs_at, len(attr), data_at, len(data), 0, 0) + features
    at = data_at + len(data) + 16 * len(texts)
    sections = b"".join(struct.pack("<QQ", at + 68 * i, 68) for i in range(len(texts)))
    with open(RECORDING, "wb") as f:
        f.write(head + attr + data + sections + b"".join(texts))


def main():
    global STACK_TOP
    gdb.execute("set pagination off")
    gdb.execute("set architecture aarch64")
    STACK_TOP = top_of_stack()
    start, size = code()
    ident = bytes.fromhex(BUILD_ID)
    kernel = struct.pack("<iiQQQ", -1, 0, 0xffff800080000000, 0x2000000, 0xffff800080000000)
    records = [record(MMAP, KERNEL, kernel + text("[kernel.kallsyms]_text") + sample_id(0)),
               record(COMM, 1 << 13, struct.pack("<ii", PID, PID) + text("stacks") + sample_id(1)),
               record(MMAP2, USER | 1 << 14, struct.pack("<iiQQQ", PID, PID, start, size, start & 0xffff) +
                      struct.pack("<BBH20sII", len(ident), 0, 0, ident, 5, 2) + text(NAME) + sample_id(2))]
    left = stops()
    for address in left:
        gdb.Breakpoint(f"*{address:#x}")
    stacks, time = {}, 1000
    pc = int(gdb.parse_and_eval("(unsigned long)$pc"))
    while left:
        if pc in left:
            left[pc] -= 1
        if left.get(pc, 0) < 0:
            time += 1000000
            records.append(take_sample(time))
            names = backtrace()
            stacks[names] = stacks.get(names, 0) + 1000000
            del left[pc]
            for breakpoint in gdb.breakpoints():
                if breakpoint.location == f"*{pc:#x}":
                    breakpoint.delete()
        try:
            gdb.execute("continue", to_string=True)
            pc = int(gdb.parse_and_eval("(unsigned long)$pc"))
        except gdb.error:
            break
    write(records)
    with open(STACKS, "w") as f:
        f.writelines(f"stacks;{names} {period}\n" for names, period in sorted(stacks.items()))
    print(f"{len(records) - 3} samples, {len(stacks)} different stacks; {len(left)} instructions were never reached")


main()

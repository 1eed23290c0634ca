"""Records samples of BPF output: bpf.py FILE. A program of ours writes 24 bytes for each getppid of this process: pid and
tid, the time, and PATTERN. Status 77 where BPF programs may not be loaded, or this is not an x86-64."""
import ctypes, fcntl, os, platform, struct, subprocess, sys, time

PATTERN = 0x1122334455667788
BPF, PIDFD_OPEN, PIDFD_GETFD, PERF_EVENT_OPEN, GETPPID = 321, 434, 438, 298, 110 # system calls of x86-64
MAP_CREATE, MAP_UPDATE, PROG_LOAD, PERF_EVENT_ARRAY, TRACEPOINT_PROGRAM = 0, 2, 5, 4, 5
CALLS = 50

libc = ctypes.CDLL(None, use_errno=True)

def system_call(number, *arguments):
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

def bpf(command, attributes):
    block = ctypes.create_string_buffer(attributes.ljust(128, b"\0"), 128)
    return system_call(BPF, command, ctypes.byref(block), 128)

def instruction(code, to=0, source=0, offset=0, number=0):
    return struct.pack("<BBhI", code, to | source << 4, offset, number)

def program(channel):
    return b"".join([
        instruction(0xbf, 6, 1),                                             # r6 = context
        instruction(0x85, number=14), instruction(0x7b, 10, 0, -24),            # [fp-24] = pid_tgid
        instruction(0x85, number=5), instruction(0x7b, 10, 0, -16),          # [fp-16] = time
        instruction(0x18, 1, 0, 0, PATTERN & 0xffffffff), instruction(0, number=PATTERN >> 32),
        instruction(0x7b, 10, 1, -8),                                        # [fp-8] = PATTERN
        instruction(0xbf, 1, 6),
        instruction(0x18, 2, 1, 0, channel), instruction(0),                 # r2 = the map
        instruction(0x18, 3, 0, 0, 0xffffffff), instruction(0),              # r3 = of this CPU
        instruction(0xbf, 4, 10), instruction(0x07, 4, 0, 0, -24 & 0xffffffff), # r4 = fp - 24
        instruction(0xb7, 5, 0, 0, 24),
        instruction(0x85, number=25),                                        # perf_event_output
        instruction(0xb7, 0), instruction(0x95)])

def load(channel):
    code, licence = ctypes.create_string_buffer(program(channel)), ctypes.create_string_buffer(b"GPL")
    return bpf(PROG_LOAD, struct.pack("<IIQQ", TRACEPOINT_PROGRAM, (len(code) - 1) // 8, ctypes.addressof(code),
                                      ctypes.addressof(licence)))

def events_of(pid):
    """The events that perf has open, as files of this process."""
    process = system_call(PIDFD_OPEN, pid, 0)
    folder = "/proc/%d/fd/" % pid
    return [system_call(PIDFD_GETFD, process, number, 0) for number in sorted(map(int, os.listdir(folder)))
            if "perf_event" in os.readlink(folder + str(number))]

def attach(loaded):
    number = int(open("/sys/kernel/tracing/events/syscalls/sys_enter_getppid/id").read())
    attr = ctypes.create_string_buffer(struct.pack("<IIQQ", 2, 112, number, 1).ljust(112, b"\0"))
    event = system_call(PERF_EVENT_OPEN, ctypes.byref(attr), -1, 0, -1, 0)
    fcntl.ioctl(event, 0x40042408, loaded) # SET_BPF
    fcntl.ioctl(event, 0x2400, 0)          # ENABLE

def main():
    if platform.machine() != "x86_64" or os.sched_getaffinity(0).isdisjoint({0}):
        sys.exit(77)
    cpus = os.cpu_count()
    try:
        channel = bpf(MAP_CREATE, struct.pack("<IIII", PERF_EVENT_ARRAY, 4, 4, cpus))
        loaded = load(channel)
        os.sched_setaffinity(0, {0})
        perf = subprocess.Popen(["perf", "record", "-q", "-C", "0", "-e", "bpf-output/no-inherit=1,name=said/",
                                 "-o", sys.argv[1], "--", "sleep", "2"])
        time.sleep(1)
        events = events_of(perf.pid)
        key = ctypes.create_string_buffer(struct.pack("<I", 0))
        value = ctypes.create_string_buffer(struct.pack("<I", events[0]))
        bpf(MAP_UPDATE, struct.pack("<IIQQQ", channel, 0, ctypes.addressof(key), ctypes.addressof(value), 0))
        attach(loaded)
        for _ in range(CALLS):
            libc.syscall(GETPPID)
    except (OSError, IndexError) as problem:
        print(problem, file=sys.stderr)
        sys.exit(77)
    sys.exit(perf.wait())

main()

"""Makes a recording by hand: recording.py KIND FILE.

none: no sample; one: a single one; far: two that are centuries apart; untimed: samples without times; events: 50 events;
threads: 300 threads on 40 CPUs; hostile: names of processes and files that break out of XML, JSON and CSV, if they can;
names: 40 samples of code made at run time, which a map may name;
apart: 2.1 million samples of 2,000 such functions in 5,000 threads on 16 CPUs, hardly two of them alike;
apart-far: 6.1 million of them, one of which is centuries later;
idle: switches of threads 5 and 6, whose CPU is idle in between, without records of the idle thread;
lacking: switches of three threads on two CPUs, without CPUs: that the first lost its CPU is not recorded.
"""
import array
import random
import struct
import sys

IP, TID, TIME, ID, CPU, PERIOD, IDENTIFIER = 1, 2, 4, 64, 128, 256, 1 << 16
HOSTILE = [b"<script>x", b"]]></script>", b"\xe2\x80\xaeesrever", b"\xff\xfe\x80bad", b'"\\\n,;\'&', b"\xef\xbf\xbe"]

kind, target = sys.argv[1:]
sample_type = IDENTIFIER | IP | TID | CPU | PERIOD | (0 if kind == "untimed" else TIME)
if kind == "lacking":
    sample_type &= ~CPU
count = 50 if kind == "events" else 1


def record(number, misc, body):
    return struct.pack("<IHH", number, misc, 8 + len(body)) + body


def text(name):
    return name + bytes(8 - len(name) % 8)


def trailer(pid, tid, time, cpu, identifier):
    return (struct.pack("<ii", pid, tid) + (struct.pack("<Q", time) if sample_type & TIME else b"") +
            (struct.pack("<II", cpu, 0) if sample_type & CPU else b"") + struct.pack("<Q", identifier))


def comm(pid, tid, name, time, misc=0):
    return record(3, misc, struct.pack("<ii", pid, tid) + text(name) + trailer(pid, tid, time, 0, 1))


def mmap(pid, name, time):
    body = struct.pack("<iiQQQ", pid, pid, 0x400000, 0x100000, 0) + text(name)
    return record(1, 2, body + trailer(pid, pid, time, 0, 1))


def sample(pid, tid, ip, time, cpu=0, period=1000000, event=0, mode=2):
    body = struct.pack("<QQii", event + 1, ip, pid, tid)
    body += struct.pack("<Q", time) if sample_type & TIME else b""
    return record(9, mode, body + (struct.pack("<II", cpu, 0) if sample_type & CPU else b"") + struct.pack("<Q", period))


records = []
if kind == "one":
    records = [comm(5, 5, b"alone", 1000), sample(5, 5, 0x400100, 2000)]
elif kind == "far":  # the second is as far from the first as a double can tell
    records = [comm(5, 5, b"alone", 1000), sample(5, 5, 0x400100, 2000), sample(5, 5, 0x400110, 1 << 63)]
elif kind in ("untimed", "events"):
    records = [comm(5, 5, b"main", 1)]
    for i in range(400):
        records.append(sample(5, 5 + i % 3, 0x400100 + i % 7 * 16, 1000000 * (i + 1), i % 2, 1000 + i, i % count, 1 + i % 2))
elif kind == "threads":
    for i in range(300):
        records.append(comm(100 + i // 3, 100 + i, b"t%d" % i, 1000 + i))
    for i in range(9000):
        n = i * i % 300
        records.append(sample(100 + n // 3, 100 + n, 0x400100, 100000 * (i + 1), i * 7 % 40, 1000000, 0, 1 + (i // 500) % 2))
elif kind == "hostile":
    for i, name in enumerate(HOSTILE):
        records.append(comm(10 + i, 10 + i, name, 1000 + i, 1 << 13))
        records.append(mmap(10 + i, b"/tmp/" + name, 2000 + i))
    for i in range(600):
        n = i % len(HOSTILE)
        records.append(sample(10 + n, 10 + n, 0x400100 + i % 5, 1000000 * (i + 1)))
elif kind == "names":
    records = [comm(5, 5, b"jit", 1000), mmap(5, b"//anon", 1500)]
    records += [sample(5, 5, 0x400000 + i * 256, 1000000 * (i + 1), period=1 << i) for i in range(40)]
elif kind in ("apart", "apart-far"):
    random.seed(7)
    number = 2100000 if kind == "apart" else 6100000
    chosen = array.array("Q", random.randbytes(8 * number))
    rows = array.array("Q", bytes(56 * number))
    rows[0::7] = array.array("Q", struct.pack("<IHH", 9, 2, 56)) * number
    rows[1::7] = array.array("Q", [1]) * number
    rows[2::7] = array.array("Q", [0x400000 + n % 2000 * 256 for n in chosen])
    rows[3::7] = array.array("Q", [5 | (n >> 20) % 5000 << 32 for n in chosen])
    rows[4::7] = array.array("Q", range(60000, 60000 * (number + 1), 60000))
    rows[5::7] = array.array("Q", [n >> 60 for n in chosen])
    rows[6::7] = array.array("Q", [1000000]) * number
    if kind == "apart-far":
        rows[7 * number - 3] = 1 << 63
    records = [comm(5, 5, b"jit", 1000), mmap(5, b"//anon", 1500), rows.tobytes()]
elif kind == "idle":
    def switch(tid, out, other, time):
        return record(15, out << 13, struct.pack("<ii", other, other) + trailer(tid, tid, time, 0, 1))

    records = [comm(5, 5, b"five", 1000), comm(6, 6, b"six", 1000), switch(5, 0, 6, 2000), switch(5, 1, 0, 5000)]
    records += [switch(6, 0, 0, 9000), switch(6, 1, 0, 11000), switch(5, 0, 0, 20000), switch(5, 1, 6, 21000)]
    records += [switch(6, 0, 5, 21005), sample(6, 6, 0x400100, 22005)]
elif kind == "lacking":
    def switch(tid, out, time):
        return record(14, out << 13, trailer(5, tid, time, 0, 1))

    records = [comm(5, 5, b"five", 1000), switch(6, 0, 2000), sample(5, 6, 0x400100, 2500), switch(7, 0, 3000), sample(5, 7, 0x400100, 3500)]
    records += [switch(8, 0, 4000), sample(5, 8, 0x400100, 4500), switch(8, 1, 5000), sample(5, 7, 0x400100, 5500)]
data = b"".join(records)
attrs, ids = b"", b""
id_start = 104 + count * 128
for i in range(count):
    flags = 1 << 9 | 1 << 18 | 1 << 24 | (kind in ("idle", "lacking")) << 26  # comm, sample_id_all, comm_exec, context_switch
    attr = struct.pack("<IIQQQQQ", 1, 112, 0, 1000000, sample_type, 0, flags)
    if kind == "events":
        attr = struct.pack("<IIQQQQQ", 4, 112, 0x100 + i, 1, sample_type, 0, flags)  # raw
    attrs += attr.ljust(112, b"\0") + struct.pack("<QQ", id_start + 8 * i, 8)
    ids += struct.pack("<Q", i + 1)
start = id_start + len(ids)
features = b""
if kind == "lacking":  # NRCPUS: two, both online
    features = struct.pack("<QQII", start + len(data) + 16, 8, 2, 2)
head = b"PERFILE2" + struct.pack("<QQQQQQQQQ", 104, 128, 104, len(attrs), start, len(data), 0, 0, 1 << 7 if features else 0) + bytes(24)
open(target, "wb").write(head + attrs + ids + data + features)

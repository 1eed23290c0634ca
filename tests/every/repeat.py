# Repeats the records of a short stream of perf record -o -, each time later by as long as it lasted.
# usage: repeat.py STREAM COUNT [fresh] [back] [more] >LONGER
#   fresh  each time with names of processes and files that were not there before
#   back   each time earlier by an hour instead, as after a clock was set back
#   more   only what comes behind the stream itself
import struct, sys

stream, count, words = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
data = bytearray(open(stream, 'rb').read())
out = sys.stdout.buffer
ATTR, TRACING, ROUND, SAMPLE, COMM, MMAP2 = 64, 66, 68, 9, 3, 10

sample_type = 0
tool, kernel, times, names = bytearray(data[:16]), bytearray(), [], []
at = 16
while at < len(data):
    kind, _, size = struct.unpack_from('=IHH', data, at)
    end = at + size
    if kind == ATTR:
        sample_type = struct.unpack_from('=Q', data, at + 8 + 24)[0]
    if kind == TRACING:
        end += struct.unpack_from('=I', data, at + 8)[0]
    if kind >= 64 and kind != ROUND:
        tool += data[at:end]
    else:
        place = len(kernel)
        if kind == SAMPLE:
            times.append(place + 8 + 8 * bin(sample_type & 0x10003).count('1'))
        elif kind != ROUND: # TID TIME ID STREAM_ID CPU IDENTIFIER
            times.append(place + size - 8 - 8 * bin(sample_type & 0x102c0).count('1'))
        if kind == COMM:
            names.append(place + 16)
        if kind == MMAP2 and data[at + 72:at + 73] == b'/':
            names.append(place + 73)
        kernel += data[at:end]
    at = end

old = [struct.unpack_from('=Q', kernel, place)[0] for place in times]
known = [time for time in old if time]
step = max(known) - min(known) + 1
first = 0
if 'back' in words: # the first copy is the latest: its clock may have begun less than that ago
    step = -100 * 10**9
    first = -step * (count - 1)
more = 'more' in words
if not more:
    out.write(tool)
for n in range(more, count):
    for place, time in zip(times, old):
        if time:
            struct.pack_into('=Q', kernel, place, time + first + n * step)
    for place in names if 'fresh' in words else []:
        kernel[place:place + 5] = b'%05d' % n
    out.write(kernel)

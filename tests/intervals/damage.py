"""Copies of recordings with bursts of lost records, with records that are missing without a word, doubled ones, and ones whose
times are swapped: see sched.py."""
import random
import struct

from rawrecords import bit, LOST, Record, SAMPLE, sample_of, sections


def damage(path, out, seed):
    """Changes records where they are, so that nothing else of the file has to."""
    data = bytearray(open(path, 'rb').read())
    attrs, (at, size), _ = sections(data)
    attr, end, places = attrs[0], at + size, []
    before = [n for n in ('IDENT', 'IP', 'TID', 'TIME') if bit(attr.sample, n)]
    time_at = 8 * len(before)
    trailer = [n for n in ('TID', 'TIME', 'ID', 'STREAM', 'CPU', 'IDENT') if bit(attr.sample, n)]
    while at < end:
        kind, _, length = struct.unpack_from('<IHH', data, at)
        if kind == SAMPLE:
            places.append((at, length))
        at += length
    dice = random.Random(seed)

    def lose(at, length):
        rec = Record()
        sample_of(rec, bytes(data[at + 8:at + length]), attr, {})
        values = {'TID': 0, 'TIME': rec.time, 'CPU': rec.cpu}
        words = [values.get(name, 0) for name in trailer]
        body = struct.pack('<QQ', 0, 1) + bytes(length - 24 - 8 * len(words))
        data[at:at + length] = struct.pack('<IHH', LOST, 0, length) + body + \
            struct.pack('<%dQ' % len(words), *words)
    for _ in range(6):
        first = dice.randrange(len(places) - 41)
        silent = dice.random() < 0.3
        for i in range(first, first + dice.randint(1, 40)):
            at, length = places[i]
            if i == first and not silent:
                lose(at, length)
            else:
                struct.pack_into('<I', data, at, 250)
    for _ in range(6):
        a, b = sorted(dice.sample(range(len(places)), 2))[:2]
        (a, length), (b, other) = places[a], places[b]
        if length == other and dice.random() < 0.5:
            data[b:b + length] = data[a:a + length]
        elif struct.unpack_from('<I', data, a) == struct.unpack_from('<I', data, b) == (SAMPLE,):
            a, b = a + time_at, b + time_at
            data[a:a + 8], data[b:b + 8] = data[b:b + 8], data[a:a + 8]
    open(out, 'wb').write(data)

/*
 * Where the trailer of a kernel record ends. Of most it is the record's end. The kernel (6.18, too)
 * makes KSYMBOL, BPF_EVENT and TEXT_POKE records longer by a trailer with each recorder that gets
 * them, so that all but the first one's have garbage behind theirs, whose time and id perf
 * believes.
 */
#ifndef READPERF_PERFFILE_SESSION_TRAILER_H
#define READPERF_PERFFILE_SESSION_TRAILER_H

#include "util/origperf.h"
#include "util/cursor.h"

#include <string.h>

/* Bytes of the record before its trailer; 0: all that the trailer leaves. */
static inline size_t payload_size_of(const uint8_t *record, size_t size, bool swap)
{
	const size_t fixed = 24;

	if (size < fixed)
		return 0;
	switch (load_u32(record, swap)) {
	case PERF_RECORD_KSYMBOL: /* a name with a NUL, and more up to a multiple of 8 */
		return fixed + strnlen((const char *)record + fixed, size - fixed) / 8 * 8 + 8;
	case PERF_RECORD_BPF_EVENT:
		return fixed;
	case PERF_RECORD_TEXT_POKE: /* two sizes at 16, and so many bytes */
		return 16 +
		       (4 + (size_t)load_u16(record + 16, swap) + load_u16(record + 18, swap) + 7) /
		               8 * 8;
	default:
		return 0;
	}
}

/* Bytes from the record's start to the end of its trailer of that size. */
static inline size_t trailer_end(const uint8_t *record, size_t size, bool swap, size_t trailer)
{
	const size_t payload = payload_size_of(record, size, swap);

	return payload && trailer && payload + trailer < size ? payload + trailer : size;
}

#endif

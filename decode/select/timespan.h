/* Spans of a recording's time, written FROM-TO. */
#ifndef READPERF_DECODE_SELECT_TIMESPAN_H
#define READPERF_DECODE_SELECT_TIMESPAN_H

#include "util/errhandler.h"

enum time_unit {
	TIME_OPEN,    /* not given */
	TIME_SECONDS, /* ns after the first sample */
	TIME_PERCENT, /* of the time from the first to the last sample, in units of 10^-7 percent */
	TIME_CLOCK    /* ns of the recording's clock */
};

struct time_side {
	enum time_unit unit;
	uint64_t value;
};

struct time_span {
	struct time_side from, to; /* from is inclusive, to is exclusive */
};

/* Times of the first and the last sample, ns. Not used unless time_span_needs_bounds(). */
struct time_bounds {
	uint64_t first, last;
};

/* Reads "1.5-2", "10%-20%", "@3083222165649-", "-2". False with err set. */
bool time_span_parse(struct time_span *span, const char *text, struct err *err);
/* Whether those must be known before times can be compared. */
bool time_span_needs_bounds(const struct time_span *span);
bool time_span_holds(const struct time_span *span, const struct time_bounds *bounds, uint64_t time);

/*
 * Narrows [*from, *until) around a time to the times at which the span holds, or does not hold, as
 * at that time.
 */
void time_span_window(const struct time_span *span, const struct time_bounds *bounds, uint64_t time,
                      uint64_t *from, uint64_t *until);

/* The width of a slice of time: "10ms", "1s", "5%". */
bool time_width_parse(struct time_side *width, const char *text, struct err *err);
/* In ns, at least 1. */
uint64_t time_width(const struct time_side *width, const struct time_bounds *bounds);

#endif

/*
 * What the user asks to select, from the options. Values of one option are alternatives, those with
 * a leading ! exclude, and the conditions of all options must hold.
 */
#ifndef READPERF_DECODE_SELECT_REQUEST_H
#define READPERF_DECODE_SELECT_REQUEST_H

#include "decode/machine/cpumode.h"
#include "decode/select/timespan.h"

enum select_field {
	SELECT_EVENT,
	SELECT_COMM,
	SELECT_PID,
	SELECT_TID,
	SELECT_CPU,
	SELECT_BINARY,
	SELECT_FUNCTION,
	SELECT_MODE,
	SELECT_TIME,
	SELECT_FIELDS
};

struct select_value {
	char *text; /* without the !; malloc'd */
	bool exclude;
	int64_t low, high;     /* inclusive bounds of a number; of a mode: both are that mode */
	struct time_span span; /* of a time */
};

struct select_values {
	struct select_value *items;
	size_t count, capacity;
};

struct select_request {
	struct select_values fields[SELECT_FIELDS];
};

/* The values of --mode. The callback for nearest_name(). */
const char *select_mode_at(const void *context, size_t index);
/* "event", as the option is named. */
const char *select_field_name(enum select_field field);

/* Adds the values of an option. All zeros is empty. False with err set if a value is wrong. */
bool select_request_add(struct select_request *request, enum select_field field, const char *list,
                        struct err *err);
void select_request_release(struct select_request *request);
/* Whether it selects all samples. */
bool select_request_is_empty(const struct select_request *request);
/*
 * Whether the times of the first and the last sample have to be known: not for times of the clock
 * alone.
 */
bool select_request_needs_times(const struct select_request *request);

#endif

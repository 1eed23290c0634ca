#include "decode/select/timespan.h"

#include "util/digits.h"

#include <string.h>

#define SECOND ((uint64_t)1000000000)
#define PERCENT ((uint64_t)10000000)    /* units of a percent */
#define WHOLE ((uint64_t)100 * PERCENT) /* of all */

/*
 * Reads a decimal number in units of 1/scale, ignoring further digits, and moves *text behind it.
 */
static bool parse_decimal(const char **text, const char *end, uint64_t scale, uint64_t *value)
{
	const char *p = *text;
	uint64_t part = scale;
	bool digits = false;

	*value = 0;
	for (; p < end && is_digit(*p); p++, digits = true)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(*p - '0'), value))
			return false;
	if (__builtin_mul_overflow(*value, scale, value))
		return false;
	if (p < end && *p == '.' && scale > 1) {
		for (p++; p < end && is_digit(*p); p++, digits = true) {
			part /= 10;
			if (__builtin_add_overflow(*value, (uint64_t)(*p - '0') * part, value))
				return false;
		}
	}
	*text = p;
	return digits;
}

/*
 * Reads one side of a span; "@" alone is open, as in @-NS. clock: it is a time of the recording's
 * clock.
 */
static bool parse_side(struct time_side *side, const char *text, const char *end, bool clock)
{
	bool percent = text < end && end[-1] == '%';

	*side = (struct time_side){ TIME_OPEN, 0 };
	if (text < end && *text == '@') {
		clock = true;
		text++;
	}
	if (text == end)
		return true;
	side->unit = clock ? TIME_CLOCK : percent ? TIME_PERCENT : TIME_SECONDS;
	return parse_decimal(&text, end,
	                     clock     ? 1
	                     : percent ? PERCENT
	                               : SECOND,
	                     &side->value) &&
	       text == end - (percent && !clock) && (!percent || side->value <= WHOLE);
}

/* Whether both sides are of one unit and no time lies between them. */
static bool is_empty_span(const struct time_span *span)
{
	return span->from.unit != TIME_OPEN && span->from.unit == span->to.unit &&
	       span->to.value <= span->from.value;
}

bool time_span_parse(struct time_span *span, const char *text, struct err *err)
{
	const char *end = text + strlen(text), *dash = strchr(text, '-');
	bool clock = *text == '@';

	if (!dash || !parse_side(&span->from, text, dash, false) ||
	    !parse_side(&span->to, dash + 1, end, clock) ||
	    (span->from.unit == TIME_OPEN && span->to.unit == TIME_OPEN))
		return err_set(err, ERR_USAGE,
		               "--time=%s: give FROM-TO, as 1.5-2 (seconds after the first "
		               "sample), 10%%-20%% or @NS-NS (the recording's clock)",
		               text);
	if (is_empty_span(span))
		return err_set(err, ERR_USAGE, "--time=%s: FROM has to be before TO", text);
	return true;
}

static bool is_of_clock(enum time_unit unit)
{
	return unit == TIME_OPEN || unit == TIME_CLOCK;
}

bool time_span_needs_bounds(const struct time_span *span)
{
	return !is_of_clock(span->from.unit) || !is_of_clock(span->to.unit);
}

/* That fraction of a whole, rounded down. */
static uint64_t part_of(uint64_t whole, uint64_t part)
{
	return whole / WHOLE * part + whole % WHOLE * part / WHOLE;
}

/* One side as a time of the clock. */
static uint64_t side_time(const struct time_side *side, const struct time_bounds *bounds)
{
	switch (side->unit) {
	case TIME_SECONDS:
		return u64_add_sat(bounds->first, side->value);
	case TIME_PERCENT:
		/* 100 % includes the last sample */
		return u64_add_sat(bounds->first,
		                   part_of(bounds->last - bounds->first, side->value) +
		                           (side->value == WHOLE));
	default:
		return side->value;
	}
}

bool time_span_holds(const struct time_span *span, const struct time_bounds *bounds, uint64_t time)
{
	return (span->from.unit == TIME_OPEN || time >= side_time(&span->from, bounds)) &&
	       (span->to.unit == TIME_OPEN || time < side_time(&span->to, bounds));
}

static void narrow_to_side(const struct time_side *side, const struct time_bounds *bounds,
                           uint64_t time, uint64_t *from, uint64_t *until)
{
	uint64_t edge = side_time(side, bounds);

	if (side->unit == TIME_OPEN)
		return;
	if (edge <= time)
		*from = u64_max(*from, edge);
	else
		*until = u64_min(*until, edge);
}

void time_span_window(const struct time_span *span, const struct time_bounds *bounds, uint64_t time,
                      uint64_t *from, uint64_t *until)
{
	narrow_to_side(&span->from, bounds, time, from, until);
	narrow_to_side(&span->to, bounds, time, from, until);
}

bool time_width_parse(struct time_side *width, const char *text, struct err *err)
{
	static const struct {
		const char *name;
		uint64_t scale;
		enum time_unit unit;
	} units[] = {
		{ "ns", 1, TIME_SECONDS },          { "us", 1000, TIME_SECONDS },
		{ "ms", 1000000, TIME_SECONDS },    { "s", SECOND, TIME_SECONDS },
		{ "m", 60 * SECOND, TIME_SECONDS }, { "%", PERCENT, TIME_PERCENT },
	};
	size_t number = strspn(text, "0123456789.");
	const char *p = text;

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(text + number, units[i].name))
			continue;
		width->unit = units[i].unit;
		if (parse_decimal(&p, text + number, units[i].scale, &width->value) &&
		    p == text + number && width->value &&
		    (width->unit != TIME_PERCENT || width->value <= WHOLE))
			return true;
	}
	return err_set(err, ERR_USAGE, "--slice=%s: give a width of time, as 10ms, 1s or 5%%",
	               text);
}

uint64_t time_width(const struct time_side *width, const struct time_bounds *bounds)
{
	/* the last slice includes the last sample */
	return width->unit == TIME_PERCENT ? part_of(bounds->last - bounds->first, width->value) + 1
	                                   : width->value;
}

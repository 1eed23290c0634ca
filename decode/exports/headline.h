/* What stands above a picture: its title, and a line that says what was recorded. */
#ifndef READPERF_DECODE_EXPORTS_HEADLINE_H
#define READPERF_DECODE_EXPORTS_HEADLINE_H

#include "decode/tables/tables.h"

/* The name of the event; of a recording without samples, which is a picture of none, that. */
const char *headline_event(const struct report *report, size_t event);
/*
 * The event, after the title that the user wants (--title), and before `more`: malloc'd, without
 * control bytes. NULL with err set when memory is refused; the same holds for headline_summary().
 */
char *headline_title(const struct report *report, size_t event, const char *more, struct err *err);
/* Host, command, date, samples, lost ones: what is known of them. */
char *headline_summary(const struct report *report, size_t event, struct err *err);

#endif

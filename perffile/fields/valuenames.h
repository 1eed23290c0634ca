/*
 * Names of a field's values, by the expressions of a print format that depend on this field alone:
 *
 *   __print_flags(REC->flags, "|", { 1, "READ" }, { 2, "WRITE" })
 *   __print_symbolic(REC->vec & 0xff, { 0, "HI" }, { 1, "TIMER" })
 *   (REC->state & 0xff) ? __print_flags(REC->state & 0xff, ...) : "R", REC->state & 256 ? "+" : ""
 *
 * Another field may decide which of them is shown:
 *
 *   REC->isa == 1 ? __print_symbolic(REC->exit_reason, ...) : __print_symbolic(REC->exit_reason,
 * ...)
 */
#ifndef READPERF_PERFFILE_FIELDS_VALUENAMES_H
#define READPERF_PERFFILE_FIELDS_VALUENAMES_H

#include "perffile/fields/expression.h"

/* One expression that gives a text; the texts of several follow each other. */
struct value_names {
	const struct expression *text;
	const char *between; /* what stands before the text of the next one */
	/* NULL; or it is shown where this, of the other field's value, is true, or false */
	const struct expression *condition;
	bool when;
	struct value_names *next; /* NULL: this is the last one */
	uint8_t width;            /* bytes of the field: numbers without a name show no more */
};

#define VALUE_TEXT_SIZE 4096 /* bytes: longer texts are cut */

/*
 * The text of a value, as perf prints it: a number that has no name in hex. decision: the other
 * field's value. Returns its length; it is terminated, too.
 */
size_t value_names_text(const struct value_names *names, uint64_t value, uint64_t decision,
                        char out[VALUE_TEXT_SIZE]);

#endif

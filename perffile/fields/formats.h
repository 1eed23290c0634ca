/*
 * The formats of a recording's tracepoints, by the number of the event, and the texts in its kernel
 * that fields point to. In: the tracing data of the session. Format reference, section 6.2.
 */
#ifndef READPERF_PERFFILE_FIELDS_FORMATS_H
#define READPERF_PERFFILE_FIELDS_FORMATS_H

#include "perffile/fields/format.h"
#include "perffile/session/tracingdata.h"

/* What is known of an event of the session. */
struct event_format {
	const char *name;     /* "system:event" by the tracing data; NULL: it has no format there */
	struct format format; /* without fields where there is none */
};

struct formats {
	struct session *session; /* borrowed */
	struct arena arena;
	struct tracing_data tracing;
	bool has_tracing;            /* it was read */
	struct event_format **items; /* by event; NULL: not asked for yet */
	size_t count, capacity;
	/* printk's texts, ascending by address; read when one is asked for */
	struct kernel_text {
		uint64_t address;
		const char *text; /* in the arena */
	} * texts;
	size_t text_count, text_capacity;
	bool has_texts;
};

/* Before the first record. False with err set; formats_release() must be called in any case. */
bool formats_init(struct formats *formats, struct session *session, struct err *err);
void formats_release(struct formats *formats);
/*
 * The format of an event of the session, which is compiled when it is asked for the first time. It
 * lives as long as the formats. NULL with err set: memory is refused.
 */
const struct event_format *formats_of(struct formats *formats, uint32_t event, struct err *err);
/*
 * The text at an address of the recorded kernel, as its list of printk's texts has it. NULL: it has
 * none there, or err is set.
 */
const char *formats_text(struct formats *formats, uint64_t address, struct err *err);

#define FIELD_TEXT_ROOM (128 * 1024 + 1) /* bytes: two for each of a record's, and a NUL */

/*
 * The text of a field, as tables show it: the names of a number that has some. Terminated. False:
 * the raw data end before it, or err is set.
 */
bool formats_field_text(struct formats *formats, const struct field *field,
                        const struct raw_data *raw, char out[FIELD_TEXT_ROOM], struct err *err);
/* Whether formats that were asked for are damaged. */
bool formats_are_damaged(const struct formats *formats);
/* Warns of formats that were asked for, and are damaged or missing. */
void formats_report(const struct formats *formats, struct diag *diag);

/* Whether the raw data that they describe are in the other byte order. */
static inline bool formats_swap(const struct formats *formats)
{
	return tracing_data_swap(&formats->tracing, formats->session);
}

#endif

/*
 * Reads the fields that the user asks for: whether a sample of a tracepoint counts, how much, and
 * in which group.
 *
 * In:  a field_request; of each sample its event and its raw data.
 * Out: yes or no; a period; strings. After the last sample, warnings about what matched nothing.
 */
#ifndef READPERF_DECODE_SELECT_FIELDCHOICE_H
#define READPERF_DECODE_SELECT_FIELDCHOICE_H

#include "decode/select/fieldrequest.h"
#include "perffile/fields/formats.h"
#include "util/strings.h"

#define FIELD_TEXTS_KEPT 1024 /* texts of numbers; a power of two */

/* The fields of an event; NULL: it has none of that name, or is not asked. */
struct event_fields {
	bool known, any;
	const struct field *conditions[FIELD_CONDITIONS_MOST];
	const struct field *weight;
	const struct field *keys[FIELD_KEYS_MOST];
};

struct field_choice {
	const struct field_request *request; /* borrowed; NULL: nothing is asked */
	struct session *session;             /* borrowed */
	struct strings *strings;             /* borrowed */
	struct formats formats;
	struct event_fields *events; /* by number */
	size_t count, capacity;
	/* the strings of numbers that were asked for last */
	struct kept_text {
		uint64_t value;
		const struct field *field; /* NULL: none is kept */
		uint32_t string;
	} * kept;
	char *text;                         /* room for one */
	bool met[FIELD_CONDITIONS_MOST];    /* a sample has met the condition */
	bool seen[FIELD_CONDITIONS_MOST];   /* an event has the field */
	bool points[FIELD_CONDITIONS_MOST]; /* there it is the address of a function */
	bool weighted, keyed[FIELD_KEYS_MOST];
	uint64_t weightless; /* samples whose weight is missing or negative */
};

/*
 * Before the first record. False with err set; field_choice_release() must be called in any case.
 */
bool field_choice_init(struct field_choice *choice, const struct field_request *request,
                       struct session *session, struct strings *strings, struct err *err);
void field_choice_release(struct field_choice *choice);

/*
 * The fields that are asked of an event; NULL: none, or err is set. Valid until another event is
 * asked for.
 */
const struct event_fields *field_choice_event(struct field_choice *choice, uint32_t event,
                                              struct err *err);
/* Whether all conditions hold. False also with err set. */
bool field_choice_passes(struct field_choice *choice, const struct event_fields *fields,
                         const struct raw_data *raw, struct err *err);
/* The weight of a sample of an event that has such a field. */
uint64_t field_choice_weight(struct field_choice *choice, const struct event_fields *fields,
                             const struct raw_data *raw);
/* The text of a key: a string, STRING_EMPTY for a sample without the field. */
uint32_t field_choice_key(struct field_choice *choice, const struct event_fields *fields,
                          unsigned key, const struct raw_data *raw, struct err *err);
/*
 * A word by which samples of an event can be compared: those with the same one, that miss the field
 * alike, have the same text. It takes less time than the text.
 */
uint64_t field_choice_word(struct field_choice *choice, const struct event_fields *fields,
                           unsigned key, const struct raw_data *raw, bool *missing,
                           struct err *err);

/* After the last sample. */
void field_choice_report(const struct field_choice *choice, struct diag *diag);

#endif

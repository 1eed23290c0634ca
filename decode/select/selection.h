/*
 * Decides which samples are counted. It sees only samples; records that change processes and
 * mappings always take effect.
 *
 * In:  what the user asks for (request.h), and the properties of each sample (struct
 * select_sample).
 * Out: yes or no; after the last sample, warnings about values that matched nothing and about
 * samples that lack a field. Functions are selected later, when places have names.
 */
#ifndef READPERF_DECODE_SELECT_SELECTION_H
#define READPERF_DECODE_SELECT_SELECTION_H

#include "decode/select/request.h"
#include "util/strings.h"

/* The properties of a sample, or of several that are equal in all selected fields. */
struct select_sample {
	uint64_t count;
	uint64_t time; /* ns, or TIME_NONE */
	/* Strings, as tables print them; comm is the name of the process at that time. */
	uint32_t event, comm, binary;
	int32_t pid, tid, cpu; /* cpu: -1: not recorded */
	bool has_tid;
	enum cpu_mode mode;
};

/* Names that have been compared with the values of a field. */
struct select_names {
	uint8_t *known; /* by string: 0, or the decision */
	size_t count;
};

struct selection {
	const struct select_request *request; /* borrowed */
	const struct strings *strings;        /* borrowed */
	unsigned fields; /* those that have values, one bit each; without functions */
	/* Whether a sample got as far as its time, which is selected last among samples. */
	bool reached_times;
	struct select_names names[SELECT_FIELDS];
	bool *matched[SELECT_FIELDS];    /* by value: whether it has matched a sample */
	uint64_t missing[SELECT_FIELDS]; /* number of samples without the field */
};

/* request and strings are borrowed. selection_release() must be called in any case. */
bool selection_init(struct selection *selection, const struct select_request *request,
                    const struct strings *strings, struct err *err);
void selection_release(struct selection *selection);

/* Whether a field has values; not of functions. */
static inline bool selection_has(const struct selection *selection, enum select_field field)
{
	return selection->fields >> field & 1;
}

/*
 * Whether the sample is selected by everything but its time. False with err set: memory is refused.
 */
bool selection_passes(struct selection *selection, const struct select_sample *sample,
                      struct err *err);
/* Whether samples of an event (string) may be selected. False also with err set. */
bool selection_takes_event(struct selection *selection, uint32_t event, struct err *err);
/* Narrows [*from, *until) around a time to the times at which the same spans hold. */
void selection_time_window(const struct selection *selection, uint64_t time,
                           const struct time_bounds *bounds, uint64_t *from, uint64_t *until);
/* Whether the sample is selected by its time. */
bool selection_time_passes(struct selection *selection, uint64_t time,
                           const struct time_bounds *bounds);
/* Whether a function is selected; name: string. */
bool selection_function_passes(struct selection *selection, uint32_t name, struct err *err);

/*
 * After the last sample and the selection of functions: warns of values that matched nothing,
 * suggesting similar names, and of samples without a field.
 */
void selection_report(const struct selection *selection, struct diag *diag);

#endif

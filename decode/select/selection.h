/*
 * Which samples count: a gate in front of the counting. It sees samples only; records that change
 * processes and mappings always pass.
 *
 * In:  what the user asks for (request.h); per sample, what that is about (struct select_sample).
 * Out: yes or no; after the last sample, warnings about values that matched nothing and samples
 * that lack a field. Functions are selected afterwards, when places have names.
 */
#ifndef READPERF_DECODE_SELECT_SELECTION_H
#define READPERF_DECODE_SELECT_SELECTION_H

#include "decode/select/request.h"
#include "util/strings.h"

/* What is known of a sample; or of several that are alike in what is asked for. */
struct select_sample {
	uint64_t count;
	uint64_t time; /* ns, or TIME_NONE */
	/* strings: as tables print them; comm is that of the process at that moment */
	uint32_t event, comm, binary;
	int32_t pid, tid, cpu; /* cpu: -1: not recorded */
	bool has_tid;
	enum select_mode mode;
};

/* Names that have been compared with the values of a field. */
struct select_names {
	uint8_t *known; /* by string: 0, or what was decided */
	size_t count;
};

struct selection {
	const struct select_request *request; /* borrowed */
	const struct strings *strings;        /* borrowed */
	unsigned fields;                      /* those that have values, by bit; but functions */
	struct select_names names[SELECT_FIELDS];
	bool *matched[SELECT_FIELDS];    /* by value: it has matched something */
	uint64_t missing[SELECT_FIELDS]; /* samples without the field */
};

/* request and strings are borrowed. selection_release() in any case. */
bool selection_init(struct selection *selection, const struct select_request *request,
                    const struct strings *strings, struct err *err);
void selection_release(struct selection *selection);

/*
 * Whether the sample counts, as far as its time does not decide that. False with err set: no
 * memory.
 */
bool selection_passes(struct selection *selection, const struct select_sample *sample,
                      struct err *err);
/*
 * Around a time, when the same spans hold as then: from *from on, up to *until. They are narrowed
 * down only.
 */
void selection_time_window(const struct selection *selection, uint64_t time,
                           const struct time_bounds *bounds, uint64_t *from, uint64_t *until);
/* Whether its time lets it count. */
bool selection_time_passes(struct selection *selection, uint64_t time,
                           const struct time_bounds *bounds);
/* Whether a function counts; name: string. */
bool selection_function_passes(struct selection *selection, uint32_t name, struct err *err);

/*
 * After the last sample, and the functions: warns of values that matched nothing, with names that
 * may have been meant, and of samples without a field.
 */
void selection_report(const struct selection *selection, struct diag *diag);

#endif

/* Control groups. In: CGROUP records. Out: the path of a sample's control group, by its number. */
#ifndef READPERF_DECODE_TALLY_CGROUPS_H
#define READPERF_DECODE_TALLY_CGROUPS_H

#include "perffile/record/record.h"
#include "util/hash.h"
#include "util/strings.h"

struct cgroups {
	const struct session *session; /* borrowed */
	struct strings *strings;       /* borrowed */
	struct map paths;              /* number -> string */
	uint32_t unknown;              /* string: the name of one without a CGROUP record */
};

/* Both are borrowed; unknown is one of the strings. */
void cgroups_init(struct cgroups *cgroups, const struct session *session, struct strings *strings,
                  uint32_t unknown);
void cgroups_release(struct cgroups *cgroups);
/* Handles a CGROUP record. False with err set when memory is refused. */
bool cgroups_add(struct cgroups *cgroups, const struct record *record, struct err *err);
/*
 * The path of a sample's control group, a string; STRING_NONE: not recorded. record: the complete
 * sample.
 */
uint32_t cgroups_path(const struct cgroups *cgroups, const struct record *record);

#endif

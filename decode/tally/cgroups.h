/*
 * Control groups by the numbers that samples have of them.
 *
 * In:  CGROUP records.
 * Out: the path of a sample's control group.
 */
#ifndef READPERF_DECODE_TALLY_CGROUPS_H
#define READPERF_DECODE_TALLY_CGROUPS_H

#include "perffile/record/record.h"
#include "util/hash.h"
#include "util/strings.h"

struct cgroups {
	const struct session *session; /* borrowed */
	struct strings *strings;       /* borrowed */
	struct map paths;              /* number -> string */
	uint32_t unknown;              /* string: what one is called that no record told of */
};

/* Both are borrowed, unknown is a string of them. */
void cgroups_init(struct cgroups *cgroups, const struct session *session, struct strings *strings,
                  uint32_t unknown);
void cgroups_release(struct cgroups *cgroups);
/* A CGROUP record. False with err set when memory is refused. */
bool cgroups_add(struct cgroups *cgroups, const struct record *record, struct err *err);
/* String: the path of a sample's; STRING_NONE: it does not say. record: the whole sample. */
uint32_t cgroups_path(const struct cgroups *cgroups, const struct record *record);

#endif

/* buildids.csv: which builds of which binaries were recorded. */
#ifndef READPERF_DECODE_TABLES_BUILDIDSPRINTER_H
#define READPERF_DECODE_TABLES_BUILDIDSPRINTER_H

#include "perffile/perffile.h"
#include "util/strings.h"

/* Each pair of a build id and a binary once, in the order of their first appearance. */
struct buildids {
	struct strings pairs; /* "HEX NAME" */
	struct buildid_mode {
		uint8_t cpumode;
		bool used; /* pairs has texts that are none: the empty one */
	} * modes;         /* one for each text */
	size_t mode_capacity;
};

bool buildids_init(struct buildids *buildids, struct err *err);
void buildids_release(struct buildids *buildids);

/*
 * size: bytes of id, of which 20 are used; misc: of the record; name: length bytes, need not be
 * terminated. False with err set when memory is refused.
 */
bool buildids_add(struct buildids *buildids, const uint8_t *id, size_t size, uint16_t misc,
                  const char *name, size_t length, struct err *err);

/* Takes in the build ids that MMAP2 records carry. buildids must outlive the handler. */
struct record_handler buildids_handler(struct buildids *buildids);

#endif

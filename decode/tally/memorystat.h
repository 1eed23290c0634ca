/*
 * Counts memory accesses: samples with a data source (`perf mem record`, `perf c2c record`).
 *
 * In:  samples in order of time, once they are selected.
 * Out: a sum for each access: who, where in the code, what data, and how (struct access_key).
 */
#ifndef READPERF_DECODE_TALLY_MEMORYSTAT_H
#define READPERF_DECODE_TALLY_MEMORYSTAT_H

#include "decode/machine/mapping.h"
#include "decode/tally/placing.h"
#include "perffile/record/record.h"
#include "util/tuples.h"

/* Without padding, as tuples must be. */
struct access_key {
	uint64_t ip, data; /* in the address spaces of their binaries */
	uint64_t addr;     /* of the data, as recorded */
	uint64_t physical; /* 0: not recorded */
	uint64_t source;   /* union perf_mem_data_src */
	uint32_t ip_binary;
	/*
	 * data_binary: of memory right behind a file's mapping the file, whose .bss it may be;
	 * mapped_binary: what is mapped there.
	 */
	uint32_t data_binary, mapped_binary;
	int32_t pid, tid, cpu; /* -1: not recorded */
	uint32_t event;
	/* exact: the instruction at ip is the one that accessed the data */
	uint32_t exact : 1;
	uint32_t program : 31; /* number of a program: a process has one after the other, by exec */
};

struct access_sum {
	uint64_t samples, period, weight, weight_max;
	uint64_t cost;          /* the weights, but 1 where that is 0 */
	uint64_t second, third; /* the other parts of weights that have three */
};

struct memorystat {
	struct session *session;   /* borrowed */
	struct mappings *mappings; /* borrowed */
	struct map programs;       /* process << 32 | execs -> number */
	struct tuples accesses;    /* struct access_key */
	struct access_sum *sums;
	size_t capacity;
};

void memorystat_init(struct memorystat *stat, struct session *session, struct mappings *mappings);
void memorystat_release(struct memorystat *stat);
/* Whether samples of the event have a data source. */
bool memorystat_has(const struct session *session, uint32_t event);
/* Whether the weights of the event have three parts. */
bool memorystat_has_parts(const struct session *session, uint32_t event);

static inline const struct access_key *memorystat_access(const struct memorystat *stat,
                                                         size_t number)
{
	return tuples_get(&stat->accesses, number);
}

/* Counts a sample that was found at this place. False with err set when memory is refused. */
bool memorystat_add(struct memorystat *stat, const struct record *record,
                    const struct placed *placed, struct err *err);

#endif

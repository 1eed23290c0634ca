/*
 * Samples of Arm's Statistical Profiling Extension: the processor writes what it samples into a
 * trace, which the recorder copies behind AUXTRACE records.
 *
 * In:  the records of the tool, the traces, and all records of the kernel.
 * Out: the same records and, between them in order of time, a SAMPLE record for each sampled
 *      operation, of the events spe-load, spe-store, spe-branch, spe-other.
 *
 *   first reading    AUXTRACE_INFO, TIME_CONV, traces -> struct spe_sample, in memory
 *   between          times of the recording's clock, order of time, events of the session
 *   second reading   records -> samples that are older, then the record -> the handler behind
 */
#ifndef READPERF_DECODE_SPE_SPE_H
#define READPERF_DECODE_SPE_SPE_H

#include "decode/spe/packet.h"
#include "perffile/input/lookahead.h"
#include "perffile/record/handler.h"

/* A sampled operation. */
struct spe_sample {
	uint64_t time; /* of the generic timer; then ns of the recording's clock, or TIME_NONE */
	uint64_t ip, target, address, physical;
	uint64_t source; /* union perf_mem_data_src */
	uint32_t order;  /* among those of the same time */
	uint32_t latency;
	int32_t tid, cpu; /* -1: not known */
	uint8_t kind;     /* enum spe_kind */
	uint8_t branch;   /* type, as in branch stacks */
	bool kernel, taken, mispredicted;
};

/* From time stamps to ns of the recording's clock: the record TIME_CONV. */
struct spe_clock {
	bool known;
	bool short_counter; /* the counter has only the bits of mask */
	uint64_t shift, mult, zero, cycles, mask;
};

struct spe {
	struct session *session;  /* borrowed */
	struct record_handler to; /* gets the records */
	bool traced;              /* the traces of the recording are of SPE */
	struct spe_clock clock;
	struct map midrs;  /* CPU -> MIDR_EL1 */
	uint32_t any_midr; /* of CPUs that are not in it; 0: not known */
	struct spe_sample *samples;
	size_t count, capacity;
	size_t next;                /* the first one that was not passed on */
	uint32_t events[SPE_KINDS]; /* numbers in the session */
	struct map pids;            /* tid -> pid */
	struct map running;         /* CPU -> tid, by SWITCH records */
	uint64_t skipped;           /* bytes of traces that are no packet */
	uint64_t cut;               /* records that the end of a trace cuts off */
	uint64_t untimed;           /* samples without a time */
};

/*
 * Sets *found to whether a pipe announces traces of SPE: they are decoded only if it is copied to a
 * file, because samples of a trace may be older than records that were passed on before it came.
 * False with err set.
 */
bool spe_in_pipe(struct input *input, bool *found, struct err *err);
void spe_init(struct spe *spe, struct session *session);
void spe_release(struct spe *spe);
/* A handler that passes its records on to another one, with the samples between them. */
struct record_handler spe_handler(struct spe *spe, struct record_handler to);
/*
 * After the last record: passes on the samples that are left, and warns of damage. False with err
 * set.
 */
bool spe_finish(struct spe *spe, struct err *err);

#endif

/*
 * The packets of Arm's Statistical Profiling Extension: Arm Architecture Reference Manual, chapter
 * "Statistical Profiling Extension Sample Record Specification". Each says its own type and size.
 *
 * In:  bytes of a trace. Out: records, each of one sampled operation.
 */
#ifndef READPERF_DECODE_SPE_PACKET_H
#define READPERF_DECODE_SPE_PACKET_H

#include "util/types.h"

/* What the operation was. */
enum spe_kind { SPE_LOAD, SPE_STORE, SPE_BRANCH, SPE_OTHER, SPE_KINDS };

/* Bits of the events packet. */
enum {
	SPE_L1D_ACCESS = 1u << 2,
	SPE_L1D_MISS = 1u << 3,
	SPE_TLB_ACCESS = 1u << 4,
	SPE_TLB_MISS = 1u << 5,
	SPE_NOT_TAKEN = 1u << 6,
	SPE_MISPREDICTED = 1u << 7,
	SPE_LLC_ACCESS = 1u << 8,
	SPE_LLC_MISS = 1u << 9,
	SPE_REMOTE_ACCESS = 1u << 10
};

/* How a branch leads to its target. */
enum spe_branch { SPE_BRANCH_PLAIN, SPE_BRANCH_CALL, SPE_BRANCH_RETURN };

#define SPE_NO_TIME UINT64_MAX
#define SPE_NO_CONTEXT UINT64_MAX

/* One sampled operation. */
struct spe_record {
	uint64_t time;    /* of the generic timer, or SPE_NO_TIME */
	uint64_t context; /* of CONTEXTIDR: the kernel's tid, or SPE_NO_CONTEXT */
	uint64_t ip, target;
	uint64_t address, physical; /* of data; 0: not recorded */
	uint64_t events;
	uint64_t source;  /* as the processor numbers it */
	uint32_t latency; /* cycles in all */
	enum spe_kind kind;
	enum spe_branch branch;
	bool kernel; /* it ran in the kernel */
	bool has_ip, has_target;
	bool conditional, indirect; /* of branches */
};

/* Bytes of a trace, and what was found in those before pos. All zeros but data and size starts. */
struct spe_trace {
	const uint8_t *data;
	size_t size, pos;
	uint64_t start;   /* offset of data in the buffer of the processor: for alignment packets */
	uint64_t skipped; /* bytes that are no packet */
	uint64_t cut;     /* records that the end cuts off */
};

/* Reads the next record. False: there are no more. */
bool spe_next(struct spe_trace *trace, struct spe_record *record);

#endif

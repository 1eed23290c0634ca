/*
 * Decoded kernel records, as handlers receive them, and functions that read the parts that stay in
 * the raw record. Format reference, sections 3 and 4.
 */
#ifndef READPERF_PERFFILE_RECORD_RECORD_H
#define READPERF_PERFFILE_RECORD_RECORD_H

#include "perffile/session/session.h"

#define TIME_NONE UINT64_MAX
#define NR_NONE UINT64_MAX /* of a record that is made of others */
/*
 * `perf record --off-cpu` writes its samples at the end, with times from here on, so that they sort
 * last.
 */
#define TIME_OFF_CPU 0xffffffff00000000u

/* A text in the raw record: not terminated. */
struct record_text {
	const char *text;
	size_t length;
};

struct record_mmap {
	uint64_t start, length, pgoff; /* bytes */
	uint32_t prot, flags;          /* of MMAP2; prot of MMAP from its misc bit */
	bool has_build_id;
	struct build_id build_id;
	uint32_t major, minor;
	uint64_t inode, generation;
	struct record_text name;
};

struct record_task { /* FORK, EXIT */
	int32_t ppid, ptid;
	uint64_t own_time; /* ns, from the payload */
};

/* The values of a sample or of a READ record: `count` entries of `stride` u64 at data. */
struct record_read {
	const uint8_t *data; /* first entry, whose first u64 is the value; NULL: none */
	uint64_t count;
	uint8_t stride; /* u64s per entry */
	uint8_t id_at;  /* with has_id: which u64 of the entry is the id */
	bool has_id;
	bool group;
	uint64_t enabled, running; /* ns; 0 if not recorded */
};

/*
 * The recorded branches, the most recent one first; record_branch() reads one. With --call-graph
 * lbr (PERF_SAMPLE_BRANCH_CALL_STACK in the attr's branch_sample_type) they are the user part of
 * the call chain.
 */
struct record_branches {
	const uint8_t *data; /* NULL: none */
	uint64_t count;
};

/* Registers; record_register() reads one. */
struct record_regs {
	uint64_t abi;          /* enum perf_regs_abi */
	uint64_t mask;         /* bit n: register n is there, in perf's numbering for the recorded
	                          architecture */
	const uint8_t *values; /* a word for each bit, ascending: record_word(); NULL: none */
};

/* A copy of the user's stack, from its stack pointer upwards. */
struct record_stack {
	const uint8_t *data; /* NULL: none */
	uint64_t size;       /* bytes that were reserved */
	uint64_t used;       /* bytes with valid contents, at most size; the rest is undefined */
};

struct record_sample {
	uint64_t ip, addr, period, id;
	uint32_t fields; /* PERF_SAMPLE_ bits of what is recorded; 0 if damaged */
	bool has_addr,
		damaged; /* damaged: the record ends too early; the fields before the end are set */
	struct record_read read;
	/*
	 * Words, the innermost first: addresses with context markers between them
	 * (chain_word_is_marker()), as recorded; read one with record_word().
	 */
	const uint8_t *callchain;
	uint64_t callchain_count;
	const uint8_t *raw;
	uint32_t raw_size;
	struct record_branches branches;
	struct record_regs user_regs; /* the task's in user mode */
	struct record_stack user_stack;
	uint64_t weight; /* of WEIGHT, or all three parts of WEIGHT_STRUCT */
	uint64_t data_source, transaction, cgroup;
	uint64_t physical; /* address of the data */
};

/* CALLCHAIN_DEFERRED: the user part of the chains that end with this cookie. */
struct record_deferred {
	uint64_t cookie;
	uint64_t count;     /* number of words, the innermost first, without a marker in front */
	const uint8_t *ips; /* record_word() */
};

/*
 * A decoded kernel record. Its pointers lead into the raw bytes, and are valid as long as the
 * callback that receives it.
 */
struct record {
	const uint8_t *data; /* the raw record */
	uint64_t nr;         /* position in the recording, counting from 0 */
	uint64_t time;       /* ns of the recording's clock, or TIME_NONE */
	uint32_t type;
	uint16_t misc, size;
	/*
	 * The record's own if its type has them, otherwise those of its trailer; has_tid says
	 * whether there are any.
	 */
	int32_t pid, tid;
	bool has_tid;
	bool has_event; /* it is a sample, or its trailer has an id */
	int32_t cpu;    /* -1: not recorded */
	uint32_t event; /* number in the session, or EVENT_UNKNOWN */
	bool damaged;   /* too short for its type: only the fields above and type, size are valid */
	bool swap;      /* the raw bytes are in the other byte order */
	/* what handlers need of a type; its row of overview.csv may read more from the raw record
	 */
	union {
		struct record_sample sample;
		struct record_mmap mmap;
		struct record_text comm;
		struct record_task task;
		struct record_read read;
		uint64_t lost; /* LOST, LOST_SAMPLES: how many */
		struct {
			uint64_t addr;
			uint32_t length;
			uint16_t flags;
			struct record_text name;
		} ksymbol;
		struct {
			uint64_t id;
			struct record_text path;
		} cgroup;
		struct record_deferred deferred;
		struct {
			uint64_t offset, size; /* in the stream of the trace; bytes */
			uint64_t flags;        /* PERF_AUX_FLAG_... */
		} aux;
	};
};

/* The word with this index of a list in the raw record: a call chain, registers, or READ values. */
static inline uint64_t record_word(const struct record *record, const uint8_t *words,
                                   uint64_t index)
{
	return load_u64(words + 8 * index, record->swap);
}

/*
 * Whether a word of a call chain is a marker. It says which context the words after it belong to
 * (PERF_CONTEXT_KERNEL and others). After PERF_CONTEXT_USER_DEFERRED comes a single cookie, which
 * may have any value.
 */
static inline bool chain_word_is_marker(uint64_t word)
{
	return word >= PERF_CONTEXT_MAX;
}

#define BRANCH_WORDS 3 /* from, to, flags */

/* One recorded branch. */
struct branch {
	uint64_t from, to; /* addresses */
};

/* The branch of a sample with this index, which must be below branches.count. */
static inline struct branch record_branch(const struct record *record, uint64_t index)
{
	const uint8_t *words = record->sample.branches.data;

	return (struct branch){ record_word(record, words, BRANCH_WORDS * index),
		                record_word(record, words, BRANCH_WORDS * index + 1) };
}

/* The value of a register; number is below 64. False if regs does not have it. */
static inline bool record_register(const struct record *record, const struct record_regs *regs,
                                   unsigned number, uint64_t *value)
{
	uint64_t below = ((uint64_t)1 << number) - 1;

	if (!regs->values || !(regs->mask >> number & 1))
		return false;
	*value = record_word(record, regs->values,
	                     (unsigned)__builtin_popcountll(regs->mask & below));
	return true;
}

#endif

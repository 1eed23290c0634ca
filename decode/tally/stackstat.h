/*
 * Counts stacks: each sample at the node of its call chain, in cells of (event, group, node).
 *
 * Enters: decoded samples, in the order of their time, and the processes they were taken in.
 * Leaves: the tree of stacks, the cells, and after stackstat_settle() a place for each node, so
 * that naming can call the functions of callers by name as it does those of samples.
 */
#ifndef READPERF_DECODE_TALLY_STACKSTAT_H
#define READPERF_DECODE_TALLY_STACKSTAT_H

#include "decode/stacks/stacktree.h"
#include "decode/tally/funcstat.h"
#include "decode/tally/placing.h"
#include "util/spool.h"

/*
 * Bytes of the tree at which it is folded: some 1.6 million stacks; real programs have 200,000 a
 * GB.
 */
#define STACK_MEMORY ((size_t)64 << 20)

struct stack_options {
	const struct file_options *files; /* where binaries are looked for */
	bool by_thread;      /* groups are threads with their names: pprof's labels; else: */
	bool by_comm;        /* groups are names of processes: folded stacks begin with them */
	bool every_name;     /* functions that have callees alone are named too, not only those with
	                        samples */
	bool every_sample;   /* samples are counted as stacks even if no event has call chains */
	const char *log_dir; /* where a temporary file keeps the node of every sample; NULL: none */
	size_t memory;       /* STACK_MEMORY, but in tests */
};

/* What a group of cells has in common, as far as was asked for. */
struct stack_group {
	int32_t pid, tid; /* -1: not asked for */
	uint32_t comm;    /* string */
};

/* A sample whose user part comes in a later record. */
struct deferred_sample {
	struct chain chain; /* owned */
	uint64_t period;
	uint64_t logged; /* where the log of nodes has it */
	int32_t tid;
	uint32_t process, event, group;
};

struct stackstat {
	struct stack_options options;
	struct processes *processes; /* borrowed */
	struct session *session;     /* borrowed */
	struct stack_files files;
	struct chain_reader reader;
	struct chain chain; /* of the current sample */
	struct stack_tree tree;
	struct cells cells;  /* keys: nodes */
	uint64_t generation; /* of where the kernel itself is */
	uint64_t last_nr;    /* the record that was added last, */
	uint32_t last_node;  /* and its node; STACK_NODE_NONE: it is deferred, or none */
	struct stack_group *groups;
	size_t group_count, group_capacity;
	struct map threads, group_of; /* pid << 32 | tid -> number; number << 32 | comm -> group */
	struct spool log;             /* options.log_dir: the node of each sample, in their order */
	struct deferred_sample *deferred;
	size_t deferred_count, deferred_capacity;
	uint32_t *places; /* by node, after stackstat_settle(): PLACE_NONE: a root, or not named */
};

/* What it borrows. */
struct stack_world {
	struct session *session;
	struct processes *processes;
	struct binaries *binaries;
	struct mappings *mappings;
	struct strings *strings;
	struct chain_binaries other;
};

/* Whether samples of an event tell how the program came there. */
bool stackstat_has_chain(const struct event_attr *attr);
/* False with err set when memory is refused, as all that follow. stackstat_release() in any case.
 */
bool stackstat_init(struct stackstat *stacks, const struct stack_world *world,
                    const struct stack_options *options, struct err *err);
void stackstat_release(struct stackstat *stacks);

/*
 * Takes over what was counted before the first event with call chains was told: only recordings
 * that come through a pipe have such samples. They have no stack.
 */
bool stackstat_import(struct stackstat *stacks, struct cells *cells, struct err *err);
/* Counts a SAMPLE record of a process at its stack, for an event, with this period. */
bool stackstat_add(struct stackstat *stacks, const struct record *record, uint32_t process,
                   uint32_t event, uint64_t period, struct err *err);
/*
 * The same in two steps, for many samples that came to the samples() of a handler: the first has
 * memory bring what the second will look at.
 */
struct stack_lookup {
	struct stack_hash hash;     /* 0: the chain is no list */
	struct stack_hash unmapped; /* if something of it is not mapped */
};
void stackstat_prepare(const struct stackstat *stacks, const struct sample *sample,
                       uint32_t process, struct stack_lookup *lookup);
/* The node of a chain that was seen before, or STACK_NODE_NONE: then stackstat_add(). */
uint32_t stackstat_look(const struct stackstat *stacks, const struct stack_lookup *lookup);
bool stackstat_add_at(struct stackstat *stacks, const struct sample *sample, uint32_t process,
                      uint32_t node, struct err *err);
/*
 * Counts samples at their stacks, at most SAMPLES_MOST: those whose chains were seen before need a
 * lookup only.
 */
bool stackstat_add_samples(struct stackstat *stacks, const struct sample *samples,
                           const struct placed *placed, size_t count, struct err *err);
/* Counts one that is damaged, of which nothing is known: in this binary. */
bool stackstat_add_damaged(struct stackstat *stacks, const struct record *record, uint32_t process,
                           uint32_t binary, struct err *err);
/* A CALLCHAIN_DEFERRED record. */
bool stackstat_deferred(struct stackstat *stacks, const struct record *record, struct err *err);
/* A record may have told where the kernel is. */
static inline void stackstat_kernel_changed(struct stackstat *stacks)
{
	stacks->generation++;
}
/* After the last record. */
bool stackstat_finish(struct stackstat *stacks, struct err *err);

/*
 * After cells_settle() of the cells that count places: adds the places of the nodes to theirs, and
 * renumbers the keys of those cells.
 */
bool stackstat_settle(struct stackstat *stacks, struct cells *cells, struct places *places,
                      struct err *err);

/* Then: takes out the samples at all other places; keep: by place. */
void stackstat_keep(struct stackstat *stacks, const bool *keep);

#endif

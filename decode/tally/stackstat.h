/*
 * Counts stacks: each sample at its stack, in cells of (group, stack). Tables of stacks are made
 * from these cells, as others are from those of places (funcstat.h), which are themselves made from
 * these where stacks are counted.
 *
 * In:  decoded samples in order of time, and their processes.
 * Out: the tree of stacks, the cells and, after settle_places(), a place for each frame, by
 * which functions of callers are named like those of samples.
 */
#ifndef READPERF_DECODE_TALLY_STACKSTAT_H
#define READPERF_DECODE_TALLY_STACKSTAT_H

#include "decode/stacks/stacktree.h"
#include "decode/tally/funcstat.h"
#include "decode/tally/groupsums.h"
#include "decode/tally/placing.h"
#include "util/spool.h"
#include "util/tuples.h"

/*
 * Size of the tree of stacks in bytes at which it is folded. A recording of builds with 7.4 million
 * samples (880 MB) has a tree of 13 MB, and cells of 54 MB.
 */
#define STACK_MEMORY ((size_t)64 << 20)

/*
 * What samples of one stack and one group, which includes the event, add up to. funcstat.h says why
 * samples without call chains have cells of another kind.
 */
struct stack_cell {
	uint64_t key;     /* a hash with a random seed */
	uint64_t samples; /* 0: a selection dropped them */
	uint64_t period;
	uint64_t addr;    /* where the samples were; after settle_places() their place */
	uint32_t binary;  /* of this address */
	uint32_t callers; /* node of the tree of stacks; a root, if nothing is known to have called
	                     it */
	uint32_t group;   /* number of a struct stack_group */
};

/* After settle_places(): the number of the place of a cell. */
static inline uint32_t stack_cell_place(const struct stack_cell *cell)
{
	return (uint32_t)cell->addr;
}

/* Those of all stacks (stackcells.c). All zeros is empty. */
struct stack_cells {
	struct stack_cell *items;
	size_t count, capacity;
	struct hash_index index; /* by key */
};

void stack_cells_release(struct stack_cells *cells);
/* After the last sample: frees what only finds cells. */
void stack_cells_finish(struct stack_cells *cells);
/* Their memory in bytes. */
size_t stack_cells_size(const struct stack_cells *cells);

/* The number of the cell with this key, or MAP_NONE. */
uint32_t stack_cells_find(const struct stack_cells *cells, uint64_t key);

/* The cell that stack_cells_find() will look at first: its key may be another one. Or NULL. */
static inline const struct stack_cell *stack_cells_first(const struct stack_cells *cells,
                                                         uint64_t key)
{
	const uint32_t number = hash_index_first(&cells->index, key);

	return number == MAP_NONE ? NULL : &cells->items[number];
}

/* Adds a cell whose key no other one has, and returns its number. MAP_NONE with err set. */
uint32_t stack_cells_add(struct stack_cells *cells, const struct stack_cell *cell, struct err *err);

static inline void stack_cells_count(struct stack_cells *cells, uint32_t number, uint64_t samples,
                                     uint64_t period)
{
	cells->items[number].samples += samples;
	cells->items[number].period += period;
}

struct stack_options {
	const struct file_options *files; /* where to look for binaries */
	/* groups are threads with their names, which are pprof's labels; otherwise: */
	bool by_thread;
	bool by_comm;        /* groups are names of processes, with which folded stacks begin */
	bool by_choice;      /* groups are also those of struct choice: tables of --by */
	bool every_sample;   /* samples without a call chain are counted as stacks of one frame */
	const char *log_dir; /* folder for a temporary file with the cell of every sample; NULL:
	                        not needed */
	const char *interval_dir; /* the same for the cells of intervals */
	size_t memory;            /* STACK_MEMORY, except in tests */
};

#define STACK_GROUPS_RECENT 64 /* a power of two */
#define HELD_CELLS_RECENT 256  /* the same */

/* What the cells of a group have in common, as far as it was asked for. */
struct stack_group {
	uint32_t event;
	int32_t pid, tid; /* -1: not asked for */
	uint32_t comm;    /* string */
	uint32_t choice;  /* group of struct choice */
};

/* A stack whose samples are counted later: stackhold.h. */
struct held_stack {
	uint64_t addr;
	uint32_t binary;
	uint32_t callers; /* as in a cell */
	uint8_t mode;     /* enum cpu_mode, of its own frame */
};

struct held_stacks {
	struct held_stack *items;
	size_t count, capacity;
	struct map index; /* by hash; not of those before stacks were folded */
	struct map known; /* by stackhold_key() */
	/* numbers + 1 of cells that were counted last, by stack and group; 0: none */
	uint32_t recent[HELD_CELLS_RECENT];
};

/* A sample whose user part follows in a later record. */
struct deferred_sample {
	struct chain chain; /* owned */
	uint64_t period;
	uint64_t logged; /* its position in the log of cells */
	int32_t tid;
	uint32_t process, group;
};

struct stackstat {
	struct stack_options options;
	struct processes *processes; /* borrowed */
	struct session *session;     /* borrowed */
	struct chain_reader reader;
	struct chain chain; /* of the record that was added last */
	uint64_t last_nr;   /* and its number */
	struct record list; /* the fields of a record that a chain is read from */
	struct stack_tree tree;
	struct stack_cells cells;
	struct map callers; /* keys of callers (struct chain_keys) -> nodes of the tree */
	uint64_t seed;      /* of all keys */
	/*
	 * Whether cells are found by their stacks. At first they are found by keys of chains, which
	 * is faster, but then one stack may have several cells. Set when stacks are folded.
	 */
	bool by_stack;
	uint32_t choice;      /* group of struct choice for the samples that are added next */
	struct tuples groups; /* struct stack_group */
	/* numbers of groups + 1, of those that were asked for last; 0: none */
	uint32_t recent_groups[STACK_GROUPS_RECENT];
	struct spool log; /* options.log_dir: the cell of each sample, in their order */
	struct deferred_sample *deferred;
	size_t deferred_count, deferred_capacity;
	struct held_stacks held;
	/*
	 * options.interval_dir: the cells of intervals, whoever logs them. They get other numbers
	 * when stacks are folded; before that, flush_intervals() logs those that are elsewhere.
	 */
	struct spool interval_log;
	bool (*flush_intervals)(void *context, struct err *err); /* NULL: there are none */
	void *flush_context;
	bool makes_cells; /* settle_places() makes the cells of places from these */
	uint32_t *places; /* by frame, after settle_places(); PLACE_NONE: not named */
};

static inline const struct stack_group *stack_group_at(const struct stackstat *stacks,
                                                       size_t number)
{
	return tuples_get(&stacks->groups, number);
}

/* The group of a cell. */
static inline const struct stack_group *stackstat_group(const struct stackstat *stacks,
                                                        const struct stack_cell *cell)
{
	return stack_group_at(stacks, cell->group);
}

/*
 * The call chain of a sample that was passed to samples(), as it was recorded; the caller sets addr
 * and binary. space: of its process, or NULL.
 */
struct chain_list stackstat_list(const struct stackstat *stacks, const struct sample *sample,
                                 struct space *space);
/* Whether samples of the event have call chains in any form. */
bool stackstat_has_chain(const struct event_attr *attr);
/*
 * Session and mappings are borrowed. False with err set when memory is refused; the same holds for
 * all functions below. stackstat_release() must be called in any case.
 */
bool stackstat_init(struct stackstat *stacks, struct session *session, struct mappings *mappings,
                    const struct stack_options *options, struct err *err);
void stackstat_release(struct stackstat *stacks);

/*
 * The group of a sample, by the properties that were asked for; comm: string, of its process.
 * MAP_NONE with err set.
 */
uint32_t stackstat_find_group(struct stackstat *stacks, uint32_t event, int32_t pid, int32_t tid,
                              uint32_t comm, struct err *err);
/* Before a stack is added: folds stacks if they have become too large. */
bool stackstat_limit(struct stackstat *stacks, struct err *err);
/*
 * Takes over samples that were counted before the first event with call chains was known; this
 * happens only in pipes. They have no stack. key: their address in the binary
 */
bool stackstat_import(struct stackstat *stacks, const struct cell_kind *kind, uint64_t key,
                      uint64_t samples, uint64_t period, struct err *err);
/* Counts a SAMPLE record of a process at its stack, for an event, with this period. */
bool stackstat_add(struct stackstat *stacks, const struct record *record, uint32_t process,
                   uint32_t event, uint64_t period, struct err *err);
/* Counts samples that were passed to the samples() of a handler. */
bool stackstat_add_samples(struct stackstat *stacks, const struct placed_samples *all,
                           struct err *err);
/* Counts a damaged sample, of which only the process is known, in this binary. */
bool stackstat_add_damaged(struct stackstat *stacks, const struct record *record, uint32_t process,
                           uint32_t binary, struct err *err);
/* Handles a CALLCHAIN_DEFERRED record. */
bool stackstat_deferred(struct stackstat *stacks, const struct record *record, struct err *err);
/* After the last record. */
bool stackstat_finish(struct stackstat *stacks, struct err *err);
/*
 * For settle_places(), once stacks have places: appends the cells of these and, unless it is NULL,
 * sums of the groups of struct choice.
 */
bool stackstat_add_places(const struct stackstat *stacks, size_t place_count, struct cells *cells,
                          struct group_sums *sums, struct err *err);

/* After stackstat_finish(): how many samples have stacks with a frame "[folded]". */
uint64_t stackstat_folded_samples(const struct stackstat *stacks);

/* After settle_places(): drops the samples at places that are not to be kept; keep: by place. */
void stackstat_keep(struct stackstat *stacks, const bool *keep);

/*
 * Keeps depth_most outer frames of each stack (stackfold.c); SIZE_MAX: all. The cells, of which
 * there is one for each stack and group now, have other keys: see stackfold_key().
 */
bool stackfold_run(struct stackstat *stacks, size_t depth_most, struct err *err);
/* The key of a cell after stackfold_run(), which depends on its stack and group alone. */
uint64_t stackfold_key(uint64_t seed, const struct stack_cell *cell);

/*
 * Gives places to what was counted (settle.c), after cells_finish(); nothing can be added
 * afterwards. sums: NULL if cells have no groups; stacks: NULL if stacks are not counted. False
 * with err set when memory is refused.
 */
bool settle_places(struct cells *cells, struct group_sums *sums, struct stackstat *stacks,
                   struct places *places, struct err *err);

#endif

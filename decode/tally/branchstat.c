#include "decode/tally/branchstat.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define TYPE_EXTENDED 15 /* the type is in another field: its number is that + EXTENDED_FIRST */
#define EXTENDED_FIRST 16

/* What the flags of an entry say; format reference, 4.5. */
struct branch_flags {
	bool mispredicted, predicted, in_transaction, abort;
	uint32_t cycles, type;
};

void branchstat_init(struct branchstat *stat, struct session *session, struct mappings *mappings)
{
	memset(stat, 0, sizeof(*stat));
	stat->session = session;
	stat->mappings = mappings;
	tuples_init(&stat->branches, sizeof(struct branch_key));
	tuples_init(&stat->blocks, sizeof(struct block_key));
}

void branchstat_release(struct branchstat *stat)
{
	tuples_release(&stat->branches);
	tuples_release(&stat->blocks);
	free(stat->branch_sums);
	free(stat->block_sums);
	free(stat->predicted);
	stat->branch_sums = NULL;
	stat->block_sums = NULL;
	stat->predicted = NULL;
}

bool branchstat_has(const struct session *session, uint32_t event)
{
	return event < session->event_count &&
	       session->events[event].attr.sample_type & PERF_SAMPLE_BRANCH_STACK;
}

bool branchstat_predicts(const struct branchstat *stat, uint32_t event)
{
	return event < stat->predicted_count && stat->predicted[event];
}

const char *branch_type_word(uint32_t type)
{
	static const char *const words[] = {
		NULL,         "cond",    "uncond", "ind",       "call",        "ind-call",
		"ret",        "syscall", "sysret", "cond-call", "cond-ret",    "eret",
		"irq",        "serror",  "no-tx",  NULL,        "fault-align", "fault-data",
		"fault-inst", "arch-1",  "arch-2", "arch-3",    "arch-4",      "arch-5",
	};

	return type < ARRAY_SIZE(words) ? words[type] : NULL;
}

/* Bits of a word whose fields a producer of the other byte order packs from the top. */
static uint32_t bits_of(uint64_t word, bool from_top, unsigned first, unsigned count)
{
	const unsigned shift = from_top ? 64 - first - count : first;

	return (uint32_t)(word >> shift & ((1u << count) - 1));
}

static struct branch_flags flags_of(uint64_t word, bool from_top)
{
	struct branch_flags flags = {
		.mispredicted = bits_of(word, from_top, 0, 1),
		.predicted = bits_of(word, from_top, 1, 1),
		.in_transaction = bits_of(word, from_top, 2, 1),
		.abort = bits_of(word, from_top, 3, 1),
		.cycles = bits_of(word, from_top, 4, 16),
		.type = bits_of(word, from_top, 20, 4),
	};

	if (flags.type == TYPE_EXTENDED)
		flags.type = EXTENDED_FIRST + bits_of(word, from_top, 26, 4);
	return flags;
}

/* Branches lead into the kernel and out of it, so the mode of the sample does not help. */
static bool find_place(struct branchstat *stat, uint16_t misc, uint64_t addr,
                       struct branch_place *place, struct err *err)
{
	const enum cpu_mode mode = cpu_mode_of(misc);
	struct placed *placed = &stat->placed;

	if (mode == MODE_USER || mode == MODE_KERNEL) {
		if (!placing_find(stat->mappings, placed, PERF_CPUMODE_USER, addr, err))
			return false;
		if (placed->binary == UNKNOWN_BINARY && addr &&
		    !placing_find(stat->mappings, placed, PERF_CPUMODE_KERNEL, addr, err))
			return false;
	} else if (!placing_find(stat->mappings, placed, misc, addr, err)) {
		return false;
	}
	*place = (struct branch_place){ .addr = placed->addr, .binary = placed->binary };
	return true;
}

static bool count_branch(struct branchstat *stat, const struct branch_key *key,
                         const struct branch_flags *flags, struct err *err)
{
	const size_t before = stat->branches.count;
	const uint32_t number = tuples_put(&stat->branches, key, err);
	struct branch_sum *sum;

	if (number == MAP_NONE ||
	    !vec_room(&stat->branch_sums, number, &stat->branch_capacity, sizeof(*sum), err))
		return false;
	sum = &stat->branch_sums[number];
	if (number == before)
		*sum = (struct branch_sum){ 0 };
	sum->count++;
	sum->mispredicted += flags->mispredicted;
	sum->in_transaction += flags->in_transaction;
	sum->aborts += flags->abort;
	sum->samples += sum->last != stat->samples;
	sum->last = stat->samples;
	if (flags->mispredicted || flags->predicted)
		stat->predicted[key->event] = true;
	return true;
}

static bool count_block(struct branchstat *stat, const struct block_key *key,
                        const struct branch_flags *flags, struct err *err)
{
	const size_t before = stat->blocks.count;
	const uint32_t number = tuples_put(&stat->blocks, key, err);
	struct block_sum *sum;

	if (number == MAP_NONE ||
	    !vec_room(&stat->block_sums, number, &stat->block_capacity, sizeof(*sum), err))
		return false;
	sum = &stat->block_sums[number];
	if (number == before)
		*sum = (struct block_sum){ 0 };
	sum->count++;
	sum->cycles += flags->cycles;
	sum->cycles_count += flags->cycles != 0;
	return true;
}

/* In a pipe, attrs may still follow. */
static bool make_room(struct branchstat *stat, struct err *err)
{
	const size_t wanted = stat->session->event_count;

	if (!vec_reserve(&stat->predicted, wanted, &stat->predicted_capacity, sizeof(bool), err))
		return false;
	while (stat->predicted_count < wanted)
		stat->predicted[stat->predicted_count++] = false;
	return true;
}

/* An entry of a branch stack. */
struct entry {
	struct branch branch;
	struct branch_key key;
	struct branch_flags flags;
};

/* Counts what ran between two entries. */
static bool count_pair(struct branchstat *stat, const struct entry *older,
                       const struct entry *newer, struct err *err)
{
	const struct block_key block = { older->key.to.addr, newer->key.from.addr,
		                         older->key.to.binary, older->key.event };
	const uint64_t start = older->branch.to, end = newer->branch.from;

	stat->pairs++;
	if (end >= start && end - start <= BLOCK_MOST && block.binary == newer->key.from.binary)
		return count_block(stat, &block, &newer->flags, err);
	stat->odd_pairs++;
	return true;
}

bool branchstat_add(struct branchstat *stat, const struct record *record, uint32_t process,
                    uint32_t group, struct err *err)
{
	const struct record_branches *branches = &record->sample.branches;
	struct entry entry = { .key = { .event = record->event, .group = group } }, newer = entry;

	if (!branches->count || !branchstat_has(stat->session, record->event))
		return true;
	if (stat->session->events[record->event].attr.branch_sample_type &
	    PERF_SAMPLE_BRANCH_CALL_STACK) {
		stat->call_stacks = true;
		return true;
	}
	if (!make_room(stat, err))
		return false;
	stat->placed.process = process;
	stat->samples++;
	for (uint64_t i = 0; i < branches->count; i++) {
		const uint64_t flags = record_word(record, branches->data, BRANCH_WORDS * i + 2);

		entry.branch = record_branch(record, i);
		entry.flags = flags_of(flags, stat->session->big_endian);
		entry.key.type = entry.flags.type;
		if (!find_place(stat, record->misc, entry.branch.from, &entry.key.from, err) ||
		    !find_place(stat, record->misc, entry.branch.to, &entry.key.to, err) ||
		    !count_branch(stat, &entry.key, &entry.flags, err) ||
		    (i && !count_pair(stat, &entry, &newer, err)))
			return false;
		newer = entry;
	}
	return true;
}

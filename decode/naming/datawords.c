#include "decode/naming/datawords.h"

#include "util/origperf.h"

#include <stdio.h>
#include <string.h>

static void add_word(char text[DATA_WORD_SIZE], const char *word)
{
	const size_t used = strlen(text);

	/* two bits of one meaning are one word */
	if (!strstr(text, word))
		snprintf(text + used, DATA_WORD_SIZE - used, "%s%s", used ? " or " : "", word);
}

/* Adds the names of the bits that are set; names: by bit, NULL: no name. */
static void add_bits(char text[DATA_WORD_SIZE], uint64_t bits, const char *const *names,
                     size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bits >> i & 1 && names[i])
			add_word(text, names[i]);
}

/* bits: of a level or of the TLB, in which it is the same bit. */
static void add_miss(char text[DATA_WORD_SIZE], uint64_t bits)
{
	const size_t used = strlen(text);

	if (used && bits & PERF_MEM_LVL_MISS)
		snprintf(text + used, DATA_WORD_SIZE - used, " miss");
}

static void operation_word(uint64_t source, char text[DATA_WORD_SIZE])
{
	static const char *const names[] = { NULL, "load", "store", "prefetch", "exec" };

	add_bits(text, source, names, ARRAY_SIZE(names));
}

/* By number: the level, and how it is named if it is remote. */
static void level_word(uint64_t source, char text[DATA_WORD_SIZE])
{
	static const char *const bits[] = {
		[3] = "L1",         [4] = "LFB",           [5] = "L2",
		[6] = "L3",         [7] = "RAM",           [8] = "remote RAM",
		[9] = "remote RAM", [10] = "remote cache", [11] = "remote cache",
		[12] = "IO",        [13] = "uncached"
	};
	static const char *const numbers[] = {
		[1] = "L1",   [2] = "L2",       [3] = "L3",
		[4] = "L4",   [5] = "L2 MHB",   [6] = "memory-side cache",
		[7] = "L0",   [8] = "uncached", [9] = "CXL",
		[10] = "IO",  [11] = "cache",   [12] = "LFB",
		[13] = "RAM", [14] = "PMEM"
	};
	const unsigned number = source >> PERF_MEM_LVLNUM_SHIFT & 15;
	const bool remote = source >> PERF_MEM_REMOTE_SHIFT & 1;

	if (!number || number == PERF_MEM_LVLNUM_NA)
		add_bits(text, source >> PERF_MEM_LVL_SHIFT, bits, ARRAY_SIZE(bits));
	else if (remote && number <= 11 && number != 8 && number != 9 && number != 10)
		add_word(text, "remote cache");
	else
		snprintf(text, DATA_WORD_SIZE, "%s%s", remote ? "remote " : "", numbers[number]);
	add_miss(text, source >> PERF_MEM_LVL_SHIFT);
}

static void snoop_word(uint64_t source, char text[DATA_WORD_SIZE])
{
	static const char *const names[] = { NULL, "none", "hit", "miss", "hitm" };
	static const char *const more[] = { "fwd", "peer" };
	const size_t count = ARRAY_SIZE(names);

	/* "hit" is a part of "hitm" */
	for (size_t i = count; i-- > 0;)
		if (source >> (PERF_MEM_SNOOP_SHIFT + i) & 1 && names[i])
			add_word(text, names[i]);
	add_bits(text, source >> PERF_MEM_SNOOPX_SHIFT & 3, more, ARRAY_SIZE(more));
}

static void tlb_word(uint64_t source, char text[DATA_WORD_SIZE])
{
	static const char *const names[] = {
		[3] = "L1", [4] = "L2", [5] = "walker", [6] = "fault"
	};

	add_bits(text, source >> PERF_MEM_TLB_SHIFT, names, ARRAY_SIZE(names));
	if (!*text && source >> PERF_MEM_TLB_SHIFT & PERF_MEM_TLB_HIT)
		add_word(text, "hit");
	if (!*text && source >> PERF_MEM_TLB_SHIFT & PERF_MEM_TLB_MISS)
		add_word(text, "miss");
	else
		add_miss(text, source >> PERF_MEM_TLB_SHIFT);
}

static void blocked_word(uint64_t source, char text[DATA_WORD_SIZE])
{
	static const char *const names[] = { NULL, "data", "address" };

	add_bits(text, source >> PERF_MEM_BLK_SHIFT & 7, names, ARRAY_SIZE(names));
}

void data_word(uint64_t source, enum data_question question, char text[DATA_WORD_SIZE])
{
	const unsigned lock = source >> PERF_MEM_LOCK_SHIFT & 3;

	*text = '\0';
	switch (question) {
	case DATA_OPERATION:
		operation_word(source, text);
		break;
	case DATA_LEVEL:
		level_word(source, text);
		break;
	case DATA_SNOOP:
		snoop_word(source, text);
		break;
	case DATA_TLB:
		tlb_word(source, text);
		break;
	case DATA_LOCKED:
		if (!(lock & 1))
			add_word(text, lock ? "yes" : "no");
		break;
	default:
		blocked_word(source, text);
	}
}

bool data_source_is_access(uint64_t source)
{
	return source & (PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE);
}

/* The rules of c2c_decode_stats() in perf, of loads that hit. */
static void count_hit(struct line_counts *counts, uint64_t source, uint64_t samples, bool remote)
{
	const uint64_t level = source >> PERF_MEM_LVL_SHIFT, snoop = source >> PERF_MEM_SNOOP_SHIFT;
	const bool peer = source >> PERF_MEM_SNOOPX_SHIFT & PERF_MEM_SNOOPX_PEER;

	counts->lfb += level & PERF_MEM_LVL_LFB ? samples : 0;
	counts->l1 += level & PERF_MEM_LVL_L1 ? samples : 0;
	if (level & PERF_MEM_LVL_L2) {
		counts->l2 += samples;
		counts->local_peer += peer ? samples : 0;
	}
	if (level & PERF_MEM_LVL_L3) {
		*(snoop & PERF_MEM_SNOOP_HITM ? &counts->local_hitm : &counts->llc) += samples;
		counts->local_peer += peer ? samples : 0;
	}
	counts->local_dram += level & PERF_MEM_LVL_LOC_RAM ? samples : 0;
	counts->remote_dram += level & PERF_MEM_LVL_REM_RAM || remote ? samples : 0;
}

void line_counts_add(struct line_counts *counts, uint64_t source, uint64_t addr, uint64_t samples)
{
	const uint64_t level = source >> PERF_MEM_LVL_SHIFT, snoop = source >> PERF_MEM_SNOOP_SHIFT;
	/* a level that is known to be in the same node is not remote */
	const bool remote = (source >> PERF_MEM_REMOTE_SHIFT & 1) &&
	                    !(source >> PERF_MEM_HOPS_SHIFT & 7);

	counts->samples += samples;
	if (!addr)
		return;
	if (!(source & PERF_MEM_OP_LOAD)) {
		counts->stores += source & PERF_MEM_OP_STORE ? samples : 0;
		return;
	}
	counts->loads += samples;
	if (level & PERF_MEM_LVL_HIT)
		count_hit(counts, source, samples, remote);
	if (!(level & PERF_MEM_LVL_REM_CCE) && !remote)
		return;
	if (snoop & PERF_MEM_SNOOP_HIT)
		return;
	if (snoop & PERF_MEM_SNOOP_HITM)
		counts->remote_hitm += samples;
	else if (source >> PERF_MEM_SNOOPX_SHIFT & PERF_MEM_SNOOPX_PEER)
		counts->remote_peer += samples;
}

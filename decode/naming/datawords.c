#include "decode/naming/datawords.h"

#include <stdio.h>
#include <string.h>

/* The first bits of the parts of the value. */
enum {
	LEVEL = 5,
	SNOOP = 19,
	LOCK = 24,
	TLB = 26,
	LEVEL_NUMBER = 33,
	REMOTE = 37,
	SNOOP_MORE = 38,
	BLOCK = 40,
	HOPS = 43
};

enum { OP_LOAD = 2, OP_STORE = 4 };

/* Bits of levels; of the TLB the first three are the same. */
enum {
	LEVEL_HIT = 1 << 1,
	LEVEL_MISS = 1 << 2,
	LEVEL_L1 = 1 << 3,
	LEVEL_LFB = 1 << 4,
	LEVEL_L2 = 1 << 5,
	LEVEL_L3 = 1 << 6,
	LEVEL_RAM = 1 << 7,
	LEVEL_REMOTE_RAM = 3 << 8,
	LEVEL_REMOTE_CACHE = 3 << 10
};

enum { SNOOP_HIT = 4, SNOOP_HITM = 16, SNOOPX_PEER = 2, NUMBER_UNKNOWN = 15, NUMBER_RAM = 13 };

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

static void add_miss(char text[DATA_WORD_SIZE], uint64_t bits)
{
	const size_t used = strlen(text);

	if (used && bits & LEVEL_MISS)
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
	const unsigned number = source >> LEVEL_NUMBER & 15;
	const bool remote = source >> REMOTE & 1;

	if (!number || number == NUMBER_UNKNOWN)
		add_bits(text, source >> LEVEL, bits, ARRAY_SIZE(bits));
	else if (remote && number <= 11 && number != 8 && number != 9 && number != 10)
		add_word(text, "remote cache");
	else
		snprintf(text, DATA_WORD_SIZE, "%s%s", remote ? "remote " : "", numbers[number]);
	add_miss(text, source >> LEVEL);
}

static void snoop_word(uint64_t source, char text[DATA_WORD_SIZE])
{
	static const char *const names[] = { NULL, "none", "hit", "miss", "hitm" };
	static const char *const more[] = { "fwd", "peer" };
	const size_t count = ARRAY_SIZE(names);

	/* "hit" is a part of "hitm" */
	for (size_t i = count; i-- > 0;)
		if (source >> (SNOOP + i) & 1 && names[i])
			add_word(text, names[i]);
	add_bits(text, source >> SNOOP_MORE & 3, more, ARRAY_SIZE(more));
}

static void tlb_word(uint64_t source, char text[DATA_WORD_SIZE])
{
	static const char *const names[] = {
		[3] = "L1", [4] = "L2", [5] = "walker", [6] = "fault"
	};

	add_bits(text, source >> TLB, names, ARRAY_SIZE(names));
	if (!*text && source >> TLB & LEVEL_HIT)
		add_word(text, "hit");
	if (!*text && source >> TLB & LEVEL_MISS)
		add_word(text, "miss");
	else
		add_miss(text, source >> TLB);
}

static void blocked_word(uint64_t source, char text[DATA_WORD_SIZE])
{
	static const char *const names[] = { NULL, "data", "address" };

	add_bits(text, source >> BLOCK & 7, names, ARRAY_SIZE(names));
}

void data_word(uint64_t source, enum data_question question, char text[DATA_WORD_SIZE])
{
	const unsigned lock = source >> LOCK & 3;

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
	return source & (OP_LOAD | OP_STORE);
}

/* The rules of c2c_decode_stats() in perf, of loads that hit. */
static void count_hit(struct line_counts *counts, uint64_t source, uint64_t samples, bool remote)
{
	const uint64_t level = source >> LEVEL, snoop = source >> SNOOP;
	const bool peer = source >> SNOOP_MORE & SNOOPX_PEER;

	counts->lfb += level & LEVEL_LFB ? samples : 0;
	counts->l1 += level & LEVEL_L1 ? samples : 0;
	if (level & LEVEL_L2) {
		counts->l2 += samples;
		counts->local_peer += peer ? samples : 0;
	}
	if (level & LEVEL_L3) {
		*(snoop & SNOOP_HITM ? &counts->local_hitm : &counts->llc) += samples;
		counts->local_peer += peer ? samples : 0;
	}
	counts->local_dram += level & LEVEL_RAM ? samples : 0;
	counts->remote_dram += level & LEVEL_REMOTE_RAM || remote ? samples : 0;
}

void line_counts_add(struct line_counts *counts, uint64_t source, uint64_t addr, uint64_t samples)
{
	const uint64_t level = source >> LEVEL, snoop = source >> SNOOP;
	/* a level that is known to be in the same node is not remote */
	const bool remote = (source >> REMOTE & 1) && !(source >> HOPS & 7);

	counts->samples += samples;
	if (!addr)
		return;
	if (!(source & OP_LOAD)) {
		counts->stores += source & OP_STORE ? samples : 0;
		return;
	}
	counts->loads += samples;
	if (level & LEVEL_HIT)
		count_hit(counts, source, samples, remote);
	if (!(level & LEVEL_REMOTE_CACHE) && !remote)
		return;
	if (snoop & SNOOP_HIT)
		return;
	if (snoop & SNOOP_HITM)
		counts->remote_hitm += samples;
	else if (source >> SNOOP_MORE & SNOOPX_PEER)
		counts->remote_peer += samples;
}

#include "decode/tables/datasource.h"

#include "util/origperf.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* A text that grows. */
struct words {
	char *text;
	size_t used;
	unsigned alternatives; /* words of the current field so far */
};

static void add_text(struct words *words, const char *text)
{
	size_t length = strlen(text);

	assert(words->used + length < DATA_SOURCE_SIZE);
	memcpy(words->text + words->used, text, length + 1);
	words->used += length;
}

static void add_word(struct words *words, const char *word)
{
	if (words->alternatives++)
		add_text(words, " or ");
	add_text(words, word);
}

/* Adds the names of the lowest bits that are set; names: by bit, NULL: no name. */
static void add_bits(struct words *words, uint64_t bits, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bits >> i & 1 && names[i])
			add_word(words, names[i]);
}

static void end_field(struct words *words)
{
	if (!words->alternatives)
		add_text(words, "N/A");
	words->alternatives = 0;
}

static void add_operation(struct words *words, uint64_t bits)
{
	static const char *const names[] = { "N/A", "LOAD", "STORE", "PFETCH", "EXEC" };

	add_text(words, "OP ");
	for (size_t i = 0; i < ARRAY_SIZE(names) && !words->alternatives; i++)
		if (bits >> i & 1)
			add_word(words, names[i]);
	if (!words->alternatives)
		add_word(words, "No");
	end_field(words);
}

/* Of a level, and of the TLB, in which these are the same bits. */
static void add_hit(struct words *words, uint64_t bits)
{
	if (bits & PERF_MEM_LVL_HIT)
		add_text(words, " hit");
	if (bits & PERF_MEM_LVL_MISS)
		add_text(words, " miss");
}

static void add_level_number(struct words *words, uint64_t number)
{
	static const char *const names[] = { [0x5] = "L2 MHB",   [0x6] = "Memory-side Cache",
		                             [0x8] = "Uncached", [0x9] = "CXL",
		                             [0xa] = "I/O",      [0xb] = "Any cache",
		                             [0xc] = "LFB/MAB",  [0xd] = "RAM",
		                             [0xe] = "PMEM",     [0xf] = "N/A" };
	char text[8];

	/* not available; any other bits do have a meaning */
	if (!number || (number == PERF_MEM_LVLNUM_NA && words->alternatives))
		return;
	snprintf(text, sizeof(text), "L%u", (unsigned)number);
	add_word(words, names[number] ? names[number] : text);
}

static void add_level(struct words *words, uint64_t value)
{
	static const char *const names[] = { [0] = "N/A",
		                             [3] = "L1",
		                             [4] = "LFB/MAB",
		                             [5] = "L2",
		                             [6] = "L3",
		                             [7] = "Local RAM",
		                             [8] = "Remote RAM (1 hop)",
		                             [9] = "Remote RAM (2 hops)",
		                             [10] = "Remote Cache (1 hop)",
		                             [11] = "Remote Cache (2 hops)",
		                             [12] = "I/O",
		                             [13] = "Uncached" };
	static const char *const distances[] = { NULL, "core, same node", "node, same socket",
		                                 "socket, same board", "board" };
	const uint64_t bits = value >> PERF_MEM_LVL_SHIFT, hops = value >> PERF_MEM_HOPS_SHIFT & 7;
	const bool remote = value >> PERF_MEM_REMOTE_SHIFT & 1;

	add_text(words, "|LVL ");
	if (remote)
		add_text(words, "Remote ");
	if (hops && hops < ARRAY_SIZE(distances)) {
		add_text(words, distances[hops]);
		add_text(words, " ");
	} else {
		add_bits(words, bits, names, ARRAY_SIZE(names));
	}
	add_level_number(words, value >> PERF_MEM_LVLNUM_SHIFT & 15);
	words->alternatives += hops || remote;
	end_field(words);
	add_hit(words, bits);
}

void data_source_format(uint64_t value, char text[DATA_SOURCE_SIZE])
{
	static const char *const snoop[] = { "N/A", "None", "Hit", "Miss", "HitM" };
	static const char *const snoopx[] = { "Fwd", "Peer" };
	static const char *const tlb[] = { "N/A", NULL, NULL, "L1", "L2", "Walker", "Fault" };
	const uint64_t lock = value >> PERF_MEM_LOCK_SHIFT & 3,
		       block = value >> PERF_MEM_BLK_SHIFT & 7;
	struct words words = { .text = text };

	add_operation(&words, value >> PERF_MEM_OP_SHIFT);
	add_level(&words, value);
	add_text(&words, "|SNP ");
	add_bits(&words, value >> PERF_MEM_SNOOP_SHIFT, snoop, ARRAY_SIZE(snoop));
	add_bits(&words, value >> PERF_MEM_SNOOPX_SHIFT, snoopx, ARRAY_SIZE(snoopx));
	end_field(&words);
	add_text(&words, "|TLB ");
	add_bits(&words, value >> PERF_MEM_TLB_SHIFT, tlb, ARRAY_SIZE(tlb));
	end_field(&words);
	add_hit(&words, value >> PERF_MEM_TLB_SHIFT);
	add_text(&words, lock & 1 ? "|LCK N/A" : lock ? "|LCK Yes" : "|LCK No");
	add_text(&words, "|BLK");
	if (block & 1 || !block)
		add_text(&words, " N/A");
	else
		add_text(&words, block == 2 ? " Data" : block == 4 ? " Addr" : " Data Addr");
}

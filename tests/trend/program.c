/*
 * A program to record: some thirty functions of different kinds of work, one of which (parse_words, about 6 % of the
 * time) does FACTOR tenths of its usual work: program 10 is the usual one, program 15 is slower.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 65536u

static uint64_t sink;
static uint32_t table[WORDS];

#define KIND_HASH(x, i) x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u + (i)
#define KIND_WALK(x, i) x += table[(x ^ (i) * 40503u) & (WORDS - 1)]
#define KIND_STORE(x, i) table[(x + (i)) & (WORDS - 1)] = (uint32_t)(x = x * 6364136223846793005u + 1442695040888963407u)
#define KIND_BRANCH(x, i) x = x & 1 ? x * 3 + 1 : (x >> 1) + (i)

#define WORK(name, kind)                                            \
	static __attribute__((noinline)) void name(uint64_t rounds) \
	{                                                           \
		uint64_t x = rounds + __COUNTER__; /* no two alike */ \
		for (uint64_t i = 0; i < rounds; i++)               \
			KIND_##kind(x, i);                          \
		sink += x;                                          \
	}

#define FUNCTIONS(F)                                                                                               \
	F(read_input, WALK, 90) F(parse_words, HASH, 200) F(parse_numbers, BRANCH, 60) F(fold_case, STORE, 40)      \
	F(intern, WALK, 110) F(hash_word, HASH, 200) F(grow_table, STORE, 70) F(find_slot, WALK, 160)               \
	F(compare_keys, BRANCH, 80) F(sort_rows, BRANCH, 150) F(merge_rows, STORE, 60) F(sum_rows, WALK, 50)        \
	F(count_bits, HASH, 70) F(encode, BRANCH, 45) F(decode, BRANCH, 40) F(checksum, HASH, 120)                  \
	F(compress_block, STORE, 90) F(expand_block, STORE, 50) F(match_rule, BRANCH, 35) F(match_name, WALK, 30)   \
	F(format_row, HASH, 60) F(format_number, BRANCH, 25) F(write_row, STORE, 45) F(flush_rows, STORE, 20)       \
	F(next_random, HASH, 40) F(fill_cache, STORE, 30) F(probe_cache, WALK, 40) F(evict_cache, WALK, 25)         \
	F(visit_tree, WALK, 35) F(rotate_tree, BRANCH, 20)

#define DEFINE(name, kind, amount) WORK(name, kind)
FUNCTIONS(DEFINE)

int main(int argc, char **argv)
{
	const uint64_t factor = argc > 1 ? strtoull(argv[1], NULL, 10) : 10;
	const uint64_t rounds = argc > 2 ? strtoull(argv[2], NULL, 10) : 780;

	for (uint64_t i = 0; i < rounds; i++) {
#define CALL(name, kind, amount) name((amount) * 400u * (strcmp(#name, "parse_words") ? 10 : factor) / 10);
		FUNCTIONS(CALL)
	}
	printf("%llu\n", (unsigned long long)sink);
	return 0;
}

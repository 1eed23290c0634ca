#include "util/huffman.h"

#include "util/vec.h"

#include <math.h>
#include <stdlib.h>

#define SYMBOLS 257 /* bytes, and the end of a block */
#define END 256
#define LENGTH_MOST 15
#define BLOCK ((size_t)256 * 1024) /* bytes that have a code of their own */
#define HEADER_MOST 200            /* bytes of a block before its first code */
#define LENGTH_CODES 19
#define ADLER 65521u
#define ADLER_RUN 5552 /* bytes after which sums still fit */

struct code {
	uint8_t length[SYMBOLS];
	uint16_t bits[SYMBOLS]; /* the first one lowest */
};

struct bit_writer {
	uint8_t *at;
	uint64_t bits;
	unsigned count; /* of bits that are not written yet; below 8 after write_out() */
};

static void add_bits(struct bit_writer *writer, uint64_t bits, unsigned count)
{
	writer->bits |= bits << writer->count;
	writer->count += count;
}

/* Up to 56 bits may have been added since the last time. */
static void write_out(struct bit_writer *writer)
{
	for (unsigned i = 0; i < 8; i++)
		writer->at[i] = (uint8_t)(writer->bits >> 8 * i);
	writer->at += writer->count / 8;
	writer->bits >>= writer->count / 8 * 8;
	writer->count %= 8;
}

static void count_bytes(uint32_t counts[SYMBOLS], const uint8_t *data, size_t size)
{
	memset(counts, 0, SYMBOLS * sizeof(*counts));
	for (size_t i = 0; i < size; i++)
		counts[data[i]]++;
	counts[END] = 1;
}

size_t huffman_estimate(const uint8_t *data, size_t size)
{
	uint32_t counts[SYMBOLS];
	double bits = 0;

	count_bytes(counts, data, size);
	for (unsigned i = 0; i < SYMBOLS; i++)
		if (counts[i])
			bits += counts[i] * fmax(1, log2((double)(size + 1) / counts[i]));
	return (size_t)(bits / 8) + HEADER_MOST;
}

/* --- the code of a block */

struct node {
	uint32_t count;
	uint16_t parent;
};

static int compare_nodes(const void *a, const void *b)
{
	const struct node *x = *(const struct node *const *)a, *y = *(const struct node *const *)b;

	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	return x < y ? -1 : x > y;
}

/*
 * Joins the two rarest nodes until there is one: `leaves` are sorted, and what is joined is made in
 * order, too. Returns the root.
 */
static uint16_t join_nodes(struct node *nodes, struct node **leaves, size_t leaf_count)
{
	size_t leaf = 0, joined = SYMBOLS, end = SYMBOLS;

	for (size_t i = 1; i < leaf_count; i++) {
		nodes[end].count = 0;
		for (int side = 0; side < 2; side++) {
			const bool is_leaf = leaf < leaf_count &&
			                     (joined == end ||
			                      leaves[leaf]->count <= nodes[joined].count);
			struct node *rarest = is_leaf ? leaves[leaf++] : &nodes[joined++];

			rarest->parent = (uint16_t)end;
			nodes[end].count += rarest->count;
		}
		end++;
	}
	return (uint16_t)(end - 1);
}

/* Finds the lengths of codes. False if one were too long: counts must differ less. */
static bool find_lengths(struct code *code, const uint32_t counts[SYMBOLS])
{
	struct node nodes[2 * SYMBOLS] = { { 0, 0 } }, *leaves[SYMBOLS];
	uint8_t depth[2 * SYMBOLS] = { 0 };
	size_t leaf_count = 0;
	uint16_t root;

	for (unsigned i = 0; i < SYMBOLS; i++) {
		nodes[i].count = counts[i];
		code->length[i] = 0;
		if (counts[i])
			leaves[leaf_count++] = &nodes[i];
	}
	qsort(leaves, leaf_count, sizeof(*leaves), compare_nodes);
	root = join_nodes(nodes, leaves, leaf_count);
	for (unsigned i = root; i-- > SYMBOLS;)
		depth[i] = depth[nodes[i].parent] + 1;
	for (unsigned i = 0; i < SYMBOLS; i++) {
		if (counts[i])
			code->length[i] = depth[nodes[i].parent] + 1;
		if (code->length[i] > LENGTH_MOST)
			return false;
	}
	return true;
}

/* RFC 1951, 3.2.2: codes follow from their lengths. */
static void find_codes(struct code *code)
{
	uint32_t next[LENGTH_MOST + 2] = { 0 }, count[LENGTH_MOST + 1] = { 0 };

	for (unsigned i = 0; i < SYMBOLS; i++)
		count[code->length[i]]++;
	count[0] = 0;
	for (unsigned length = 1; length <= LENGTH_MOST; length++)
		next[length + 1] = (next[length] + count[length]) << 1;
	for (unsigned i = 0; i < SYMBOLS; i++) {
		uint32_t bits = next[code->length[i]]++;

		code->bits[i] = 0;
		for (unsigned k = 0; k < code->length[i]; k++, bits >>= 1)
			code->bits[i] = (uint16_t)((uint32_t)code->bits[i] << 1 | (bits & 1));
	}
}

static void make_code(struct code *code, const uint8_t *data, size_t size)
{
	uint32_t counts[SYMBOLS];

	count_bytes(counts, data, size);
	while (!find_lengths(code, counts))
		for (unsigned i = 0; i < SYMBOLS; i++)
			counts[i] = (counts[i] + 1) / 2; /* at least 1 of what is there */
	find_codes(code);
}

/* --- blocks */

/* The lengths are written as they are, in 4 bits each, and no code has distances. */
static void write_lengths(struct bit_writer *writer, const struct code *code)
{
	add_bits(writer, SYMBOLS - 257, 5);
	add_bits(writer, 0, 5);
	add_bits(writer, LENGTH_CODES - 4, 4);
	for (unsigned i = 0; i < LENGTH_CODES; i++) {
		/* repeats (16 to 18), which are not used, come first */
		add_bits(writer, i < 3 ? 0 : 4, 3);
		write_out(writer);
	}
	for (unsigned i = 0; i <= SYMBOLS; i++) {
		const unsigned length = i < SYMBOLS ? code->length[i] : 0;
		unsigned reversed = 0;

		for (unsigned k = 0; k < 4; k++)
			reversed |= (length >> k & 1) << (3 - k);
		add_bits(writer, reversed, 4);
		write_out(writer);
	}
}

static void write_block(struct bit_writer *writer, const uint8_t *data, size_t size, bool last)
{
	struct code code;
	size_t i = 0;

	make_code(&code, data, size);
	add_bits(writer, last, 1);
	add_bits(writer, 2, 2); /* a block with its own code */
	write_lengths(writer, &code);
	for (; i + 3 <= size; i += 3) {
		add_bits(writer, code.bits[data[i]], code.length[data[i]]);
		add_bits(writer, code.bits[data[i + 1]], code.length[data[i + 1]]);
		add_bits(writer, code.bits[data[i + 2]], code.length[data[i + 2]]);
		write_out(writer);
	}
	for (; i < size; i++) {
		add_bits(writer, code.bits[data[i]], code.length[data[i]]);
		write_out(writer);
	}
	add_bits(writer, code.bits[END], code.length[END]);
	write_out(writer);
}

/* RFC 1950: the checksum of what was packed. */
static uint32_t adler(const uint8_t *data, size_t size)
{
	uint32_t a = 1, b = 0;

	while (size) {
		const size_t run = size < ADLER_RUN ? size : ADLER_RUN;

		for (size_t i = 0; i < run; i++) {
			a += data[i];
			b += a;
		}
		a %= ADLER;
		b %= ADLER;
		data += run;
		size -= run;
	}
	return b << 16 | a;
}

bool huffman_zlib(const uint8_t *data, size_t size, uint8_t **out, size_t *out_size,
                  struct err *err)
{
	/* a code for all bytes has 15 bits at most, and 9 or fewer on average */
	const size_t room = size + size / 8 + (size / BLOCK + 1) * HEADER_MOST + 16;
	struct bit_writer writer = { .at = vec_new(room, 1, err) };
	const uint32_t sum = adler(data, size);
	size_t done = 0;

	*out = writer.at;
	if (!*out)
		return false;
	add_bits(&writer, 0x0178, 16); /* a window of 32 KiB, packed fast */
	do {
		const size_t block = size - done < BLOCK ? size - done : BLOCK;

		write_block(&writer, data + done, block, done + block == size);
		done += block;
	} while (done < size);
	if (writer.count)
		add_bits(&writer, 0, 8 - writer.count);
	write_out(&writer);
	for (unsigned i = 4; i-- > 0;)
		*writer.at++ = (uint8_t)(sum >> 8 * i);
	*out_size = (size_t)(writer.at - *out);
	return true;
}

/*
 * A mutator that knows recordings: it changes a record, an attr, a section or a field, or drops, doubles
 * and moves whole records, above all those that others depend on. Then it puts sizes and offsets right, so
 * that what lies behind the header is reached. One change in four is libFuzzer's own, which puts nothing
 * right.
 */
#include "tests/fuzz/fuzz.h"
#include "util/origperf.h"

#include <string.h>

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#define RECORDS_MAX 4096
#define PIECE_MAX 4096

struct image {
	uint8_t *data;
	size_t size, max;
	bool swap, pipe;
	size_t first, end; /* of the records */
	uint32_t state;    /* of the random numbers */
};

static uint32_t rnd(struct image *image, uint32_t below)
{
	image->state = image->state * 1664525u + 1013904223u;
	return below ? (image->state >> 8) % below : 0;
}

static void store(struct image *image, size_t at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		size_t shift = 8 * (image->swap ? size - 1 - i : i);

		image->data[at + i] = (uint8_t)(value >> shift);
	}
}

static uint64_t header_u64(const struct image *image, size_t at)
{
	return load_u64(image->data + at, image->swap);
}

/* This machine is taken to be little-endian. */
static bool image_open(struct image *image)
{
	uint64_t size, offset;

	if (image->size < PERF_HEADER_SIZE_PIPE)
		return false;
	if (!memcmp(image->data, "2ELIFREP", 8))
		image->swap = true;
	else if (memcmp(image->data, "PERFILE2", 8) != 0)
		return false;
	image->pipe = header_u64(image, 8) == PERF_HEADER_SIZE_PIPE;
	image->first = PERF_HEADER_SIZE_PIPE;
	image->end = image->size;
	if (image->pipe)
		return true;
	if (image->size < PERF_HEADER_SIZE)
		return false;
	offset = header_u64(image, 40);
	size = header_u64(image, 48);
	if (offset > image->size)
		return false;
	image->first = (size_t)offset;
	if (size && size <= image->size - offset)
		image->end = (size_t)(offset + size);
	return true;
}

static void move_offset(struct image *image, size_t at, size_t behind, int64_t by)
{
	uint64_t offset;

	if (at > image->size || image->size - at < 8)
		return;
	offset = header_u64(image, at);
	if (offset >= behind && offset <= image->size)
		store(image, at, offset + (uint64_t)by, 8);
}

/* The offsets of all sections that lie at or behind `behind`, before the bytes are moved. */
static void move_sections(struct image *image, size_t behind, int64_t by)
{
	uint64_t entry = header_u64(image, 16), attrs = header_u64(image, 24);
	uint64_t attrs_size = header_u64(image, 32);

	for (size_t at = image->end; at < image->size && at - image->end < 40 * 16; at += 16)
		move_offset(image, at, behind, by);
	if (entry >= 80 && attrs <= image->size && attrs_size <= image->size - attrs)
		for (uint64_t at = attrs; at + entry <= attrs + attrs_size; at += entry)
			move_offset(image, (size_t)(at + entry - 16), behind, by);
	move_offset(image, 24, behind, by);
	move_offset(image, 56, behind, by);
}

/* Puts new bytes in the place of old_size bytes of the records. False if there is no room. */
static bool replace(struct image *image, size_t at, size_t old_size, const uint8_t *bytes,
		    size_t size)
{
	int64_t by = (int64_t)size - (int64_t)old_size;

	if (size > old_size && size - old_size > image->max - image->size)
		return false;
	if (!image->pipe && by) {
		move_sections(image, at + old_size, by);
		if (header_u64(image, 48))
			store(image, 48, (uint64_t)((int64_t)(image->end - image->first) + by), 8);
	}
	memmove(image->data + at + size, image->data + at + old_size, image->size - at - old_size);
	if (size)
		memcpy(image->data + at, bytes, size);
	image->size = (size_t)((int64_t)image->size + by);
	image->end = (size_t)((int64_t)image->end + by);
	return true;
}

static size_t record_size(const struct image *image, size_t at)
{
	size_t size;

	if (image->end - at < PERF_RECORD_HEADER_SIZE)
		return 0;
	size = load_u16(image->data + at + 6, image->swap);
	return size >= PERF_RECORD_HEADER_SIZE && size <= image->end - at ? size : 0;
}

/* Any of the records of this type, or of all with type 0; 0 if there are none. */
static size_t pick_of_type(struct image *image, uint32_t type, size_t *size)
{
	size_t places[RECORDS_MAX];
	size_t count = 0, at = image->first;

	while (at < image->end && count < RECORDS_MAX && (*size = record_size(image, at))) {
		if (!type || load_u32(image->data + at, image->swap) == type)
			places[count++] = at;
		at += *size;
	}
	if (!count)
		return 0;
	at = places[rnd(image, (uint32_t)count)];
	*size = record_size(image, at);
	return at;
}

/* Any of the records; 0 if there are none. */
static size_t pick_record(struct image *image, size_t *size)
{
	return pick_of_type(image, 0, size);
}

/* The same, but in every other case one that says how others are to be read, if there is one. */
static size_t pick_key_record(struct image *image, size_t *size)
{
	static const uint32_t keys[] = { PERF_RECORD_HEADER_ATTR, PERF_RECORD_HEADER_ATTR,
					 PERF_RECORD_EVENT_UPDATE, PERF_RECORD_HEADER_FEATURE,
					 PERF_RECORD_READ, PERF_RECORD_FINISHED_ROUND };
	size_t at = 0;

	if (rnd(image, 2))
		at = pick_of_type(image, keys[rnd(image, ARRAY_SIZE(keys))], size);
	return at ? at : pick_record(image, size);
}

static uint64_t odd_value(struct image *image)
{
	static const uint64_t values[] = { 0, 1, 2, 7, 8, 0x7f, 0x80, 0xff, 0xfff, 0xffff,
					   0x10000, 0x7fffffff, 0x80000000u, 0xffffffffu,
					   0x7fffffffffffffffu, 0x8000000000000000u,
					   0xfffffffffffffff8u, UINT64_MAX };

	return values[rnd(image, ARRAY_SIZE(values))];
}

static void change_body(struct image *image)
{
	uint8_t piece[PIECE_MAX];
	size_t size, at = pick_record(image, &size), changed;

	if (!at || size > sizeof(piece))
		return;
	memcpy(piece, image->data + at, size);
	if (size > 8 && rnd(image, 3)) {
		/* one word of it, aligned as the format has them */
		size_t word = 8 + 8 * rnd(image, (uint32_t)(size - 8) / 8);
		uint64_t value = odd_value(image);

		if (word + 8 <= size && rnd(image, 2))
			memcpy(piece + word, &value, 8);
		else
			piece[8 + rnd(image, (uint32_t)size - 8)] = (uint8_t)rnd(image, 256);
		replace(image, at, size, piece, size);
		return;
	}
	changed = 8 + LLVMFuzzerMutate(piece + 8, size - 8, sizeof(piece) - 8);
	if (replace(image, at, size, piece, changed))
		store(image, at + 6, changed, 2);
}

static void change_type(struct image *image)
{
	size_t size, at = pick_record(image, &size);
	uint32_t type = rnd(image, 2) ? 1 + rnd(image, PERF_RECORD_KERNEL_END)
				      : PERF_RECORD_TOOL_START + rnd(image, 24);

	if (!at)
		return;
	if (rnd(image, 3))
		store(image, at, type, 4);
	else
		store(image, at + 4, rnd(image, 0x10000), 2);
}

static void copy_record(struct image *image)
{
	uint8_t piece[PIECE_MAX];
	size_t size, other, at = pick_key_record(image, &size), to;

	if (!at || size > sizeof(piece))
		return;
	memcpy(piece, image->data + at, size);
	to = pick_record(image, &other);
	for (uint32_t i = 1 + rnd(image, 4); i; i--)
		replace(image, to, 0, piece, size);
}

static void drop_record(struct image *image)
{
	size_t size, at = pick_key_record(image, &size);

	if (at)
		replace(image, at, size, NULL, 0);
}

/* All records of a type: without its attrs a pipe has no event. */
static void drop_type(struct image *image)
{
	size_t size, at = pick_key_record(image, &size);
	uint32_t type = at ? load_u32(image->data + at, image->swap) : 0;

	while (type && (at = pick_of_type(image, type, &size)))
		if (!replace(image, at, size, NULL, 0))
			return;
}

/* A record comes before or behind others that it stood behind or before; every other time it is the first. */
static void move_record(struct image *image)
{
	uint8_t piece[PIECE_MAX];
	size_t size, other, at = pick_key_record(image, &size), to;

	if (!at || size > sizeof(piece))
		return;
	memcpy(piece, image->data + at, size);
	replace(image, at, size, NULL, 0);
	to = rnd(image, 2) ? pick_record(image, &other) : image->first;
	replace(image, to ? to : image->first, 0, piece, size);
}

/* Attrs of a file: one fewer, one twice, or two in each other's place. */
static void move_attrs(struct image *image)
{
	uint64_t entry = header_u64(image, 16), attrs = header_u64(image, 24);
	uint64_t size = header_u64(image, 32), from, to;
	uint8_t piece[PIECE_MAX];

	if (image->pipe || entry == 0 || entry > sizeof(piece) || attrs > image->size ||
	    size > image->size - attrs || size / entry < 1)
		return;
	from = attrs + entry * rnd(image, (uint32_t)(size / entry));
	to = attrs + entry * rnd(image, (uint32_t)(size / entry));
	memcpy(piece, image->data + from, (size_t)entry);
	switch (rnd(image, 3)) {
	case 0:
		store(image, 32, size - entry, 8);
		break;
	case 1:
		memcpy(image->data + to, piece, (size_t)entry);
		break;
	default:
		memmove(image->data + from, image->data + to, (size_t)entry);
		memcpy(image->data + to, piece, (size_t)entry);
	}
}

/* A word of an attr: of the file's attrs, or of a HEADER_ATTR record. */
static void change_attr(struct image *image)
{
	size_t at = 0, size, word = 8 * rnd(image, 18);

	if (image->pipe) {
		at = pick_of_type(image, PERF_RECORD_HEADER_ATTR, &size);
		if (!at || size < 72)
			return;
		at += 8;
	} else {
		uint64_t entry = header_u64(image, 16), attrs = header_u64(image, 24);
		uint64_t count = entry ? header_u64(image, 32) / entry : 0;

		if (count > 1024 || attrs > image->size)
			return;
		at = (size_t)(attrs + entry * rnd(image, (uint32_t)count));
	}
	if (at + word + 8 > image->size || at < 16)
		return;
	if (rnd(image, 2)) {
		/* one bit: sample_type, read_format and flags are made of them */
		size_t bit = rnd(image, 64);

		image->data[at + word + bit / 8] ^= (uint8_t)(1u << bit % 8);
	} else {
		store(image, at + word, odd_value(image), 8);
	}
}

/* A feature's bytes, or the table of them. */
static void change_feature(struct image *image)
{
	size_t at = image->end + 16 * rnd(image, 30);
	uint64_t offset, size;

	if (image->pipe || image->size < 16 || at > image->size - 16)
		return;
	offset = header_u64(image, at);
	size = header_u64(image, at + 8);
	if (rnd(image, 8) == 0) {
		store(image, at + 8 * rnd(image, 2), odd_value(image), 8);
		return;
	}
	if (offset > image->size || size > image->size - offset || size < 4)
		return;
	if (rnd(image, 2))
		store(image, (size_t)(offset + rnd(image, (uint32_t)size / 4) * 4), odd_value(image), 4);
	else
		LLVMFuzzerMutate(image->data + offset, (size_t)size, (size_t)size);
}

static void change_header(struct image *image)
{
	size_t word = 8 * rnd(image, image->pipe ? 2 : 13);

	if (word + 8 > image->size)
		return;
	if (word >= 72)
		image->data[word + rnd(image, 8)] ^= (uint8_t)(1u << rnd(image, 8));
	else
		store(image, word, odd_value(image), 8);
}

/* Puts a run of records into one COMPRESSED record. */
static void pack_records(struct image *image)
{
#ifdef HAVE_ZSTD
	uint8_t piece[PIECE_MAX];
	size_t size, at = pick_record(image, &size), end = at, packed;

	if (!at)
		return;
	for (uint32_t i = rnd(image, 16); i && end < image->end && (size = record_size(image, end)); i--)
		end += size;
	packed = ZSTD_compress(piece + 8, sizeof(piece) - 8, image->data + at, end - at, 1);
	if (ZSTD_isError(packed) || end == at)
		return;
	memset(piece, 0, 8);
	if (replace(image, at, end - at, piece, packed + 8)) {
		store(image, at, PERF_RECORD_COMPRESSED, 4);
		store(image, at + 6, packed + 8, 2);
	}
#else
	drop_record(image);
#endif
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	static void (*const changes[])(struct image *) = {
		change_body, change_body, change_body,	  change_type,	 copy_record, drop_record,
		change_attr, change_attr, change_feature, change_header, pack_records,
		drop_type,   move_record, move_record,	  move_attrs
	};
	struct image image = { data, size, max, false, false, 0, 0, seed };

	if (rnd(&image, 4) == 0 || !image_open(&image))
		return LLVMFuzzerMutate(data, size, max);
	for (uint32_t i = 1 + rnd(&image, 4); i; i--) {
		if (!image_open(&image))
			break;
		changes[rnd(&image, ARRAY_SIZE(changes))](&image);
	}
	return image.size;
}

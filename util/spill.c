#include "util/spill.h"

#include "util/spool.h"
#include "util/vec.h"
#include "util/wholeio.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_SIZE ((size_t)64 << 10) /* bytes */
#define WORD_MOST 10                   /* bytes of a word in the file */
#define ITEM_MOST ((size_t)SPILL_WORDS_MOST * WORD_MOST)

void spill_init(struct spill *spill, size_t size, const char *dir)
{
	*spill = (struct spill){ .dir = dir, .words = size / sizeof(uint64_t) };
}

void spill_close(struct spill *spill)
{
	if (spill->open)
		close(spill->fd);
	free(spill->blocks);
	free(spill->buffer);
	*spill = (struct spill){ .open = false };
}

static bool open_file(struct spill *spill, struct err *err)
{
	spill->buffer = vec_new(BUFFER_SIZE, 1, err);
	if (!spill->buffer)
		return false;
	spill->fd = temp_file_open(spill->dir, err);
	spill->open = spill->fd >= 0;
	return spill->open;
}

static bool flush(struct spill *spill, struct err *err)
{
	if (!write_whole_at(spill->fd, spill->buffer, spill->used, spill->size))
		return err_errno(err, "cannot write a temporary file in %s", spill->dir);
	spill->size += spill->used;
	spill->used = 0;
	return true;
}

/* Differences are small numbers, also if they are below 0: 0, -1, 1, -2 become 0, 1, 2, 3. */
static inline uint64_t folded(uint64_t difference)
{
	return difference << 1 ^ (0 - (difference >> 63));
}

static inline uint64_t unfolded(uint64_t number)
{
	return number >> 1 ^ (0 - (number & 1));
}

/* Returns where the next word goes. */
static inline uint8_t *put_word(uint8_t *to, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*to++ = (uint8_t)(number | 0x80);
	*to++ = (uint8_t)number;
	return to;
}

bool spill_write(struct spill *spill, const void *items, size_t count, struct err *err)
{
	const uint8_t *words = items;
	uint64_t last[SPILL_WORDS_MOST] = { 0 };
	struct spill_block block = { .count = count };

	if (!spill->open && !open_file(spill, err))
		return false;
	block.start = spill->size;
	for (size_t i = 0; i < count; i++) {
		uint8_t *to = spill->buffer + spill->used;

		for (size_t k = 0; k < spill->words; k++, words += sizeof(*last)) {
			uint64_t word;

			memcpy(&word, words, sizeof(word));
			to = put_word(to, folded(word - last[k]));
			last[k] = word;
		}
		spill->used = (size_t)(to - spill->buffer);
		if (spill->used > BUFFER_SIZE - ITEM_MOST && !flush(spill, err))
			return false;
	}
	return flush(spill, err) && vec_append(&spill->blocks, &spill->block_count,
	                                       &spill->block_capacity, &block, sizeof(block), err);
}

bool spill_reader_open(struct spill_reader *reader, const struct spill *spill, size_t first,
                       size_t end, size_t room, struct err *err)
{
	*reader = (struct spill_reader){ .spill = spill, .block = first, .end = end };
	reader->room = room > ITEM_MOST ? room : ITEM_MOST;
	reader->buffer = vec_new(reader->room, 1, err);
	return reader->buffer != NULL;
}

void spill_reader_close(struct spill_reader *reader)
{
	free(reader->buffer);
	*reader = (struct spill_reader){ .buffer = NULL };
}

/* Moves what is left to the front of the buffer, and fills it; the file may end before. */
static bool fill(struct spill_reader *reader, struct err *err)
{
	const struct spill *spill = reader->spill;
	const size_t left = reader->used - reader->taken;
	const size_t more = (size_t)u64_min(spill->size - reader->position, reader->room - left);

	if (!more)
		return true;
	memmove(reader->buffer, reader->buffer + reader->taken, left);
	if (!read_whole_at(spill->fd, reader->buffer + left, more, reader->position))
		return err_errno(err, "cannot read a temporary file in %s", spill->dir);
	reader->position += more;
	reader->taken = 0;
	reader->used = left + more;
	return true;
}

static void begin_block(struct spill_reader *reader)
{
	const struct spill_block *block = &reader->spill->blocks[reader->block++];

	reader->left = block->count;
	reader->position = block->start;
	reader->used = reader->taken = 0;
	memset(reader->item, 0, sizeof(reader->item));
}

/* Reads a number of the buffer, which has as many bytes as a number can have, or those to its end.
 */
static inline uint64_t take_word(struct spill_reader *reader)
{
	uint64_t number = 0;
	uint8_t byte;
	unsigned shift = 0;

	do {
		byte = reader->buffer[reader->taken++];
		number |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return number;
}

const void *spill_read(struct spill_reader *reader, struct err *err)
{
	while (!reader->left) {
		if (reader->block == reader->end)
			return NULL;
		begin_block(reader);
	}
	if (reader->used - reader->taken < ITEM_MOST && !fill(reader, err))
		return NULL;
	for (size_t k = 0; k < reader->spill->words; k++)
		reader->item[k] += unfolded(take_word(reader));
	reader->left--;
	return reader->item;
}

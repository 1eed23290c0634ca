#include "perffile/session/simpleperf.h"

#include "perffile/session/features.h"
#include "perffile/session/storednames.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdlib.h>

#define SYMBOL_SIZE_MIN 13 /* bytes: u64, u32, an empty name */

static void read_symbols(struct recorded_file *file, struct cursor *c, struct arena *arena)
{
	uint32_t count = cur_u32(c);
	struct recorded_symbol *symbols;

	if (!cur_fits(c, count, SYMBOL_SIZE_MIN, "entries") || count == 0)
		return;
	symbols = arena_alloc(arena, count * sizeof(*symbols), c->err);
	for (uint32_t i = 0; symbols && i < count && c->err->code == ERR_NONE; i++) {
		symbols[i].start = cur_u64(c);
		symbols[i].length = cur_u32(c);
		symbols[i].name = cur_string(c);
	}
	file->symbols = symbols;
	file->symbol_count = count;
}

/* Reads one file; anything that a later simpleperf appends is skipped. */
static bool decode_file(struct recorded_file *file, struct cursor *c, struct arena *arena)
{
	uint32_t size = cur_u32(c);
	struct cursor rest = cur_sub(c, size, c->name);

	*file = (struct recorded_file){ 0 };
	file->path = cur_string(&rest);
	file->type = cur_u32(&rest);
	file->min_addr = cur_u64(&rest);
	read_symbols(file, &rest, arena);
	if ((file->type == RECORDED_ELF || file->type == RECORDED_KERNEL_MODULE) &&
	    c->err->code == ERR_NONE && cur_left(&rest) >= 8) {
		file->min_offset = cur_u64(&rest);
		file->has_min_offset = true;
	}
	return c->err->code == ERR_NONE;
}

/* A field of a protocol buffer: its number, and its value or its bytes. */
struct field {
	uint64_t number, value;
	struct cursor bytes;
};

#define VARINT_BITS 64
#define WIRE_BITS 3
enum wire_type { WIRE_VARINT, WIRE_64, WIRE_BYTES, WIRE_32 = 5 };

static uint64_t take_varint(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < VARINT_BITS; shift += 7) {
		uint8_t byte = cur_u8(c);

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	err_at(c->err, ERR_FORMAT, c->offset, "%s: a number of more than 64 bits", c->name);
	return 0;
}

/* Reads the next field; false at the end, and at damage. */
static bool take_field(struct cursor *c, struct field *field)
{
	uint64_t tag, size;

	*field = (struct field){ 0 };
	if (!cur_left(c) || c->err->code != ERR_NONE)
		return false;
	tag = take_varint(c);
	field->number = tag >> WIRE_BITS;
	switch (tag & ((1 << WIRE_BITS) - 1)) {
	case WIRE_VARINT:
		field->value = take_varint(c);
		break;
	case WIRE_64:
		field->value = cur_u64(c);
		break;
	case WIRE_32:
		field->value = cur_u32(c);
		break;
	case WIRE_BYTES:
		size = take_varint(c);
		if (size > cur_left(c))
			return err_at(c->err, ERR_FORMAT, c->offset,
			              "%s: a field of %" PRIu64 " bytes, of which %zu are there",
			              c->name, size, cur_left(c));
		field->bytes = cur_sub(c, (size_t)size, c->name);
		break;
	default:
		return err_at(c->err, ERR_FORMAT, c->offset, "%s: a field of an unknown kind",
		              c->name);
	}
	return c->err->code == ERR_NONE;
}

/* A copy of the field's bytes as a text. */
static const char *keep_text(const struct field *field, struct arena *arena, struct err *err)
{
	const char *bytes = field->bytes.pos ? (const char *)field->bytes.pos : "";
	const char *text = arena_text(arena, bytes, cur_left(&field->bytes), err);

	return text ? text : "";
}

/* Reads one symbol of FILE2. */
static struct recorded_symbol read_symbol2(struct field *outer, struct arena *arena)
{
	struct recorded_symbol symbol = { .name = "" };
	struct field field;

	while (take_field(&outer->bytes, &field)) {
		if (field.number == 1)
			symbol.start = field.value;
		else if (field.number == 2)
			symbol.length = (uint32_t)u64_min(field.value, UINT32_MAX);
		else if (field.number == 3)
			symbol.name = keep_text(&field, arena, outer->bytes.err);
	}
	return symbol;
}

/* Counts the fields with that number, and checks whether all fields can be read. */
static size_t count_fields(struct cursor c, uint64_t number)
{
	struct field field;
	size_t count = 0;

	while (take_field(&c, &field))
		count += field.number == number;
	return count;
}

enum file2_field {
	FILE2_PATH = 1,
	FILE2_TYPE,
	FILE2_MIN_ADDR,
	FILE2_SYMBOL,
	FILE2_ELF = 6,
	FILE2_MODULE
};

static void read_min_offset(struct recorded_file *file, struct cursor *c)
{
	struct field field;

	file->has_min_offset = true;
	while (take_field(c, &field))
		if (field.number == 1)
			file->min_offset = field.value;
}

/* Reads one file of FILE2. */
static bool decode_file2(struct recorded_file *file, struct cursor *c, struct arena *arena)
{
	uint32_t size = cur_u32(c);
	struct cursor rest = cur_sub(c, size, c->name);
	size_t count = count_fields(rest, FILE2_SYMBOL);
	struct recorded_symbol *symbols = NULL;
	struct field field;

	*file = (struct recorded_file){ .path = "" };
	if (count && c->err->code == ERR_NONE)
		symbols = arena_alloc(arena, count * sizeof(*symbols), c->err);
	file->symbols = symbols;
	while (take_field(&rest, &field)) {
		switch (field.number) {
		case FILE2_PATH:
			file->path = keep_text(&field, arena, c->err);
			break;
		case FILE2_TYPE:
			file->type = (uint32_t)u64_min(field.value, RECORDED_UNKNOWN);
			break;
		case FILE2_MIN_ADDR:
			file->min_addr = field.value;
			break;
		case FILE2_SYMBOL:
			if (symbols)
				symbols[file->symbol_count++] = read_symbol2(&field, arena);
			break;
		case FILE2_ELF:
		case FILE2_MODULE:
			read_min_offset(file, &field.bytes);
			break;
		default:
			break;
		}
	}
	return c->err->code == ERR_NONE;
}

typedef bool file_decoder(struct recorded_file *file, struct cursor *c, struct arena *arena);

struct file_list {
	struct recorded_file *items;
	size_t count, capacity;
};

/* Appends the files of one feature. False with err set only when memory or the system refuses. */
static bool read_feature(struct session *session, unsigned number, file_decoder *decode,
                         struct file_list *list, struct err *err)
{
	struct err broken;
	struct cursor c;

	if (feature_open(session, number, &c, &broken))
		while (cur_left(&c) && broken.code == ERR_NONE &&
		       vec_room(&list->items, list->count, &list->capacity, sizeof(*list->items),
		                &broken))
			list->count += decode(&list->items[list->count], &c, &session->arena);
	return feature_finish(session, &broken, err);
}

/*
 * Appends the files of the records DSO, with their symbols, which are counted first. False with err
 * set when memory is refused.
 */
static bool add_stored_files(struct session *session, struct recorded_file *files, struct err *err)
{
	const struct stored_names *names = session->stored_names;
	struct recorded_symbol *symbols = arena_alloc(
		&session->arena, (names->symbols.count + 1) * sizeof(*symbols), err);
	size_t *ends = calloc(names->files.count + 1, sizeof(*ends)), count = 0;
	struct map by_id = { 0 }; /* -> number of the file */

	if (!ends)
		err_nomem(err, names->files.count * sizeof(*ends));
	for (const struct stored_name *s = names->files.first; s && err->code == ERR_NONE;
	     s = s->next) {
		files[count] = (struct recorded_file){
			.path = s->text,
			.type = (uint32_t)u64_min(s->words[STORED_TYPE], RECORDED_UNKNOWN),
			.min_addr = s->words[STORED_MIN_ADDR],
		};
		if (map_get(&by_id, s->words[STORED_ID]) == MAP_NONE)
			map_put(&by_id, s->words[STORED_ID], (uint32_t)count, err);
		count++;
	}
	for (const struct stored_name *s = names->symbols.first; s && err->code == ERR_NONE;
	     s = s->next) {
		uint32_t file = map_get(&by_id, s->words[STORED_DSO]);

		if (file != MAP_NONE)
			files[file].symbol_count++;
	}
	for (size_t i = 0, next = 0; i < count && err->code == ERR_NONE; i++) {
		files[i].symbols = symbols + next;
		ends[i] = next;
		next += files[i].symbol_count;
	}
	for (const struct stored_name *s = names->symbols.first; s && err->code == ERR_NONE;
	     s = s->next) {
		uint32_t file = map_get(&by_id, s->words[STORED_DSO]);

		if (file != MAP_NONE)
			symbols[ends[file]++] = (struct recorded_symbol){
				.start = s->words[STORED_START],
				.length = (uint32_t)u64_min(s->words[STORED_LENGTH], UINT32_MAX),
				.name = s->text,
			};
	}
	free(ends);
	map_release(&by_id);
	return err->code == ERR_NONE;
}

bool session_recorded_files(struct session *session, const struct recorded_file **files,
                            size_t *count, struct err *err)
{
	struct file_list list = { .items = NULL };
	const size_t stored = session->stored_names ? session->stored_names->files.count : 0;
	struct recorded_file *kept = NULL;
	bool ok;

	ok = read_feature(session, PERF_FEATURE_FILE, decode_file, &list, err) &&
	     read_feature(session, PERF_FEATURE_FILE2, decode_file2, &list, err);
	if (ok && list.count + stored) {
		kept = arena_alloc(&session->arena, (list.count + stored) * sizeof(*kept), err);
		ok = kept != NULL;
	}
	if (kept && list.count)
		memcpy(kept, list.items, list.count * sizeof(*kept));
	if (kept && stored)
		ok = add_stored_files(session, kept + list.count, err);
	*count = kept ? list.count + stored : 0;
	*files = kept;
	free(list.items);
	return ok;
}

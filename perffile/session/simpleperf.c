#include "perffile/session/simpleperf.h"

#include "perffile/session/features.h"
#include "util/vec.h"

#include <inttypes.h>

#define SYMBOL_SIZE_MIN 13 /* bytes: u64, u32, an empty name */

static void read_symbols(struct recorded_file *file, struct cursor *c, struct arena *arena)
{
	uint32_t count = cur_u32(c);
	struct recorded_symbol **end = &file->symbols, *symbol;

	if (!cur_fits(c, count, SYMBOL_SIZE_MIN, "entries"))
		return;
	for (; file->symbol_count < count && c->err->code == ERR_NONE; file->symbol_count++) {
		*end = symbol = arena_alloc(arena, sizeof(*symbol), c->err);
		if (!symbol)
			return;
		symbol->start = cur_u64(c);
		symbol->length = cur_u32(c);
		symbol->name = cur_string(c);
		end = &symbol->next;
	}
}

/* Reads one file of FILE; anything that a later simpleperf appends is skipped. */
static void decode_file(struct recorded_file *file, struct cursor c, struct arena *arena)
{
	file->path = cur_string(&c);
	file->type = cur_u32(&c);
	file->min_addr = cur_u64(&c);
	read_symbols(file, &c, arena);
	if ((file->type == RECORDED_ELF || file->type == RECORDED_KERNEL_MODULE) &&
	    c.err->code == ERR_NONE && cur_left(&c) >= 8) {
		file->min_offset = cur_u64(&c);
		file->has_min_offset = true;
	}
}

/* A field of a protocol buffer: its number, and its value or its bytes. */
struct wire_field {
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
static bool take_field(struct cursor *c, struct wire_field *field)
{
	uint64_t tag, size;

	*field = (struct wire_field){ 0 };
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
static const char *keep_text(const struct wire_field *field, struct arena *arena, struct err *err)
{
	const char *bytes = field->bytes.pos ? (const char *)field->bytes.pos : "";
	const char *text = arena_text(arena, bytes, cur_left(&field->bytes), err);

	return text ? text : "";
}

/* Reads one symbol of FILE2. */
static void read_symbol2(struct recorded_symbol *symbol, struct cursor *c, struct arena *arena)
{
	struct wire_field field;

	symbol->name = "";
	while (take_field(c, &field)) {
		if (field.number == 1)
			symbol->start = field.value;
		else if (field.number == 2)
			symbol->length = (uint32_t)u64_min(field.value, UINT32_MAX);
		else if (field.number == 3)
			symbol->name = keep_text(&field, arena, c->err);
	}
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
	struct wire_field field;

	file->has_min_offset = true;
	while (take_field(c, &field))
		if (field.number == 1)
			file->min_offset = field.value;
}

/* Reads one file of FILE2. */
static void decode_file2(struct recorded_file *file, struct cursor c, struct arena *arena)
{
	struct recorded_symbol **end = &file->symbols;
	struct wire_field field;

	file->path = "";
	while (take_field(&c, &field)) {
		switch (field.number) {
		case FILE2_PATH:
			file->path = keep_text(&field, arena, c.err);
			break;
		case FILE2_TYPE:
			file->type = (uint32_t)u64_min(field.value, RECORDED_UNKNOWN);
			break;
		case FILE2_MIN_ADDR:
			file->min_addr = field.value;
			break;
		case FILE2_SYMBOL:
			*end = arena_alloc(arena, sizeof(**end), c.err);
			if (!*end)
				return;
			read_symbol2(*end, &field.bytes, arena);
			end = &(*end)->next;
			file->symbol_count++;
			break;
		case FILE2_ELF:
		case FILE2_MODULE:
			read_min_offset(file, &field.bytes);
			break;
		default:
			break;
		}
	}
}

typedef void file_decoder(struct recorded_file *file, struct cursor c, struct arena *arena);

/*
 * Appends the files of one feature; returns the new end of the list. err is set only when memory or
 * the system refuses.
 */
static struct recorded_file **read_feature(struct session *session, unsigned number,
                                           file_decoder *decode, struct recorded_file **end,
                                           struct err *err)
{
	struct recorded_file *file;
	struct err broken;
	struct cursor c;

	if (feature_open(session, number, &c, &broken))
		while (cur_left(&c) &&
		       (file = arena_alloc(&session->arena, sizeof(*file), &broken))) {
			uint32_t size = cur_u32(&c);

			decode(file, cur_sub(&c, size, c.name), &session->arena);
			if (broken.code != ERR_NONE)
				break;
			*end = file;
			end = &file->next;
		}
	feature_finish(session, number, &broken, err);
	return end;
}

/* Gives the symbols of records to their files: of files with the same id to the first one. */
static void give_symbols(struct session *session, struct stored_names *names, struct err *err)
{
	struct recorded_file **files = arena_alloc(&session->arena,
	                                           names->file_count * sizeof(*files), err);
	struct map by_id = { 0 }; /* -> index in files */
	uint32_t count = 0;

	for (struct recorded_file *f = names->files; f && err->code == ERR_NONE; f = f->next)
		if (map_number(&by_id, f->id, err) == count)
			files[count++] = f;
	for (; names->symbols && err->code == ERR_NONE; names->symbols = names->symbols->next) {
		struct recorded_symbol *symbol = &names->symbols->symbol;
		uint32_t number = map_get(&by_id, names->symbols->file_id);

		if (number == MAP_NONE)
			continue;
		symbol->next = files[number]->symbols;
		files[number]->symbols = symbol;
		files[number]->symbol_count++;
	}
	map_release(&by_id);
}

struct recorded_file *session_recorded_files(struct session *session, struct err *err)
{
	struct stored_names *names = &session->stored_names;
	struct recorded_file **end = &session->recorded_files;

	if (session->recorded_files_loaded)
		return session->recorded_files;
	session->recorded_files_loaded = true;
	end = read_feature(session, PERF_FEATURE_FILE, decode_file, end, err);
	end = read_feature(session, PERF_FEATURE_FILE2, decode_file2, end, err);
	if (names->files) {
		give_symbols(session, names, err);
		*end = names->files;
	}
	return session->recorded_files;
}

/* A copy of the text that a record ends with. */
static const char *last_text(struct session *session, struct cursor c)
{
	size_t length;
	const char *text = cur_text(&c, cur_left(&c), &length);

	return arena_text(&session->arena, text, length, c.err);
}

static void keep_file(struct session *session, struct cursor c)
{
	struct stored_names *names = &session->stored_names;
	struct recorded_file *file = arena_alloc(&session->arena, sizeof(*file), c.err);

	if (!file)
		return;
	file->type = (uint32_t)u64_min(cur_u64(&c), RECORDED_UNKNOWN);
	file->id = cur_u64(&c);
	file->min_addr = cur_u64(&c);
	file->path = last_text(session, c);
	if (c.err->code != ERR_NONE)
		return;
	*names->files_end = file;
	names->files_end = &file->next;
	names->file_count++;
}

static void keep_symbol(struct session *session, struct cursor c)
{
	struct stored_names *names = &session->stored_names;
	struct stored_symbol *stored = arena_alloc(&session->arena, sizeof(*stored), c.err);

	if (!stored)
		return;
	stored->symbol.start = cur_u64(&c);
	stored->symbol.length = (uint32_t)u64_min(cur_u64(&c), UINT32_MAX);
	stored->file_id = cur_u64(&c);
	stored->symbol.name = last_text(session, c);
	if (c.err->code != ERR_NONE)
		return;
	stored->next = names->symbols;
	names->symbols = stored;
}

/* Only the first list is used. */
static void keep_kernel_list(struct session *session, struct cursor c)
{
	struct stored_names *names = &session->stored_names;
	uint32_t size = cur_u32(&c);
	const uint8_t *text = cur_take(&c, size);

	if (!text || !size || names->kernel_list)
		return;
	names->kernel_list = arena_text(&session->arena, (const char *)text, size, c.err);
	names->kernel_list_size = size;
}

/* A part of a record that is not whole yet. */
static void keep_part(struct session *session, struct cursor c)
{
	const size_t size = cur_left(&c);

	if (!vec_reserve(&session->split, session->split_size + size, &session->split_capacity, 1,
	                 c.err))
		return;
	memcpy(session->split + session->split_size, c.pos, size);
	session->split_size += size;
}

/* Handles the record that the parts are of. Its header is not believed: its size may be larger. */
static void join_parts(struct session *session, struct cursor c)
{
	const size_t size = session->split_size;
	uint32_t type;

	session->split_size = 0;
	if (size < PERF_RECORD_HEADER_SIZE) {
		err_at(c.err, ERR_FORMAT, c.offset, "%s: its parts are no record", c.name);
		return;
	}
	c = cursor_over(session->split, size, c.offset, "SIMPLEPERF_SPLIT record", session->swap,
	                c.err);
	type = cur_u32(&c);
	cur_take(&c, PERF_RECORD_HEADER_SIZE - 4);
	if (type != SIMPLEPERF_RECORD_SPLIT && type != SIMPLEPERF_RECORD_SPLIT_END)
		stored_names_record(session, type, c);
}

void stored_names_record(struct session *session, uint32_t type, struct cursor c)
{
	static void (*const readers[])(struct session *, struct cursor) = {
		[SIMPLEPERF_RECORD_KERNEL_SYMBOL - SIMPLEPERF_RECORD_START] = keep_kernel_list,
		[SIMPLEPERF_RECORD_DSO - SIMPLEPERF_RECORD_START] = keep_file,
		[SIMPLEPERF_RECORD_SYMBOL - SIMPLEPERF_RECORD_START] = keep_symbol,
		[SIMPLEPERF_RECORD_SPLIT - SIMPLEPERF_RECORD_START] = keep_part,
		[SIMPLEPERF_RECORD_SPLIT_END - SIMPLEPERF_RECORD_START] = join_parts,
	};
	const uint32_t number = type - SIMPLEPERF_RECORD_START;

	if (number >= ARRAY_SIZE(readers))
		return;
	session->stored_names.any = true;
	readers[number](session, c);
}

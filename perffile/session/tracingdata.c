#include "perffile/session/tracingdata.h"

#include "perffile/session/features.h"
#include "util/digits.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC "\x17\x08\x44tracing"
#define MAGIC_SIZE 10
#define VERSION_WITH_COMMANDS 0.6
#define TEXT_SIZE_MIN 8  /* bytes: a format has at least the u64 of its size */
#define ID_DIGITS_MAX 19 /* so many decimal digits always fit into 64 bits */

/* The rest of the line that starts with key, or NULL; *length in bytes. */
static const char *line_value(const char *text, size_t size, const char *key, size_t *length)
{
	size_t key_size = strlen(key);

	while (size) {
		const char *end = memchr(text, '\n', size);
		size_t line = end ? (size_t)(end - text) : size;

		if (line >= key_size && memcmp(text, key, key_size) == 0) {
			const char *value = text + key_size;

			*length = line - key_size;
			for (; *length && *value == ' '; ++value)
				--*length;
			return value;
		}
		text += end ? line + 1 : line;
		size -= end ? line + 1 : line;
	}
	return NULL;
}

static bool parse_id(const char *text, size_t length, uint64_t *id)
{
	size_t digits = 0;

	*id = 0;
	while (digits < length && digits < ID_DIGITS_MAX && is_digit(text[digits]))
		*id = *id * 10 + (uint64_t)(text[digits++] - '0');
	return digits > 0;
}

/* Adds one format. A text without a name or an id is skipped. */
static bool add_format(struct tracing_data *tracing, const char *system, const char *text,
                       size_t size, struct arena *arena, struct err *err)
{
	size_t system_length = strnlen(system, EVENT_FOLDER_MOST), name_length = 0, id_length = 0;
	const char *name = line_value(text, size, "name:", &name_length);
	const char *id = line_value(text, size, "ID:", &id_length);
	uint64_t number;
	const char *format, *known;
	char *full;

	if (!name || !id || !name_length || !parse_id(id, id_length, &number))
		return true;
	full = arena_alloc(arena, system_length + name_length + 2, err);
	format = arena_text(arena, text, size, err);
	if (!full || !format)
		return false;
	known = numbered_names_find(&tracing->formats, number);
	if (known && strcmp(known, format) != 0) {
		if (!tracing->doubled++)
			tracing->doubled_id = number;
		format = "";
	}
	memcpy(full, system, system_length);
	full[system_length] = ':';
	memcpy(full + system_length + 1, name, name_length);
	return numbered_names_add(&tracing->tracepoints, number, full, err) &&
	       numbered_names_add(&tracing->formats, number, format, err);
}

static bool read_formats(struct tracing_data *tracing, struct cursor *c, const char *system,
                         struct arena *arena)
{
	uint32_t count = cur_u32(c);

	if (!cur_fits(c, count, TEXT_SIZE_MIN, "entries"))
		return false;
	for (uint32_t i = 0; i < count && c->err->code == ERR_NONE; i++) {
		uint64_t size = cur_u64(c);
		const uint8_t *text = cur_take(c, size);

		if (text &&
		    !add_format(tracing, system, (const char *)text, (size_t)size, arena, c->err))
			return false;
	}
	return c->err->code == ERR_NONE;
}

/* Skips "header_page" or "header_event": a name, a size and a text that is not used. */
static void skip_header_text(struct cursor *c)
{
	cur_string(c);
	cur_take(c, cur_u64(c));
}

static void read_body(struct tracing_data *tracing, struct cursor *c, struct arena *arena)
{
	uint32_t systems, size;

	tracing->long_size = cur_u8(c) == 4 ? 4 : 8;
	cur_u32(c); /* size of a page */
	skip_header_text(c);
	skip_header_text(c);
	if (!read_formats(tracing, c, "ftrace", arena))
		return;
	systems = cur_u32(c);
	for (uint32_t i = 0; i < systems && c->err->code == ERR_NONE; i++) {
		const char *system = cur_string(c);

		if (!read_formats(tracing, c, system, arena))
			return;
	}
	size = cur_u32(c);
	tracing->kallsyms = (const char *)cur_take(c, size);
	tracing->kallsyms_size = tracing->kallsyms ? size : 0;
	if (!size)
		tracing->kallsyms = NULL;
	size = cur_u32(c);
	tracing->printk = size ? (const char *)cur_take(c, size) : NULL;
	tracing->printk_size = tracing->printk ? size : 0;
	if (strtod(tracing->version, NULL) >= VERSION_WITH_COMMANDS)
		cur_take(c, cur_u64(c)); /* names of processes */
}

bool tracing_data_parse(struct tracing_data *tracing, struct cursor c, struct arena *arena)
{
	const uint64_t offset = c.offset;
	const uint8_t *magic;

	memset(tracing, 0, sizeof(*tracing));
	c.name = "tracing data";
	magic = cur_take(&c, MAGIC_SIZE);
	if (!magic)
		return false;
	if (memcmp(magic, MAGIC, MAGIC_SIZE) != 0)
		return err_at(c.err, ERR_FORMAT, offset,
		              "%s: it does not start with its magic bytes", c.name);
	tracing->version = cur_string(&c);
	tracing->swap = c.swap = must_swap(cur_u8(&c) == 1);
	read_body(tracing, &c, arena);
	return c.err->code == ERR_NONE;
}

void tracing_data_release(struct tracing_data *tracing)
{
	numbered_names_release(&tracing->tracepoints);
	numbered_names_release(&tracing->formats);
	memset(tracing, 0, sizeof(*tracing));
}

bool session_tracing_data(struct session *session, struct tracing_data *tracing, struct err *err)
{
	struct err broken = { .code = ERR_NONE };
	struct cursor c = cursor_over(session->tracing_bytes, session->tracing_size,
	                              session->tracing_offset, "tracing data", false, &broken);

	memset(tracing, 0, sizeof(*tracing));
	if (session->tracing_bytes ? cur_left(&c) > 0
	                           : feature_open(session, PERF_FEATURE_TRACING_DATA, &c, &broken))
		tracing_data_parse(tracing, c, &session->arena);
	return feature_finish(session, PERF_FEATURE_TRACING_DATA, &broken, err);
}

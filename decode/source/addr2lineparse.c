#include "decode/source/addr2lineparse.h"

#include "util/digits.h"
#include "util/path.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* Larger than in any real answer: longer lines and deeper inlining are nonsense. */
enum { LINE_MAX_SIZE = 1 << 24, FRAMES_MAX = 4096 };

void parser_release(struct answer_parser *parser)
{
	free(parser->line);
	*parser = (struct answer_parser){ 0 };
}

/* The length without " (discriminator N)" at the end. */
static size_t without_discriminator(const char *text, size_t length)
{
	static const char start[] = " (discriminator ";
	const size_t size = strlen(start);
	size_t digits;

	if (!length || text[length - 1] != ')')
		return length;
	digits = length - 1;
	while (digits && is_digit(text[digits - 1]))
		digits--;
	if (digits == length - 1 || digits < size || memcmp(text + digits - size, start, size) != 0)
		return length;
	return digits - size;
}

size_t place_split(const char *text, size_t length, uint32_t *line)
{
	size_t colon = length = without_discriminator(text, length), digit;
	uint64_t value = 0;

	*line = 0;
	while (colon && text[colon - 1] != ':')
		colon--;
	if (!colon)
		return 0;
	digit = colon;
	while (digit < length && is_digit(text[digit]))
		value = u64_min(value * 10 + (uint64_t)(text[digit++] - '0'), UINT32_MAX);
	if (digit == length && length > colon)
		*line = (uint32_t)value;
	else if (length - colon != 1 || text[colon] != '?')
		return 0;
	length = colon - 1;
	if (length == 2 && memcmp(text, "??", 2) == 0)
		return 0;
	/* a bare name without a line comes from the symbol table, not from debug information */
	if (!*line && !memchr(text, '/', length))
		return 0;
	return length;
}

static bool is_addr(const char *text, size_t length, uint64_t addr)
{
	uint64_t value;

	return parse_hex(text, length, &value) && value == addr;
}

/* Stores a complete frame of the current address. */
static bool add_answer(struct answer_parser *parser, uint32_t file, uint32_t line, struct err *err)
{
	const size_t number = parser->begun - 1;
	struct source_query *query = parser->query;
	struct source_frame *frame;
	struct source_addr *addr;

	if (parser->frames++ == 0)
		parser->answered++;
	if (number < query->function_count) {
		query->functions[number].file = file;
		return true;
	}
	addr = &query->addrs[number - query->function_count];
	if (parser->frames == 1) {
		addr->file = file;
		addr->line = line;
		addr->frame = (uint32_t)query->frame_count;
	}
	/* if nothing is known, it is no frame */
	if (!query->inlines || (!file && !line && parser->frames == 1))
		return true;
	addr->frame_count++;
	frame = source_frame_add(query, err);
	if (frame)
		*frame = (struct source_frame){ parser->function, file, file, line };
	return frame != NULL;
}

static uint32_t put_file(struct strings *strings, const char *text, size_t length, struct err *err)
{
	char *name = path_format(err, "%.*s", (int)length, text);
	uint32_t file = name ? source_path_put(strings, NULL, NULL, name, err) : STRING_NONE;

	free(name);
	return file;
}

static bool read_answer_line(struct answer_parser *parser, const char *text, size_t length,
                             struct err *err)
{
	uint32_t line, file = STRING_EMPTY;

	/*
	 * After a complete frame comes another one, or the next address. The address may also come
	 * too early, if a name contains a line end.
	 */
	if (parser->begun < answers_wanted(parser->query) &&
	    is_addr(text, length, answer_addr(parser->query, parser->begun))) {
		parser->begun++;
		parser->frames = 0;
		parser->in_frame = false;
		return true;
	}
	if (!parser->begun) {
		parser->nonsense = true;
		return true;
	}
	parser->in_frame = !parser->in_frame;
	if (parser->in_frame) {
		parser->nonsense = parser->frames > FRAMES_MAX;
		if (length == 2 && memcmp(text, "??", 2) == 0)
			length = 0;
		parser->function = strings_put(parser->query->strings, text, length, err);
		return parser->function != STRING_NONE;
	}
	length = place_split(text, length, &line);
	if (length)
		file = put_file(parser->query->strings, text, length, err);
	return file != STRING_NONE && add_answer(parser, file, file ? line : 0, err);
}

static bool append_to_line(struct answer_parser *parser, const char *data, size_t size,
                           struct err *err)
{
	if (size > LINE_MAX_SIZE - parser->length) {
		parser->nonsense = true;
		return true;
	}
	if (!vec_reserve(&parser->line, parser->length + size, &parser->capacity, 1, err))
		return false;
	memcpy(parser->line + parser->length, data, size);
	parser->length += size;
	return true;
}

bool parser_feed(struct answer_parser *parser, const char *data, size_t size, struct err *err)
{
	while (size && !parser->nonsense) {
		const char *end = memchr(data, '\n', size);
		size_t part = end ? (size_t)(end - data) : size;

		/* everywhere else a text ends at a NUL */
		if (memchr(data, 0, part))
			parser->nonsense = true;
		else if (!append_to_line(parser, data, part, err))
			return false;
		else if (end && !parser_finish(parser, err))
			return false;
		data += part + (end ? 1 : 0);
		size -= part + (end ? 1 : 0);
	}
	return true;
}

bool parser_finish(struct answer_parser *parser, struct err *err)
{
	size_t length = parser->length;

	parser->length = 0;
	if (!length || parser->nonsense)
		return true;
	return read_answer_line(parser, parser->line, length, err);
}

#include "decode/code/objdumpparse.h"

#include "decode/code/target.h"
#include "util/digits.h"
#include "util/text.h"
#include "util/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Reads hex digits in lower case; *text is moved behind them. False if there are none, or too many.
 */
static bool take_hex(const char **text, uint64_t *value)
{
	const char *at = *text;

	*value = 0;
	for (; hex_digit(*at) >= 0; at++)
		*value = *value << 4 | (uint64_t)hex_digit(*at);
	if (at == *text || at - *text > 16)
		return false;
	*text = at;
	return true;
}

/* Removes the name at " <" of a line, if it belongs to an address; puts 0x before that. */
static char *drop_name(char *text, char *name)
{
	char *start = name, *end = strchr(name, '>');
	uint64_t value;
	const char *at;

	while (start > text && hex_digit(start[-1]) >= 0)
		start--;
	at = start;
	if (!end || !take_hex(&at, &value) || at != name)
		return name + 1;
	memmove(name, end + 1, strlen(end + 1) + 1);
	if (start > text && !is_blank(start[-1]) && start[-1] != ',' && start[-1] != '(')
		return name; /* it has 0x */
	/* what was removed is longer */
	memmove(start + 2, start, strlen(start) + 1);
	memcpy(start, "0x", 2);
	return name + 2;
}

/*
 * Without symbols objdump prints an address as 0x13318; llvm-objdump, and objdump for ARM, add a
 * name, which is that of a section or a mark here, and objdump leaves 0x out before it. A remark
 * may follow: "b.ne 13318 <f0+0x18>  // b.any", "ldr r7, [pc, #52] @ (13318 <f0+0x18>)".
 */
static void drop_names(char *text)
{
	char *name = text;

	while ((name = strstr(name, " <")))
		name = drop_name(text, name);
}

/* Tabs become blanks, as each program puts them elsewhere; what follows the last word goes. */
static void clean_text(char *text)
{
	/* llvm-objdump's remark on branches of ARM */
	char *remark = strstr(text, "@ imm = ");
	size_t length;

	if (remark)
		*remark = '\0';

	for (char *c = text; *c; c++)
		if (*c == '\t')
			*c = ' ';
	length = strlen(text);
	while (length && (is_blank(text[length - 1]) || text[length - 1] == '\r'))
		length--;
	text[length] = '\0';
	drop_names(text);
}

/* "Disassembly of section f12:" */
static bool take_section(struct objdump_parser *parser, const char *line)
{
	static const char start[] = "Disassembly of section f";
	char *end;
	unsigned long long number;

	if (!text_starts(line, start))
		return false;
	line += sizeof(start) - 1;
	parser->current = NULL;
	if (!is_digit(*line))
		return true;
	number = strtoull(line, &end, 10);
	/* sections come in their order, so a number that does not rise is nonsense */
	if (*end != ':' || number < parser->first || number >= parser->count ||
	    number + 1 <= parser->begun)
		return true;
	parser->begun = (size_t)number + 1;
	parser->current = &parser->functions[number];
	return true;
}

static bool put_instruction(struct objdump_parser *parser, uint64_t addr, char *text,
                            struct err *err)
{
	struct code_function *function = parser->current;
	struct code_instruction found = { .addr = addr };

	if (addr - function->addr >= function->size ||
	    (function->count && addr <= function->instructions[function->count - 1].addr))
		return true;
	clean_text(text);
	found.has_target = code_direct_target(parser->machine, text, &found.target);
	found.text = strings_put_text(parser->strings, text, err);
	return found.text != STRING_NONE &&
	       vec_append(&function->instructions, &function->count, &function->capacity, &found,
	                  sizeof(found), err);
}

/* What programs print to their standard error if they do not know the machine. */
static bool says_unable(const char *line)
{
	static const char *const texts[] = { "can't disassemble", "not recognized",
		                             "unable to get target", "unrecognized" };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (strstr(line, texts[i]))
			return true;
	return false;
}

static bool take_line(struct objdump_parser *parser, char *line, struct err *err)
{
	const char *at = line;
	uint64_t addr;

	while (is_blank(*at))
		at++;
	if (parser->current && take_hex(&at, &addr) && *at == ':') {
		at += 1 + strspn(at + 1, " ");
		if (*at != '\t')
			return true;
		at += strspn(at, " \t");
		return !*at || put_instruction(parser, addr, line + (at - line), err);
	}
	if (!take_section(parser, line) && says_unable(line))
		parser->unable = true;
	return true;
}

bool objdump_feed(struct objdump_parser *parser, const char *data, size_t size, struct err *err)
{
	for (size_t i = 0; i < size; i++) {
		if (data[i] != '\n') {
			/* a NUL in the text would hide the rest, so it does */
			if (parser->length < OBJDUMP_LINE_MOST - 64)
				parser->line[parser->length++] = data[i];
			continue;
		}
		parser->line[parser->length] = '\0';
		parser->length = 0;
		if (!take_line(parser, parser->line, err))
			return false;
	}
	return true;
}

#include "decode/intervals/schedletters.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LETTERS_MOST 63 /* bytes: longer texts are cut */

const struct value_names *sched_letters_todays(struct arena *arena, struct err *err)
{
	static const char text[] =
		"field:long prev_state;\toffset:0;\tsize:8;\tsigned:1;\n"
		"print fmt: \"%s%s\", REC->prev_state & 255 ? __print_flags(REC->prev_state & 255, \"|\", "
		"{ 1, \"S\" }, { 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"X\" }, { 32, \"Z\" }, "
		"{ 64, \"P\" }, { 128, \"I\" }) : \"R\", REC->prev_state & 256 ? \"+\" : \"\"\n";
	struct format format;

	return format_parse(&format, text, 8, arena, err) ? format.fields[0].names : NULL;
}

/* The state that the letters mean; of several, D counts first. */
static enum sched_state state_of(const char *text)
{
	return text[0] == '0'         ? SCHED_UNKNOWN /* no letter */
	       : strpbrk(text, "+")   ? SCHED_WAITING
	       : strpbrk(text, "D")   ? SCHED_BLOCKED
	       : strpbrk(text, "SIN") ? SCHED_SLEEPING
	       : strpbrk(text, "KW")  ? SCHED_BLOCKED
	       : strpbrk(text, "TtP") ? SCHED_STOPPED
	       : strpbrk(text, "XZx") ? SCHED_UNKNOWN
	       : strpbrk(text, "R")   ? SCHED_WAITING
	                              : SCHED_UNKNOWN;
}

bool sched_letters_leave(const struct value_names *names, uint64_t number,
                         struct sched_leave *leave, struct strings *strings, struct err *err)
{
	char text[VALUE_TEXT_SIZE];
	size_t length = value_names_text(names, number, 0, text);

	/* the print format has no word for it */
	if (!length)
		length = (size_t)snprintf(text, sizeof(text), "0x%" PRIx64, number);
	if (length > LETTERS_MOST)
		length = LETTERS_MOST;
	text[length] = '\0';
	leave->state = state_of(text);
	leave->ends = text[0] != '0' && leave->state == SCHED_UNKNOWN && strpbrk(text, "XZx");
	leave->letters = strings_put(strings, text, length, err);
	return leave->letters != STRING_NONE;
}

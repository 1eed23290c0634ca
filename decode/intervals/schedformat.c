#include "decode/intervals/schedformat.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	enum sched_tracepoint kind;
} tracepoints[] = {
	{ "sched:sched_switch", SCHED_TP_SWITCH },
	{ "sched:sched_waking", SCHED_TP_WAKING },
	{ "sched:sched_wakeup", SCHED_TP_WAKEUP },
	{ "sched:sched_wakeup_new", SCHED_TP_WAKEUP_NEW },
	{ "sched:sched_process_exec", SCHED_TP_EXEC },
};

static const char *const field_names[SCHED_FIELDS] = {
	[SCHED_COMMON_PID] = "common_pid",
	[SCHED_PREV_PID] = "prev_pid",
	[SCHED_PREV_STATE] = "prev_state",
	[SCHED_PREV_COMM] = "prev_comm",
	[SCHED_NEXT_PID] = "next_pid",
	[SCHED_NEXT_COMM] = "next_comm",
	[SCHED_PID] = "pid",
	[SCHED_COMM] = "comm",
	[SCHED_OLD_PID] = "old_pid",
};

/* Whether a declaration, such as "char comm[16]", which ends before `end`, is of this name. */
static bool declares(const char *start, const char *end, const char *name)
{
	const size_t length = strlen(name);
	const char *bracket = memchr(start, '[', (size_t)(end - start));

	if (bracket)
		end = bracket;
	return (size_t)(end - start) > length && memcmp(end - length, name, length) == 0 &&
	       (end[-(ptrdiff_t)length - 1] == ' ' || end[-(ptrdiff_t)length - 1] == '*');
}

/* The number behind a word of a field's line; 65535: there is none, or it is greater. */
static uint16_t number_after(const char *line, const char *end, const char *word)
{
	const char *at = strstr(line, word);
	unsigned long value;

	if (!at || at >= end)
		return UINT16_MAX;
	value = strtoul(at + strlen(word), NULL, 10);
	return value < UINT16_MAX ? (uint16_t)value : UINT16_MAX;
}

static struct sched_place place_of(const char *text, const char *name)
{
	static const char start[] = "field:";

	for (const char *line = text; (line = strstr(line, start));) {
		const char *end = strchr(line += sizeof(start) - 1, '\n');
		const char *semicolon = strchr(line, ';');

		if (!end || !semicolon || semicolon > end)
			continue;
		if (declares(line, semicolon, name)) {
			struct sched_place place = { number_after(line, end, "offset:"),
				                     number_after(line, end, "size:") };

			return place.offset == UINT16_MAX || place.size == UINT16_MAX
			               ? (struct sched_place){ 0 }
			               : place;
		}
	}
	return (struct sched_place){ 0 };
}

void sched_format_read(struct sched_format *format, const char *name, const char *text)
{
	*format = (struct sched_format){ .kind = SCHED_TP_OTHER };
	for (size_t i = 0; name && i < sizeof(tracepoints) / sizeof(*tracepoints); i++)
		if (strcmp(tracepoints[i].name, name) == 0)
			format->kind = tracepoints[i].kind;
	for (size_t i = 0; text && i < SCHED_FIELDS; i++)
		format->fields[i] = place_of(text, field_names[i]);
}

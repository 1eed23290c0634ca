#include "decode/intervals/schedformat.h"

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

void sched_format_make(struct sched_format *format, const struct event_format *known)
{
	*format = (struct sched_format){ .kind = SCHED_TP_OTHER };
	for (size_t i = 0; known->name && i < sizeof(tracepoints) / sizeof(*tracepoints); i++)
		if (strcmp(tracepoints[i].name, known->name) == 0)
			format->kind = tracepoints[i].kind;
	for (size_t i = 0; i < SCHED_FIELDS; i++)
		format->fields[i] = format_find(&known->format, field_names[i]);
}

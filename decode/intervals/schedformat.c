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

static const char *const pid_names[SCHED_PIDS] = {
	[SCHED_COMMON_PID] = "common_pid", [SCHED_PREV_PID] = "prev_pid",
	[SCHED_NEXT_PID] = "next_pid",     [SCHED_PID] = "pid",
	[SCHED_OLD_PID] = "old_pid",
};

static const char *const comm_names[SCHED_COMMS] = {
	[SCHED_PREV_COMM] = "prev_comm",
	[SCHED_NEXT_COMM] = "next_comm",
	[SCHED_COMM] = "comm",
};

static struct sched_place place_of(const struct field *field, bool is_there)
{
	const uint64_t end = is_there ? (uint64_t)field->offset + field->size : UINT32_MAX;

	return end < UINT32_MAX ? (struct sched_place){ field->offset, (uint32_t)end }
	                        : (struct sched_place){ 0, UINT32_MAX };
}

void sched_format_make(struct sched_format *format, const struct event_format *known)
{
	const struct field *field;

	*format = (struct sched_format){ .kind = SCHED_TP_OTHER };
	for (size_t i = 0; known->name && i < sizeof(tracepoints) / sizeof(*tracepoints); i++)
		if (strcmp(tracepoints[i].name, known->name) == 0)
			format->kind = tracepoints[i].kind;
	for (size_t i = 0; i < SCHED_PIDS; i++) {
		field = format_find(&known->format, pid_names[i]);
		format->pids[i] = place_of(field, field && field_is_number(field) &&
		                                          field->size == sizeof(uint32_t));
	}
	for (size_t i = 0; i < SCHED_COMMS; i++) {
		field = format_find(&known->format, comm_names[i]);
		format->comms[i] = field && field->kind == FIELD_TEXT ? field : NULL;
		format->names[i] = place_of(field, format->comms[i] && field->place == FIELD_HERE &&
		                                           field->size == SCHED_NAME_SIZE);
	}
	field = format_find(&known->format, "prev_state");
	format->state = field && field_is_number(field) ? field : NULL;
}

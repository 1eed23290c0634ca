#include "decode/tally/moments.h"

#include "util/vec.h"

#include <stdlib.h>

static bool moments_open(void *kept, const struct session *session, struct err *err)
{
	struct moments *moments = kept;

	moments->session = session;
	return strings_init(&moments->names, err);
}

static void moments_close(void *kept)
{
	struct moments *moments = kept;

	strings_release(&moments->names);
	free(moments->items);
}

static bool is_exec(const struct moments *moments, const struct record *record)
{
	return moments->session->comm_exec && record->misc & PERF_MISC_COMM_EXEC;
}

/* Makes a moment of the record; its name, if it has one, is not set. False: it is none. */
static bool moment_of_record(const struct moments *moments, const struct record *record,
                             struct moment *moment)
{
	*moment = (struct moment){ record->time, record->pid, record->tid, MOMENT_NAME, 0 };
	switch (record->type) {
	case PERF_RECORD_COMM:
		moment->kind = is_exec(moments, record) ? MOMENT_EXEC : MOMENT_NAME;
		return true;
	case PERF_RECORD_FORK:
		moment->kind = MOMENT_FORK;
		moment->what = (uint32_t)record->tid;
		moment->pid = record->task.ppid;
		moment->tid = record->task.ptid;
		return true;
	case PERF_RECORD_EXIT:
		moment->kind = MOMENT_EXIT;
		return true;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		moment->kind = MOMENT_LOST;
		moment->what = record->lost;
		if (!record->has_tid)
			moment->pid = moment->tid = -1;
		/* those that a BPF filter dropped on purpose are not lost */
		return record->lost && !(record->type == PERF_RECORD_LOST_SAMPLES &&
		                         record->misc & PERF_MISC_LOST_SAMPLES_BPF);
	default:
		return false;
	}
}

static bool add_record(void *context, const struct record *record, struct err *err)
{
	struct moments *moments = context;
	struct moment moment;

	if (record->damaged || record->time == TIME_NONE || !record->time ||
	    !moment_of_record(moments, record, &moment))
		return true;
	if (record->type == PERF_RECORD_COMM) {
		const uint32_t name = strings_put(&moments->names, record->comm.text,
		                                  record->comm.length, err);

		if (name == STRING_NONE)
			return false;
		moment.what = name;
	}
	return vec_append(&moments->items, &moments->count, &moments->capacity, &moment,
	                  sizeof(moment), err);
}

static struct record_handler moments_handler(void *kept)
{
	return (struct record_handler){ .context = kept,
		                        .any_sample_order = true,
		                        .record = add_record,
		                        .samples = samples_skip };
}

const struct collector moments_collector = {
	.size = sizeof(struct moments),
	.open = moments_open,
	.close = moments_close,
	.handler = moments_handler,
};

#include "perffile/overview/lastfile.h"

#include "perffile/input/input.h"
#include "perffile/session/features.h"

#include <string.h>

/* What the recorder's command line says about its threads. */
enum threads_option { THREADS_OF_CPUS, THREADS_OTHER, THREADS_NOT_KNOWN };

static enum threads_option threads_option(struct session *session, struct err *broken)
{
	static const char option[] = "--threads";
	const size_t length = strlen(option);
	struct cursor c;
	uint32_t count;

	if (!feature_open(session, PERF_FEATURE_CMDLINE, &c, broken))
		return THREADS_NOT_KNOWN;
	count = cur_u32(&c);
	for (uint32_t i = 0; i < count && broken->code == ERR_NONE; i++) {
		const char *text = feature_str(&c, &session->arena);

		if (!text || strncmp(text, option, length) != 0)
			continue;
		return !text[length] || !strcmp(text + length, "=cpu") ? THREADS_OF_CPUS
		                                                       : THREADS_OTHER;
	}
	return THREADS_NOT_KNOWN;
}

/* The CPUs that were recorded: an event has at least one id for each. */
static size_t count_cpus(struct session *session, struct err *broken)
{
	struct cursor c;
	size_t ids = 0;

	for (size_t i = 0; i < session->event_count; i++)
		if (session->events[i].id_count > ids)
			ids = session->events[i].id_count;
	if (!feature_open(session, PERF_FEATURE_NRCPUS, &c, broken))
		return 0;
	cur_u32(&c); /* of the machine; the next is of those that are online */
	return (size_t)u64_min(ids, cur_u32(&c));
}

bool last_file_init(struct last_file *last, struct session *session, struct err *err)
{
	const struct input *input = session->input;
	struct err broken = { 0 };
	struct cursor c;
	enum threads_option option;
	size_t cpus;

	*last = (struct last_file){ .found = 0 };
	/* a gap in the numbers was reported before */
	if (!input->directory || input->cut ||
	    !feature_open(session, PERF_FEATURE_DIR_FORMAT, &c, &broken))
		return broken.code != ERR_NOMEM || err_pass(err, &broken);
	last->found = input->file_count - 1;
	option = threads_option(session, &broken);
	cpus = broken.code == ERR_NOMEM ? 0 : count_cpus(session, &broken);
	last->expected = last->found ? last->found : 1;
	last->needs_cpus = option == THREADS_NOT_KNOWN && cpus > last->expected;
	if (option != THREADS_OTHER && cpus > last->expected)
		last->expected = cpus;
	return broken.code != ERR_NOMEM || err_pass(err, &broken);
}

static void note_cpu(struct last_file *last, int32_t cpu)
{
	if (cpu >= 0 && cpu < LAST_FILE_CPUS)
		last->recorded[cpu] = 1;
}

static bool note_record(void *context, const struct record *record, struct err *err)
{
	(void)err;
	note_cpu(context, record->cpu);
	return true;
}

static bool note_samples(void *context, const struct sample *samples, size_t count, struct err *err)
{
	(void)err;
	for (size_t i = 0; i < count; i++)
		note_cpu(context, samples[i].cpu);
	return true;
}

struct record_handler last_file_handler(struct last_file *last)
{
	return (struct record_handler){ .context = last,
		                        .any_sample_order = true,
		                        .any_order = true,
		                        .record = note_record,
		                        .samples = note_samples };
}

/*
 * Whether the records are as if each file had those of one CPU, and the others were missing. With
 * fewer threads than CPUs, all CPUs usually have records.
 */
static bool is_cpu_missing(const struct last_file *last)
{
	size_t recorded = 0;

	for (size_t cpu = 0; cpu < LAST_FILE_CPUS; cpu++)
		recorded += last->recorded[cpu];
	return last->found == 0 || (recorded && recorded <= last->found);
}

void last_file_check(const struct last_file *last, struct read_summary *summary, struct diag *diag)
{
	struct err damage = { 0 };

	if (last->expected == last->found || (last->needs_cpus && !is_cpu_missing(last)))
		return;
	if (last->expected == last->found + 1)
		err_set(&damage, ERR_FORMAT,
		        "expected a file data.%zu, found none: the records of its thread are missing",
		        last->found);
	else
		err_set(&damage, ERR_FORMAT,
		        "expected files data.%zu to data.%zu, found none of them: the records of "
		        "their threads are missing",
		        last->found, last->expected - 1);
	summary_broken(summary, diag, &damage);
}

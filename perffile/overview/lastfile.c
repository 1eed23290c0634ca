#include "perffile/overview/lastfile.h"

#include "perffile/input/input.h"
#include "perffile/session/features.h"

#include <string.h>

/* Whether the recorder was told to use a thread for each CPU. */
static bool has_thread_per_cpu(struct session *session, struct err *broken)
{
	static const char option[] = "--threads";
	const size_t length = strlen(option);
	struct cursor c;
	uint32_t count;

	if (!feature_open(session, PERF_FEATURE_CMDLINE, &c, broken))
		return false;
	count = cur_u32(&c);
	for (uint32_t i = 0; i < count && broken->code == ERR_NONE; i++) {
		const char *text = feature_str(&c, &session->arena);

		if (text && !strncmp(text, option, length))
			return !text[length] || !strcmp(text + length, "=cpu");
	}
	return false;
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

/* The least number of files that the threads must have written. */
static size_t count_expected(struct session *session, struct err *broken)
{
	size_t cpus = 0;

	if (has_thread_per_cpu(session, broken))
		cpus = count_cpus(session, broken);
	return cpus ? cpus : 1;
}

bool last_file_check(struct session *session, struct read_summary *summary, struct diag *diag,
                     struct err *err)
{
	const struct input *input = session->input;
	const size_t found = input->file_count - 1;
	struct err broken = { 0 }, damage = { 0 };
	size_t expected = found;
	struct cursor c;

	/* a gap in the numbers was reported before */
	if (input->directory && !input->cut &&
	    feature_open(session, PERF_FEATURE_DIR_FORMAT, &c, &broken))
		expected = count_expected(session, &broken);
	if (expected == found + 1)
		err_set(&damage, ERR_FORMAT,
		        "expected a file data.%zu, found none: the records of its thread are missing",
		        found);
	else if (expected > found)
		err_set(&damage, ERR_FORMAT,
		        "expected files data.%zu to data.%zu, found none of them: the records of "
		        "their threads are missing",
		        found, expected - 1);
	if (expected > found)
		summary_broken(summary, diag, &damage);
	return feature_finish(session, &broken, err);
}

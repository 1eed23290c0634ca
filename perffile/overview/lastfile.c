#include "perffile/overview/lastfile.h"

#include "perffile/input/input.h"
#include "perffile/session/features.h"
#include "util/text.h"

#include <string.h>

/* Whether the recorder was told to use a thread for each CPU. */
static bool has_thread_per_cpu(struct session *session, struct err *err)
{
	const char *found = NULL;
	struct err broken;
	struct cursor c;
	uint32_t count = 0;

	if (feature_open(session, PERF_FEATURE_CMDLINE, &c, &broken))
		count = cur_u32(&c);
	for (uint32_t i = 0; i < count && broken.code == ERR_NONE && !found; i++) {
		found = text_after(feature_str(&c, &session->arena), "--threads");
	}
	return feature_finish(session, PERF_FEATURE_CMDLINE, &broken, err) && found &&
	       (!*found || !strcmp(found, "=cpu"));
}

/* The CPUs that were recorded: an event has at least one id for each. */
static size_t count_cpus(struct session *session, struct err *err)
{
	uint32_t available, online;
	size_t ids = 0;

	for (size_t i = 0; i < session->event_count; i++)
		if (session->events[i].id_count > ids)
			ids = session->events[i].id_count;
	features_cpus(session, &available, &online, err);
	return (size_t)u64_min(ids, online);
}

/* The least number of files that the threads must have written. */
static size_t count_expected(struct session *session, struct err *err)
{
	size_t cpus = has_thread_per_cpu(session, err) ? count_cpus(session, err) : 0;

	return cpus ? cpus : 1;
}

bool last_file_check(struct session *session, struct read_summary *summary, struct diag *diag,
                     struct err *err)
{
	const struct input *input = session->input;
	const size_t found = input->file_count - 1;
	struct err damage = { 0 };
	size_t expected = found;

	/* a gap in the numbers was reported before */
	if (input->directory && !input->cut && session->features[PERF_FEATURE_DIR_FORMAT].present)
		expected = count_expected(session, err);
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
	return err->code == ERR_NONE;
}

#include "decode/tally/parallel.h"

#include "perffile/session/features.h"

#include <string.h>

bool parallel_init(struct parallel *parallel, struct session *session, struct strings *strings,
                   struct err *err)
{
	uint32_t online;

	parallel->wanted = true;
	return features_cpus(session, &parallel->cpus, &online, err) &&
	       sched_reader_init(&parallel->reader, session, strings, NULL, err);
}

void parallel_release(struct parallel *parallel)
{
	if (parallel->wanted)
		sched_reader_release(&parallel->reader);
	memset(parallel, 0, sizeof(*parallel));
}

/* tid: the sample's thread, which runs also if no switch has told so. */
static void count_running(struct parallel *parallel, int32_t tid)
{
	const struct sched *sched = &parallel->reader.sched;
	const uint32_t thread = tid > 0 ? sched_find_sample(&sched->threads, tid) : SCHED_NO_THREAD;

	parallel->now = 0;
	if (!parallel->known)
		return;
	parallel->now = (uint64_t)sched->running;
	if (thread != SCHED_NO_THREAD && sched->threads.items[thread].state != SCHED_RUNNING)
		parallel->now++;
	/* kernels leave out switches, without a record that says so */
	if (parallel->cpus)
		parallel->now = u64_min(parallel->now, parallel->cpus);
}

/* Events of a pipe may follow; each is asked once. */
static void note_events(struct parallel *parallel)
{
	const struct session *session = parallel->reader.session;

	if (parallel->asked == session->event_count)
		return;
	parallel->asked = session->event_count;
	parallel->known = sched_is_recorded(session);
}

bool parallel_sample(struct parallel *parallel, const struct sample *sample, struct err *err)
{
	if (!sched_reader_sample(&parallel->reader, sample, err))
		return false;
	note_events(parallel);
	count_running(parallel, sample->has_tid ? sample->tid : -1);
	return true;
}

bool parallel_record(struct parallel *parallel, const struct record *record, struct err *err)
{
	if (!sched_reader_record(&parallel->reader, record, err))
		return false;
	note_events(parallel);
	if (record->type == PERF_RECORD_SAMPLE)
		count_running(parallel, record->has_tid ? record->tid : -1);
	return true;
}

void parallel_report(const struct parallel *parallel, struct diag *diag)
{
	if (parallel->wanted && !parallel->known)
		diag_warn(
			diag, ERR_NO_OFFSET,
			"nothing tells how many threads ran at a time: add --switch-events to perf "
			"record");
}

#include "decode/intervals/schedreader.h"

#include "decode/intervals/schedcpus.h"
#include "decode/intervals/schedstate.h"
#include "decode/intervals/schedtask.h"
#include "decode/select/rawdata.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A sample of a tracepoint, as far as facts are made of it. */
struct sched_sample {
	const struct sched_format *format;
	struct sched_at at;
	struct raw_data raw;
	int32_t pid, tid;
	int32_t number; /* the kernel's, of the thread that wrote it; -1: not recorded */
};

bool sched_is_recorded(const struct session *session)
{
	for (size_t i = 0; i < session->event_count; i++) {
		const struct event_attr *attr = &session->events[i].attr;
		const char *name = session->events[i].name;

		if (attr_flag(attr, PERF_FLAG_CONTEXT_SWITCH))
			return true;
		if (attr->type == PERF_TYPE_TRACEPOINT && name &&
		    strcmp(name, "sched:sched_switch") == 0 && !attr_flag(attr, PERF_FLAG_FREQ) &&
		    attr->sample_period == 1)
			return true;
	}
	return false;
}

bool sched_reader_init(struct sched_reader *reader, struct session *session,
                       struct strings *strings, const struct interval_sink *sink, struct err *err)
{
	memset(reader, 0, sizeof(*reader));
	reader->session = session;
	return sched_init(&reader->sched, strings, sink, err) &&
	       formats_init(&reader->tracing, session, err);
}

void sched_reader_release(struct sched_reader *reader)
{
	sched_release(&reader->sched);
	formats_release(&reader->tracing);
	free(reader->formats);
	arena_release(&reader->letters);
}

static bool note_state(struct sched_reader *reader, const struct field *state, struct err *err)
{
	reader->state_names = state && state->names ? state->names
	                                            : sched_letters_todays(&reader->letters, err);
	return reader->state_names != NULL;
}

/* What the reader must know of an event before its first sample. */
static bool note_event(struct sched_reader *reader, struct sched_format *format,
                       const struct event_attr *attr, struct err *err)
{
	if (format->kind == SCHED_TP_OTHER || format->kind == SCHED_TP_NONE)
		return true;
	if (!attr_is_complete(attr)) {
		reader->sampled |= format->kind == SCHED_TP_SWITCH;
		format->kind = SCHED_TP_OTHER;
		return true;
	}
	switch (format->kind) {
	case SCHED_TP_SWITCH:
		reader->sched.has_switch = true;
		reader->program |= attr_flag(attr, PERF_FLAG_ENABLE_ON_EXEC);
		reader->has_stacks |= (attr->sample_type & PERF_SAMPLE_CALLCHAIN) != 0;
		return note_state(reader, format->state, err);
	case SCHED_TP_WAKING:
		reader->has_waking = true;
		break;
	case SCHED_TP_EXEC:
		reader->has_exec = true;
		break;
	default:
		break;
	}
	return true;
}

static bool note_events(struct sched_reader *reader, struct err *err)
{
	const struct session *session = reader->session;

	while (reader->format_count < session->event_count) {
		const uint32_t event = (uint32_t)reader->format_count;
		const struct event_attr *attr = &session->events[event].attr;
		const struct event_format *known = formats_of(&reader->tracing, event, err);
		struct sched_format format = { .kind = SCHED_TP_NONE };

		if (!known)
			return false;
		if (attr->type == PERF_TYPE_TRACEPOINT)
			sched_format_make(&format, known);
		if (!note_event(reader, &format, attr, err) ||
		    !vec_append(&reader->formats, &reader->format_count, &reader->format_capacity,
		                &format, sizeof(format), err))
			return false;
	}
	return true;
}

static inline bool events_known(struct sched_reader *reader, struct err *err)
{
	return reader->format_count >= reader->session->event_count || note_events(reader, err);
}

/* The number of a thread in a field, or -1: it is not recorded. */
static inline int32_t pid_in(const struct sched_sample *sample, enum sched_pid field)
{
	const struct sched_place at = sample->format->pids[field];
	const struct raw_data *raw = &sample->raw;
	const int32_t number = raw->size < at.end
	                               ? -1
	                               : (int32_t)load_u32(raw->data + at.offset, raw->swap);

	return number < 0 ? -1 : number;
}

/* What the number of a state says. */
static const struct sched_leave *leave_of(struct sched_reader *reader, uint64_t number,
                                          struct err *err)
{
	size_t at = 0;

	while (at < reader->state_count && reader->states[at].number != number)
		at++;
	if (at == reader->state_count) {
		at = at < SCHED_STATES_CACHED ? at : SCHED_STATES_CACHED - 1;
		reader->states[at].number = number;
		if (!sched_letters_leave(reader->state_names, number, &reader->states[at].leave,
		                         reader->sched.threads.strings, err))
			return NULL;
		reader->state_count = at + 1;
	}
	return &reader->states[at].leave;
}

/* The thread with a number of the kernel's. SCHED_NO_THREAD with err set. */
static uint32_t thread_of(struct sched_reader *reader, int32_t number, struct err *err)
{
	return number == 0 ? SCHED_IDLER
	                   : sched_thread_of_kernel(&reader->sched.threads, number, err);
}

/*
 * Whether a field has the thread's name as it was read last. Only if not is the field read; reading
 * it each time takes 10 % more instructions of `-t threads` of 640,000 switches and wakeups.
 */
static inline bool has_name(const struct sched_sample *sample, enum sched_comm field,
                            const struct sched_thread *thread)
{
	const struct sched_place at = sample->format->names[field];

	return sample->raw.size >= at.end &&
	       memcmp(sample->raw.data + at.offset, thread->text, SCHED_NAME_SIZE) == 0;
}

static bool read_name(struct sched_reader *reader, const struct sched_sample *sample,
                      uint32_t thread, enum sched_comm field, struct err *err)
{
	const struct field *comm = sample->format->comms[field];
	struct raw_data name = { .data = NULL };

	if (comm)
		name = field_bytes(comm, &sample->raw);
	return !name.data || sched_thread_name(&reader->sched.threads, thread,
	                                       (const char *)name.data, name.size, err);
}

static inline bool name_thread(struct sched_reader *reader, const struct sched_sample *sample,
                               uint32_t thread, enum sched_comm field, struct err *err)
{
	return !sched_is_thread(thread) ||
	       has_name(sample, field, sched_thread_at(&reader->sched, thread)) ||
	       read_name(reader, sample, thread, field, err);
}

/* The thread that wrote a sample behind its EXIT, or SCHED_NO_THREAD. */
static uint32_t exited_writer(struct sched_reader *reader, int32_t number, int32_t tid)
{
	struct sched_threads *threads = &reader->sched.threads;
	const uint32_t known = reader->sched.has_switch ? SCHED_NO_THREAD
	                                                : sched_find_kernel(threads, number);

	if (known == SCHED_NO_THREAD || !threads->items[known].ended)
		return SCHED_NO_THREAD;
	/* another number is that of a new thread, for which the kernel uses the old one's again */
	return tid <= 0 || threads->items[known].tid < 0 || threads->items[known].tid == tid
	               ? known
	               : SCHED_NO_THREAD;
}

/*
 * The thread that wrote a sample: *writer is SCHED_IDLER for thread 0, and SCHED_NO_THREAD if it is
 * not known or has exited; reader->writer is the thread even then.
 */
static bool find_writer(struct sched_reader *reader, const struct sched_sample *sample,
                        uint32_t *writer, struct err *err)
{
	struct sched *sched = &reader->sched;
	const int32_t number = sample->number;

	*writer = sched_thread_known(&sched->threads, number, sample->pid, sample->tid);
	if (*writer != SCHED_NO_THREAD) {
		reader->writer = *writer;
		return true;
	}
	if (number < 0)
		return true;
	if (number == 0) {
		*writer = reader->writer = SCHED_IDLER;
		return true;
	}
	reader->writer = exited_writer(reader, number, sample->tid);
	if (reader->writer != SCHED_NO_THREAD)
		return true;
	if (!sched_task_writer(sched, number, sample->pid, sample->tid, writer, err))
		return false;
	reader->writer = *writer;
	return true;
}

static bool read_switch(struct sched_reader *reader, const struct sched_sample *sample,
                        uint32_t writer, struct err *err)
{
	const struct sched_leave *leave;
	const struct field *field = sample->format->state;
	const int32_t from = pid_in(sample, SCHED_PREV_PID), to = pid_in(sample, SCHED_NEXT_PID);
	uint32_t prev, next;
	uint64_t state;

	if (from < 0 || to < 0 || !field || !field_number(field, &sample->raw, &state))
		return true;
	leave = leave_of(reader, state, err);
	/* nearly always it is that of the writer */
	prev = sample->number == from && writer != SCHED_NO_THREAD ? writer
	                                                           : thread_of(reader, from, err);
	if (!leave || prev == SCHED_NO_THREAD)
		return false;
	if (writer != prev && !sched_seen(&reader->sched, sample->at, writer, err))
		return false;
	next = thread_of(reader, to, err);
	return next != SCHED_NO_THREAD && name_thread(reader, sample, prev, SCHED_PREV_COMM, err) &&
	       name_thread(reader, sample, next, SCHED_NEXT_COMM, err) &&
	       sched_switched(&reader->sched, sample->at, prev, leave, next, err);
}

static bool read_wakeup(struct sched_reader *reader, const struct sched_sample *sample,
                        uint32_t writer, bool new, struct err *err)
{
	const int32_t number = pid_in(sample, SCHED_PID);
	uint32_t thread;

	if (number <= 0)
		return true;
	if (new) {
		thread = sched_task_new(&reader->sched, number, writer, err);
		if (thread == SCHED_NO_THREAD)
			return false;
	} else {
		thread = thread_of(reader, number, err);
	}
	return thread != SCHED_NO_THREAD && name_thread(reader, sample, thread, SCHED_COMM, err) &&
	       (new ? sched_woken_new(&reader->sched, sample->at, thread, writer, err)
	            : sched_woken(&reader->sched, sample->at, thread, writer, err));
}

static bool read_exec(struct sched_reader *reader, const struct sched_sample *sample,
                      struct err *err)
{
	const int32_t from = pid_in(sample, SCHED_OLD_PID), to = pid_in(sample, SCHED_PID);

	return from < 0 || to < 0 || from == to ||
	       sched_task_exec(&reader->sched, sample->at, from, to, err);
}

static bool read_sample(struct sched_reader *reader, struct sched_sample *sample, struct err *err)
{
	const enum sched_tracepoint kind = sample->format->kind;
	uint32_t writer;

	reader->writer = SCHED_NO_THREAD;
	reader->raw = sample->raw;
	if (kind == SCHED_TP_NONE)
		return sched_task_seen(&reader->sched, sample->at, sample->pid, sample->tid, err);
	sample->number = pid_in(sample, SCHED_COMMON_PID);
	if (kind == SCHED_TP_EXEC && !read_exec(reader, sample, err))
		return false;
	if (!find_writer(reader, sample, &writer, err))
		return false;
	if (kind == SCHED_TP_SWITCH)
		return read_switch(reader, sample, writer, err);
	if (!sched_seen(&reader->sched, sample->at, writer, err))
		return false;
	if (kind == SCHED_TP_WAKING || kind == SCHED_TP_WAKEUP_NEW ||
	    (kind == SCHED_TP_WAKEUP && !reader->has_waking))
		return read_wakeup(reader, sample, writer, kind == SCHED_TP_WAKEUP_NEW, err);
	return true;
}

bool sched_reader_sample(struct sched_reader *reader, const struct sample *sample, struct err *err)
{
	struct sched_sample each = { .at = { sample->time, sample->cpu, sample->nr },
		                     .pid = sample->pid,
		                     .tid = sample->has_tid ? sample->tid : -1 };

	if (sample->time == TIME_NONE || !events_known(reader, err))
		return err->code == ERR_NONE;
	each.format = &reader->formats[sample->event];
	if (each.format->kind != SCHED_TP_NONE)
		each.raw = raw_data_of_sample(&reader->tracing, sample);
	return read_sample(reader, &each, err);
}

static bool read_sample_record(struct sched_reader *reader, const struct record *record,
                               struct err *err)
{
	struct sched_sample each = { .at = { record->time, record->cpu, record->nr },
		                     .pid = record->pid,
		                     .tid = record->has_tid ? record->tid : -1,
		                     .raw = raw_data_of_record(&reader->tracing, record) };

	if (record->event >= reader->format_count || record->damaged ||
	    record->time >= TIME_OFF_CPU)
		return true;
	each.format = &reader->formats[record->event];
	return read_sample(reader, &each, err);
}

/* Whether the other side of a switch is a thread with number 0. */
static bool is_with_zero(const struct record *record)
{
	return record->type == PERF_RECORD_SWITCH_CPU_WIDE &&
	       !load_u32(record->data + 8, record->swap) &&
	       !load_u32(record->data + 12, record->swap);
}

/* Whether number 0 is that of the idle thread alone. */
static bool zero_is_idler(const struct sched_reader *reader)
{
	return !reader->sched.threads.two_numbers && !reader->zero_is_shared;
}

/*
 * Whether the other side of a switch is the idle thread. That writes no records on some CPUs of
 * virtual machines, so that their idle time is told by the records of other threads alone.
 */
static bool is_with_idler(const struct sched_reader *reader, const struct record *record)
{
	return zero_is_idler(reader) && is_with_zero(record);
}

/*
 * Nobody switches from the idle thread to the idle thread. Such a record tells that perf ran in a
 * container, where all threads outside have number 0, too.
 */
static bool learn_of_container(struct sched_reader *reader, const struct record *record,
                               struct err *err)
{
	struct sched *sched = &reader->sched;

	if (!zero_is_idler(reader) || record->tid != 0 || !is_with_zero(record))
		return true;
	reader->zero_is_shared = true;
	for (size_t i = 0; i < sched->cpu_count; i++)
		if (sched->cpus[i].running == SCHED_IDLER &&
		    !sched_cpu_forget(sched, (int32_t)i, err))
			return false;
	return true;
}

static bool read_switch_out(struct sched_reader *reader, const struct record *record,
                            struct sched_at at, uint32_t thread, struct err *err)
{
	const bool preempted = (record->misc & PERF_MISC_SWITCH_OUT_PREEMPT) != 0;
	const struct sched_leave leave = { preempted ? SCHED_WAITING : SCHED_UNKNOWN, false,
		                           STRING_EMPTY };

	const bool next_known = record->type == PERF_RECORD_SWITCH_CPU_WIDE &&
	                        !(reader->zero_is_shared && is_with_zero(record));

	return sched_out(&reader->sched, at, thread, &leave, next_known, err) &&
	       (thread == SCHED_IDLER || !is_with_idler(reader, record) ||
	        sched_in(&reader->sched, at, SCHED_IDLER, err));
}

/* SWITCH and SWITCH_CPU_WIDE. */
static bool read_switch_record(struct sched_reader *reader, const struct record *record,
                               struct err *err)
{
	const struct sched_at at = { record->time, record->cpu, record->nr };
	struct sched *sched = &reader->sched;
	uint32_t thread = SCHED_NO_THREAD;

	reader->has_records = true;
	if (!learn_of_container(reader, record, err))
		return false;
	if (record->tid == 0 && zero_is_idler(reader))
		thread = SCHED_IDLER;
	else if (record->tid > 0 &&
	         !sched_task_running(sched, at, record->pid, record->tid, &thread, err))
		return false;
	if (record->misc & PERF_MISC_SWITCH_OUT)
		return read_switch_out(reader, record, at, thread, err);
	return (!is_with_idler(reader, record) || sched_idle_until(sched, at, err)) &&
	       sched_in(sched, at, thread, err);
}

/* A record of what was there before: it tells processes. */
static bool read_old(struct sched_reader *reader, const struct record *record, struct err *err)
{
	return record->type != PERF_RECORD_COMM || record->pid < 0 || record->tid < 0 ||
	       sched_task_old(&reader->sched, record->pid, record->tid, record->comm.text,
	                      record->comm.length, err);
}

bool sched_reader_record(struct sched_reader *reader, const struct record *record, struct err *err)
{
	const struct sched_at at = { record->time, record->cpu, record->nr };
	struct sched *sched = &reader->sched;

	if (!events_known(reader, err))
		return false;
	if (record->time == TIME_NONE)
		return record->damaged || read_old(reader, record, err);
	if (record->type == PERF_RECORD_SAMPLE)
		return read_sample_record(reader, record, err);
	if (record->damaged)
		return true;
	switch (record->type) {
	case PERF_RECORD_LOST:
		return sched_lost(sched, at, err);
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return !record->has_tid || read_switch_record(reader, record, err);
	case PERF_RECORD_FORK:
		return sched_task_forked(sched, at, record, err);
	case PERF_RECORD_EXIT:
		return sched_task_exited(sched, at, record, err);
	case PERF_RECORD_COMM:
		return sched_task_comm(sched, at, record, reader->has_exec, err);
	default:
		return !record->has_tid ||
		       sched_task_seen(sched, at, record->pid, record->tid, err);
	}
}

#define PROCESSES_OF_PROGRAM 3

/*
 * Whether switches of all CPUs were recorded: the idle thread wrote some, or, as kernels drop
 * these, processes did that cannot be children of the recorded ones.
 */
static bool has_all_cpus(const struct sched_reader *reader)
{
	const struct sched_threads *threads = &reader->sched.threads;
	int32_t pids[PROCESSES_OF_PROGRAM] = { -1, -1, -1 };
	size_t count = 0;

	if (reader->program || reader->sched.idle_outs)
		return !reader->program;
	for (size_t i = 0; i < threads->count && count < PROCESSES_OF_PROGRAM; i++) {
		const struct sched_thread *thread = &threads->items[i];

		if (!thread->forked && thread->sums.switches && thread->pid > 0 &&
		    thread->pid != pids[0] && thread->pid != pids[1])
			pids[count++] = thread->pid;
	}
	return count == PROCESSES_OF_PROGRAM;
}

/* What is missing although it could have been recorded. */
static void advise(const struct sched_reader *reader, struct diag *diag)
{
	const struct sched *sched = &reader->sched;
	const bool all_cpus = has_all_cpus(reader);

	if (!sched->has_switch) {
		diag_warn(diag, ERR_NO_OFFSET,
		          "nothing tells why threads did not run, nor where: add -e "
		          "sched:sched_switch -g to perf record --switch-events");
		return;
	}
	if (!all_cpus && !reader->has_records)
		diag_warn(diag, ERR_NO_OFFSET,
		          "one program was recorded, and most of its threads' switches in are "
		          "not: add --switch-events to perf record");
	else if (all_cpus && !sched->wakeups)
		diag_warn(diag, ERR_NO_OFFSET,
		          "no wakeups are recorded, so that the time in which woken threads wait "
		          "for a CPU counts as sleeping: add -e sched:sched_waking to perf record");
	if (sched->sink.begin && !reader->has_stacks)
		diag_warn(diag, ERR_NO_OFFSET,
		          "nothing tells where threads did not run: add -g to perf record -e "
		          "sched:sched_switch");
	if (all_cpus && sched->missed)
		diag_warn(diag, ERR_NO_OFFSET,
		          "%" PRIu64 " switch%s missing without a LOST record; what the threads "
		          "did before is unknown",
		          sched->missed, sched->missed == 1 ? " is" : "es are");
}

bool sched_reader_finish(struct sched_reader *reader, bool asked, struct diag *diag,
                         struct err *err)
{
	if (!sched_finish(&reader->sched, err))
		return false;
	/* nobody asks for the time between switches */
	if (reader->sched.keeps_no_times)
		return true;
	if (reader->sampled)
		diag_warn(diag, ERR_NO_OFFSET,
		          "not every sched:sched_switch is recorded, so that nothing can be told "
		          "of the time between them: record with -e cpu-clock/freq=999/ -e "
		          "sched:sched_switch");
	if (reader->zero_is_shared)
		diag_warn(diag, ERR_NO_OFFSET,
		          "recorded in a container, where the threads outside have number 0 as the "
		          "idle thread has: it is unknown when CPUs were idle");
	if (sched_has_switches(&reader->sched))
		advise(reader, diag);
	else if (asked && !reader->sampled)
		diag_warn(diag, ERR_NO_OFFSET,
		          "no switches of threads are recorded: record with perf record -a -e "
		          "sched:sched_switch -e sched:sched_waking -g, or with -e "
		          "sched:sched_switch --switch-events -g ./program");
	return true;
}

static bool on_record(void *context, const struct record *record, struct err *err)
{
	return sched_reader_record(context, record, err);
}

static bool on_samples(void *context, const struct sample *samples, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++)
		if (!sched_reader_sample(context, &samples[i], err))
			return false;
	return true;
}

struct record_handler sched_reader_handler(struct sched_reader *reader)
{
	return (struct record_handler){ .context = reader,
		                        .record = on_record,
		                        .samples = on_samples };
}

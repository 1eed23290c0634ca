/*
 * Reads records for the scheduler's state machine. In: records in order of time. Out: facts, for
 * sched.h.
 */
#ifndef READPERF_DECODE_INTERVALS_SCHEDREADER_H
#define READPERF_DECODE_INTERVALS_SCHEDREADER_H

#include "decode/intervals/sched.h"
#include "decode/intervals/schedformat.h"
#include "decode/intervals/schedletters.h"
#include "perffile/record/handler.h"

#define SCHED_STATES_CACHED 16 /* numbers of states whose letters are kept */

struct sched_reader {
	struct sched sched;
	const struct session *session; /* borrowed */
	struct formats tracing;        /* as the recording has them */
	struct sched_format *formats;  /* by event */
	size_t format_count, format_capacity;
	const struct value_names *state_names;
	struct arena letters; /* of states that the recording does not name */
	struct {
		uint64_t number;
		struct sched_leave leave;
	} states[SCHED_STATES_CACHED];
	size_t state_count;
	/*
	 * Of the last sample of a tracepoint: who wrote it, SCHED_IDLER or SCHED_NO_THREAD, and its
	 * raw data, which are valid as long as the sample.
	 */
	uint32_t writer;
	struct raw_data raw;
	bool has_waking;     /* sched_waking is recorded: sched_wakeup tells nothing new */
	bool has_exec;       /* sched_process_exec is recorded */
	bool has_stacks;     /* sched_switch was recorded with call chains */
	bool has_records;    /* SWITCH records came */
	bool zero_is_shared; /* not only the idle thread has number 0 in them */
	bool sampled;        /* sched_switch is not recorded every time: nothing can be told */
	bool program;        /* one program was recorded, not all CPUs */
};

/* Whether switches of threads are recorded, all of them. */
bool sched_is_recorded(const struct session *session);
/* strings: borrowed. sink: may be NULL. False with err set; release it in any case. */
bool sched_reader_init(struct sched_reader *reader, struct session *session,
                       struct strings *strings, const struct interval_sink *sink, struct err *err);
void sched_reader_release(struct sched_reader *reader);
/* A sample that was passed to samples(), and a record that was passed to record(). */
bool sched_reader_sample(struct sched_reader *reader, const struct sample *sample, struct err *err);
bool sched_reader_record(struct sched_reader *reader, const struct record *record, struct err *err);
/*
 * After the last record: ends everything, and warns of what cannot be told, with advice what to
 * record. asked: the user asked for it; otherwise a recording without switches is no reason for a
 * warning.
 */
bool sched_reader_finish(struct sched_reader *reader, bool asked, struct diag *diag,
                         struct err *err);
/* A handler that calls these functions, for a reader whose facts nobody else needs. */
struct record_handler sched_reader_handler(struct sched_reader *reader);

#endif

/*
 * Records whose order follows from FINISHED_ROUND records (order/rounds.h): those of a pipe, and of
 * a file that is read once. For perffile.c, which reads them; what they wait in is order/window.h.
 */
#ifndef READPERF_PERFFILE_BYROUNDS_H
#define READPERF_PERFFILE_BYROUNDS_H

#include "perffile/order/rounds.h"
#include "perffile/order/window.h"
#include "perffile/readoptions.h"
#include "perffile/record/handler.h"

/* What perffile_read() knows while it reads. */
struct perffile_reader {
	struct session *session;
	const struct record_handler *handlers;
	size_t handler_count;
	const struct read_options *options;
	struct read_summary *summary;
	struct err *err;
	struct err damage; /* of the file; reported as soon as it is found; see fresh_damage() */
	struct record_window window;
	struct file_reader *files;
	size_t file_count;
	bool any_order; /* no handler needs records in order: they are passed on as they are read */
	bool by_rounds; /* a handler needs them in order, which follows from rounds: of a pipe, and
	                   of a file that is read once */
	bool once;      /* of a file: nothing may come too late */
	bool begun;     /* records with a time are delivered */
	struct rounds rounds;
	uint64_t passed, total; /* bytes, for progress */
};

/*
 * Whether a file may be read once: it gets no events from records, has no further parts, and can be
 * opened again.
 */
bool perffile_can_read_once(const struct perffile_reader *reader);
/* Before the first record with a time is delivered, in a file. False with err set, as all below. */
bool perffile_begin_timed(struct perffile_reader *reader, uint64_t first, uint64_t last);
/* The same in a file that is read once: all before has been delivered. */
bool perffile_begin_once(struct perffile_reader *reader);
/*
 * A pipe that lasts for hours: if a record is much older than those of the last round, the clock
 * was set back, or a damaged time has led too far ahead. What waits is passed on first, and the
 * bounds begin anew.
 */
bool perffile_follow_clock(struct perffile_reader *reader, uint64_t time);
/* At the end of a round: what is due is passed on if it is complete. */
bool perffile_drain_due(struct perffile_reader *reader);
/*
 * Passes on what is complete while much waits: by and by, so that neither thread waits for the
 * other. What is older may still follow, against the rule of rounds; from a pipe it comes late.
 */
bool perffile_drain_rounds(struct perffile_reader *reader);

#endif

#include "perffile/byrounds.h"

#include "perffile/session/buildid.h"
#include "perffile/session/features.h"

#define ROUND_BLOCKS 32                /* of STREAM_BLOCK_SIZE */
#define SORTED_BLOCKS 4                /* the same, if they are in order */
#define ONCE_BLOCKS 4                  /* the same, of a file that is read once */
#define SET_BACK UINT64_C(10000000000) /* ns; what is so late is of another clock */

bool perffile_drain_due(struct perffile_reader *reader)
{
	const uint64_t complete = reader->rounds.complete;

	return !reader->options->due || complete < *reader->options->due ||
	       (window_drain(&reader->window, complete) &&
	        dispatcher_flush(&reader->window.dispatcher));
}

bool perffile_follow_clock(struct perffile_reader *reader, uint64_t time)
{
	if (!reader->options->due || u64_add_sat(time, SET_BACK) >= reader->rounds.last)
		return true;
	reader->rounds = (struct rounds){ .most = 0 };
	return window_drain(&reader->window, TIME_NONE) &&
	       dispatcher_flush(&reader->window.dispatcher);
}

/* Passes the times of the first and the last sample to the handlers. */
static bool announce_times(const struct perffile_reader *reader, uint64_t first, uint64_t last)
{
	const struct record_handler *handler = reader->handlers;

	for (size_t i = 0; i < reader->handler_count; i++, handler++)
		if (handler->times && !handler->times(handler->context, first, last, reader->err))
			return false;
	return true;
}

bool perffile_begin_timed(struct perffile_reader *reader, uint64_t first, uint64_t last)
{
	reader->begun = true;
	if (!announce_times(reader, first, last))
		return false;
	/* handlers need them, perhaps in the second thread, which may neither warn nor read */
	features_load_texts(reader->session);
	if (!session_load_build_ids(reader->session, reader->err))
		return false;
	if (reader->options->threaded)
		dispatcher_start(&reader->window.dispatcher);
	return true;
}

bool perffile_begin_once(struct perffile_reader *reader)
{
	uint64_t first = TIME_NONE, last = 0;

	if (reader->begun)
		return true;
	features_sample_times(reader->session, &first, &last);
	return dispatcher_finish(&reader->window.dispatcher) &&
	       perffile_begin_timed(reader, first, last);
}

bool perffile_drain_rounds(struct perffile_reader *reader)
{
	const bool sorted = reader->options->sorted;
	const size_t keep = sorted ? SORTED_BLOCKS : reader->once ? ONCE_BLOCKS : ROUND_BLOCKS;
	const uint64_t bound = sorted ? reader->rounds.most : reader->rounds.complete;
	bool more = bound != 0;

	while (more && reader->window.blocks > keep)
		if (!perffile_begin_once(reader) ||
		    !window_drain_slice(&reader->window, bound, &more))
			return false;
	return true;
}

bool perffile_can_read_once(const struct perffile_reader *reader)
{
	const struct session *session = reader->session;
	uint64_t first, last;

	return reader->options->once && session->input->seekable && !session->input->single &&
	       !session->pipe && session->input->file_count == 1 &&
	       features_sample_times(reader->session, &first, &last);
}

/*
 * Makes samples of intervals: what belongs to the begin (thread, process, stack, fields) is found
 * when it begins and kept while the interval is open; the end adds the duration, and the sample is
 * counted like a recorded one.
 *
 *   records --> engine.h --> open intervals --> cells, groups, latencystat.h, the log of rows
 *
 * A record_handler that must come behind buildstat's, so that processes are known as they were.
 */
#ifndef READPERF_DECODE_TALLY_INTERVALSTAT_H
#define READPERF_DECODE_TALLY_INTERVALSTAT_H

#include "decode/tally/intervalslot.h"

/*
 * Before the first record. All zeros is valid, and empty, for intervalstat_release(). False with
 * err set; so for the functions below.
 */
bool intervalstat_init(struct intervalstat *intervals, struct buildstat *stat,
                       const struct interval_request *request, struct err *err);
void intervalstat_release(struct intervalstat *intervals);
/* Call it before the first record: keeps all intervals, for intervals.csv. */
bool intervalstat_keep(struct intervalstat *intervals, const char *dir, struct err *err);
struct record_handler intervalstat_handler(struct intervalstat *intervals);
/* After the last record, before buildstat_finish(). */
bool intervalstat_finish(struct intervalstat *intervals, struct diag *diag, struct err *err);
/* Whether an event has been made of intervals. */
static inline bool intervalstat_has_events(const struct intervalstat *intervals)
{
	return intervals->stat && intervals->stat->session->derived_count;
}
/* The text of a row's result: out, or a text that lives as long as the strings; NULL: it has none.
 */
const char *interval_result_text(const struct strings *strings, const struct interval_row *row,
                                 char out[CALL_NAME_SIZE]);

#endif

/* events.csv: one row per event of the recording. */
#ifndef READPERF_DECODE_TABLES_EVENTSPRINTER_H
#define READPERF_DECODE_TABLES_EVENTSPRINTER_H

#include "perffile/perffile.h"
#include "util/csv.h"

#define EVENTS_CSV_HEADER \
	"event,type,config,period,frequency,sample_type,ids,samples,total_period,lost"

struct event_totals;

/*
 * Writes all rows. totals: one for each event of the session, or NULL: those cells stay empty.
 * False with err set when memory or the system refuses.
 */
bool events_print(struct csv *csv, struct session *session, const struct event_totals *totals,
                  struct err *err);

#endif

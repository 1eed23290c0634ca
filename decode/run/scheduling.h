/* What threads and CPUs did, for the tables that show it. */
#ifndef READPERF_DECODE_RUN_SCHEDULING_H
#define READPERF_DECODE_RUN_SCHEDULING_H

#include "decode/intervals/schedreader.h"
#include "decode/tables/tables.h"

struct scheduling {
	bool wanted; /* a table needs it */
	bool named;  /* such a table was named: a recording without switches is worth a warning */
	struct sched_reader reader;
	struct strings names; /* its own, because the handler may run in a thread of its own */
};

/* Before the first record. False with err set; release it in any case. */
bool scheduling_open(struct scheduling *scheduling, const struct table_set *set,
                     struct session *session, struct err *err);
void scheduling_release(struct scheduling *scheduling);
/* After the last record. */
bool scheduling_finish(struct scheduling *scheduling, struct diag *diag, struct err *err);

#endif

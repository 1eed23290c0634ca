#include "decode/run/scheduling.h"

bool scheduling_open(struct scheduling *scheduling, const struct table_set *set,
                     struct session *session, struct err *err)
{
	scheduling->wanted = (table_set_needs(set) & NEEDS_SCHED) != 0;
	scheduling->named = table_set_names(set, &threads_table) ||
	                    table_set_names(set, &cpus_table);
	return !scheduling->wanted ||
	       (strings_init(&scheduling->names, err) &&
	        sched_reader_init(&scheduling->reader, session, &scheduling->names, NULL, err));
}

void scheduling_release(struct scheduling *scheduling)
{
	sched_reader_release(&scheduling->reader);
	strings_release(&scheduling->names);
}

bool scheduling_finish(struct scheduling *scheduling, struct diag *diag, struct err *err)
{
	return !scheduling->wanted ||
	       sched_reader_finish(&scheduling->reader, scheduling->named, diag, err);
}

/* Warnings about the recording's stacks, and advice. */
#include "decode/tables/remarks.h"

#include "util/digits.h"

#include <inttypes.h>
#include <stdlib.h>

#define LOST_PERCENT 5 /* percent of an event's stacks from which a warning is printed */

/* Ends of stacks that are not complete, and advice. */
struct stack_loss {
	enum stack_end end;
	const char *what, *advice;
};

static const struct stack_loss losses[] = {
	{ STACK_CUT, "cut", NULL },
	{ STACK_NO_RULE, "lost in code without unwind tables or between two stacks (signals, Go)",
	  "compile with -fasynchronous-unwind-tables, or with frame pointers and record with "
	  "--call-graph fp" },
	{ STACK_NO_BINARY, "lost in files that are not here",
	  "copy them here and name their root with --symfs" },
	{ STACK_OTHER_FILE, "lost in files that are not the recorded ones",
	  "name the folder of the recorded ones with --symfs" },
	{ STACK_NO_MAP, "lost where no code was mapped", "record with a larger buffer (-m)" },
	{ STACK_TOO_DEEP, "too deep", "nothing can be done about it" },
};

/* What to do if the recorded chain or the copied stack ends too early. */
static const char *advice_for_cut(const struct event_attr *attr)
{
	if (!(attr->sample_type & PERF_SAMPLE_STACK_USER))
		return "record with more frames (sysctl kernel.perf_event_max_stack, and "
		       "--call-graph fp), or --call-graph dwarf,65528";
	if (attr->sample_stack_user < 65528)
		return "record with --call-graph dwarf,65528";
	return "no larger copies can be recorded: compile with frame pointers, and record with "
	       "--call-graph fp";
}

static void remark_on_event(const struct report *report, uint32_t number,
                            const struct call_count *ends, struct diag *diag)
{
	const struct event *event = &report->session->events[number];
	uint64_t stacks = 0, lost = 0;
	const struct stack_loss *worst = &losses[0];
	char percent[40];

	for (size_t i = 0; i < STACK_ENDS; i++)
		if (i != STACK_NONE && i != STACK_KERNEL_ONLY)
			stacks += ends[i].samples;
	for (size_t i = 0; i < ARRAY_SIZE(losses); i++) {
		lost += ends[losses[i].end].samples;
		if (ends[losses[i].end].samples > ends[worst->end].samples)
			worst = &losses[i];
	}
	if (lost <= stacks / 100 * LOST_PERCENT + stacks % 100 * LOST_PERCENT / 100)
		return;
	*format_percent(percent, lost, stacks, 2) = '\0';
	diag_warn_about(diag,
	                (struct diag_about){ buildstat_event_name(report->session, number), lost },
	                "%s: %s %% of %" PRIu64 " stacks are not whole, mostly %s: %s",
	                buildstat_event_name(report->session, number), percent, stacks, worst->what,
	                worst->advice ? worst->advice : advice_for_cut(&event->attr));
}

bool remarks_on_stacks(const struct report *report, struct diag *diag, struct err *err)
{
	const struct stackstat *stacks = report->stat->stacks;
	struct call_count *ends;

	if (!stacks)
		return true;
	if (!report->totals->chains)
		diag_warn(diag, ERR_NO_OFFSET,
		          "no sample has a call chain, so each stack is one function: record with "
		          "perf record -g or --call-graph dwarf");
	ends = chain_ends_count(report->stat, report->names, err);
	if (!ends)
		return false;
	for (size_t i = 0; i < report->session->event_count; i++)
		remark_on_event(report, (uint32_t)i, &ends[i * STACK_ENDS], diag);
	free(ends);
	if (stacks->reader.narrow)
		diag_warn(diag, ERR_NO_OFFSET,
		          "%" PRIu64
		          " stacks of 32-bit programs are not unwound: record those with "
		          "--call-graph fp",
		          stacks->reader.narrow);
	if (stacks->tree.depth_most != SIZE_MAX)
		diag_warn(diag, ERR_NO_OFFSET,
		          "the stacks take too much memory: of %" PRIu64
		          " only the outermost %zu callers "
		          "and the innermost function are kept, [folded] stands for the others",
		          stackstat_folded_samples(stacks), stacks->tree.depth_most);
	return true;
}

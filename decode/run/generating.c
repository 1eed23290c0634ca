#include "decode/run/generating.h"

#include "decode/options/filelist.h"
#include "decode/options/generate.h"
#include "decode/options/loaders.h"
#include "decode/run/checks.h"
#include "decode/run/loading.h"
#include "decode/tables/tracerows.h"
#include "util/csv.h"

/* The tables that a run with these options would write. */
static bool print_traces(struct recording *recording, struct err *err)
{
	struct buildstat *stat = &recording->stat;
	struct csv unused = { .size = 0 };
	const struct table_writer nowhere = csv_writer(&unused);
	const struct loader_place here = { .folder = NULL };
	struct trace_rows rows;
	bool ok = trace_rows_init(&rows, stat, &nowhere, err);
	size_t printed = 0;

	for (uint32_t event = 0; ok && event < stat->session->event_count; event++) {
		uint32_t number;

		if (!trace_rows_has(stat, event))
			continue;
		number = trace_rows_table(&rows, event, err);
		ok = number != UINT32_MAX;
		if (!ok || number < printed)
			continue; /* another event's, too */
		printed = number + 1;
		loader_print(stdout, recording->options->generate, trace_rows_format(&rows, number),
		             &here);
	}
	trace_rows_release(&rows);
	return ok;
}

bool generating_run(struct recording *recording, struct table_outputs *outputs,
                    const struct read_options *how, struct err *err)
{
	const struct options *options = recording->options;

	if (file_list_is_plural(options->file))
		return loading_run(options, recording->diag, err);
	if (!table_outputs_init(outputs, options, err) ||
	    !enter_sandbox(options, &outputs->outputs, err) ||
	    !recording_open(recording, options->file, err) ||
	    !formats_init(&recording->stat.trace.formats, &recording->session, err))
		return false;
	recording_count(recording, false);
	if (!recording_read(recording, how, err) || !recording_check_selection(recording, err))
		return false;
	generate_print(stdout, options->generate, &options->tables, &options->groups);
	return print_traces(recording, err);
}

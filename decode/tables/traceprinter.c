/*
 * The tables of -t trace. Rows that wait for names lie in one file in order of time; others were
 * written while records were read.
 */
#include "decode/tables/sampleframes.h"
#include "decode/tables/sampleplaces.h"
#include "decode/tables/tracerows.h"
#include "util/csv.h"

#define ALL_TABLES UINT32_MAX

struct trace_printer {
	const struct report *report;
	struct trace_rows *rows;
	struct sample_frames frames;
	struct sample_places places;
	bool selects; /* by functions */
};

/* Whether --function selects the sample. False also with err set. */
static bool is_selected(const struct trace_printer *printer, const struct traced_sample *sample,
                        struct err *err)
{
	const struct sample_place *slot, *place;

	if (!printer->selects)
		return true;
	slot = sample_places_slot(&printer->places, sample->binary, sample->addr);
	place = sample_places_find(&printer->places, slot, sample->binary, sample->addr);
	return selection_function_passes(&printer->report->stat->choice.selection,
	                                 printer->report->names->functions[place->function].name,
	                                 err);
}

/* Writes the rows of one table, or of all of them. */
static bool print_rows(struct trace_printer *printer, uint32_t table, struct err *err)
{
	struct trace_log *log = &printer->report->stat->trace;
	struct traced_sample sample;
	struct trace_row row = { .sample = &sample, .functions = log->functions };

	if (!spool_rewind(&log->rows, err) || !sample_frames_rewind(&printer->frames, err))
		return false;
	for (uint64_t i = 0; i < log->kept; i++) {
		if (!trace_log_next(log, &sample, &row.raw, err))
			return false;
		while (printer->frames.frames && printer->frames.nodes.number <= sample.number)
			if (!sample_frames_next(&printer->frames, &row.frame, err))
				return false;
		if (table != ALL_TABLES &&
		    trace_rows_table(printer->rows, sample.event, err) != table)
			continue;
		if (is_selected(printer, &sample, err) && !trace_rows_put(printer->rows, &row, err))
			return false;
		if (err->code != ERR_NONE)
			return false;
	}
	return true;
}

/* All at once: the files are open at the same time. */
static bool print_together(struct trace_printer *printer, struct err *err)
{
	for (uint32_t event = 0; event < printer->report->session->event_count; event++)
		if (trace_rows_has(printer->report->stat, event) &&
		    !trace_rows_begin(printer->rows, event, err))
			return false;
	return print_rows(printer, ALL_TABLES, err) && trace_rows_end(printer->rows, err);
}

/* One after the other, as sheets of a workbook are written. */
static bool print_each(struct trace_printer *printer, struct err *err)
{
	size_t done = 0;

	for (uint32_t event = 0; event < printer->report->session->event_count; event++) {
		uint32_t table;

		if (!trace_rows_has(printer->report->stat, event))
			continue;
		table = trace_rows_table(printer->rows, event, err);
		if (table == UINT32_MAX)
			return false;
		if (table < done)
			continue; /* another event's, too */
		done = table + 1;
		if (!trace_rows_begin(printer->rows, event, err) ||
		    !print_rows(printer, table, err) || !trace_rows_end(printer->rows, err))
			return false;
	}
	return true;
}

static bool print_traces(struct table_writer *out, const struct report *report, struct err *err)
{
	struct buildstat *stat = report->stat;
	struct trace_printer printer = { .report = report,
		                         .selects = buildstat_selects_functions(stat) };
	struct trace_rows own = { .count = 0 };
	struct csv unused;
	bool ok = true;

	printer.rows = report->traces ? report->traces : &own;
	if (!report->traces)
		ok = trace_rows_init(&own, stat, out, err);
	ok = ok &&
	     (!printer.selects ||
	      sample_places_init(&printer.places, &stat->places, report->names, err)) &&
	     sample_frames_init(&printer.frames, report, stat->trace.count, err) &&
	     (csv_beside(out, &unused) ? print_together(&printer, err) : print_each(&printer, err));
	trace_rows_release(&own);
	sample_frames_release(&printer.frames);
	sample_places_release(&printer.places);
	return ok;
}

static bool has_traces(const struct report *report)
{
	return report->stat->trace.traced != 0;
}

const struct table trace_table = {
	.format = &(const struct table_format){ .name = "trace",
	                                        .columns = trace_own_columns,
	                                        .column_count = TRACE_OWN_COLUMNS },
	.several = "trace-SYSTEM-NAME",
	.needs = NEEDS_TALLY | NEEDS_TRACE,
	.can_fill = has_traces,
	.print = print_traces,
};

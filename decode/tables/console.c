#include "decode/tables/console.h"

#include "decode/tables/consoletable.h"
#include "decode/tables/listing.h"
#include "decode/tables/ratiosprinter.h"
#include "decode/naming/latencyrows.h"
#include "decode/naming/memoryrows.h"
#include "decode/tally/intervalstat.h"
#include "util/clock.h"
#include "util/text.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdlib.h>

#define KEY_TEXT_SIZE 32 /* bytes */

/* What all tables of the console have in common. */
struct console {
	FILE *out;
	struct terminal terminal;
	const struct report *report;
	const struct console_options *options;
};

/* A table of so many rows of an event, without what these rows are. */
static struct console_table table_of_event(const struct console *console, uint32_t event,
                                           size_t count)
{
	const struct buildstat *stat = console->report->stat;

	return (struct console_table){
		.terminal = console->terminal,
		.count = count,
		.shown = (size_t)u64_min(console->options->limit, count),
		.whole = buildstat_totals(stat, event)->period,
		.clock = buildstat_event_is_clock(stat->session, event),
	};
}

/* "869 samples", or "26 of 869 samples" if not all are selected. */
static void print_samples(FILE *out, const struct event_totals *total)
{
	if (!event_all_selected(total))
		fprintf(out, "%" PRIu64 " of ", total->selected_samples);
	fprintf(out, "%" PRIu64 " sample%s", total->samples, total->samples == 1 ? "" : "s");
}

static void print_period(FILE *out, const struct event_totals *total,
                         const struct terminal *terminal, bool clock)
{
	char text[SHORT_NUMBER_SIZE];

	if (!terminal->columns || !clock)
		fputs("period ", out);
	if (!event_all_selected(total)) {
		console_period(text, terminal, total->selected_period, clock);
		fprintf(out, "%s of ", text);
	}
	console_period(text, terminal, total->period, clock);
	fputs(text, out);
}

/*
 * "864 samples, period 432000000, 1 process, 0.432 s, lost 3 samples"; malloc'd, NULL when memory
 * is refused.
 */
static char *facts_of_event(const struct event_totals *total, const struct read_summary *summary,
                            const struct terminal *terminal, bool clock)
{
	char *facts = NULL;
	size_t size;
	FILE *out = open_memstream(&facts, &size);

	if (!out)
		return NULL;
	print_samples(out, total);
	fputs(", ", out);
	print_period(out, total, terminal, clock);
	fprintf(out, ", %" PRIu64 " process%s", total->processes,
	        total->processes == 1 ? "" : "es");
	if (summary->first_time != TIME_NONE)
		fprintf(out, ", %.3f s", (double)(summary->last_time - summary->first_time) / 1e9);
	/* LOST records do not name an event, and count the samples of LOST_SAMPLES records again */
	if (total->lost)
		fprintf(out, ", lost %" PRIu64 " sample%s", total->lost,
		        total->lost == 1 ? "" : "s");
	else if (summary->lost_records && !summary->lost_samples)
		fprintf(out, ", lost %" PRIu64 " record%s in all", summary->lost_records,
		        summary->lost_records == 1 ? "" : "s");
	if (fclose(out) == 0)
		return facts;
	free(facts);
	return NULL;
}

static int compare_totals(const void *a, const void *b)
{
	const struct result_row *x = *(const struct result_row *const *)a;
	const struct result_row *y = *(const struct result_row *const *)b;
	int order = u64_order(y->total.period, x->total.period);

	if (!order)
		order = u64_order(y->total.samples, x->total.samples);
	/* otherwise as results.csv has them */
	return order ? order : (x > y) - (x < y);
}

/*
 * The rows of an event in the order in which they are shown: *count of them, without those that
 * have no samples, unless totals are asked for. malloc'd; NULL with err set.
 */
static const struct result_row **order_rows(const struct console *console,
                                            const struct result_row *rows, size_t *count,
                                            struct err *err)
{
	const bool by_total = console->options->by_total && console->report->totals->chains;
	const struct result_row **order = vec_new(*count, sizeof(*order), err);
	size_t taken = 0;

	for (size_t i = 0; order && i < *count; i++)
		if (by_total || rows[i].samples)
			order[taken++] = &rows[i];
	if (by_total)
		qsort(order, taken, sizeof(*order), compare_totals);
	*count = taken;
	return order;
}

static bool print_functions(const struct console *console, const struct result_row *rows,
                            size_t count, struct err *err)
{
	const struct report *report = console->report;
	const struct strings *strings = report->stat->strings;
	const struct result_row **order = order_rows(console, rows, &count, err);
	struct console_table table = table_of_event(console, rows->event, count);
	struct console_row *shown = vec_new(table.shown, sizeof(*shown), err);
	char *facts = facts_of_event(buildstat_totals(report->stat, rows->event), report->summary,
	                             &console->terminal, table.clock);
	bool ok;

	for (size_t i = 0; order && shown && i < table.shown; i++)
		shown[i] = (struct console_row){ order[i]->period,
			                         order[i]->samples,
			                         order[i]->total.period,
			                         { strings_get(strings, order[i]->function),
			                           strings_get(strings, order[i]->binary) } };
	table.rows = shown;
	table.columns[0] = (struct console_column){ .title = "function" };
	table.columns[1] = (struct console_column){ .title = "binary", .binary = true };
	table.column_count = 2;
	table.noun = "function";
	table.file = console->options->in_results ? "results" : "";
	table.total = report->totals->chains;
	console_title(console->out, &console->terminal, "",
	              buildstat_event_name(report->session, rows->event), facts ? facts : "");
	ok = order && shown && console_table_print(console->out, &table, err);
	free(order);
	free(facts);
	free(shown);
	return ok;
}

enum { BLOCK_MEAN, BLOCK_P99, BLOCK_MAX, BLOCK_WHAT, BLOCK_FUNCTION, BLOCK_COLUMNS };

/* The row of an interval's block; room: for its numbers. */
static struct console_row block_row(const struct console *console, const struct latency_row *row,
                                    char room[BLOCK_WHAT][SHORT_NUMBER_SIZE])
{
	const struct strings *strings = console->report->stat->strings;
	const uint64_t numbers[BLOCK_WHAT] = { row->sum.total / row->sum.count,
		                               row->percentiles[LATENCY_P99],
		                               row->sum.longest.duration };
	struct console_row shown = { .period = row->sum.total, .samples = row->sum.count };

	for (int i = 0; i < BLOCK_WHAT; i++) {
		console_period(room[i], &console->terminal, numbers[i], true);
		shown.names[i] = room[i];
	}
	shown.names[BLOCK_WHAT] = strings_get(strings, (uint32_t)row->words[0]);
	shown.names[BLOCK_FUNCTION] = strings_get(strings, (uint32_t)row->words[1]);
	return shown;
}

/* The intervals of an event: how long they take, what they are and where. */
static bool print_block(const struct console *console, uint32_t event,
                        const struct latency_row *rows, size_t count, struct err *err)
{
	const struct report *report = console->report;
	struct console_table table = table_of_event(console, event, count);
	struct console_row *shown = vec_new(table.shown, sizeof(*shown), err);
	char(*room)[BLOCK_WHAT][SHORT_NUMBER_SIZE] = vec_new(table.shown, sizeof(*room), err);
	char *facts = facts_of_event(buildstat_totals(report->stat, event), report->summary,
	                             &console->terminal, true);
	bool ok = shown && room;

	for (size_t i = 0; ok && i < table.shown; i++)
		shown[i] = block_row(console, &rows[i], room[i]);
	table.rows = shown;
	table.columns[BLOCK_MEAN] = (struct console_column){ .title = "mean", .number = true };
	table.columns[BLOCK_P99] = (struct console_column){ .title = "p99", .number = true };
	table.columns[BLOCK_MAX] = (struct console_column){ .title = "max", .number = true };
	table.columns[BLOCK_WHAT] = (struct console_column){ .title = "what" };
	table.columns[BLOCK_FUNCTION] = (struct console_column){ .title = "function" };
	table.column_count = BLOCK_COLUMNS;
	table.noun = "row";
	table.file = "";
	table.intervals = true;
	console_title(console->out, &console->terminal, "",
	              buildstat_event_name(report->session, event), facts ? facts : "");
	ok = ok && console_table_print(console->out, &table, err);
	free(facts);
	free(room);
	free(shown);
	return ok;
}

/* Whether the event has a block of its own, of how long its intervals are, if that is what counts.
 */
static bool has_block(const struct report *report, uint32_t event)
{
	return report->intervals && report->intervals->counts_latency &&
	       event < report->session->event_count && report->session->events[event].derived &&
	       buildstat_event_is_clock(report->session, event) &&
	       event != report->intervals->engine.wall_event;
}

/* A block for each event that is made of intervals. */
static bool print_intervals(const struct console *console, struct err *err)
{
	static const struct group_table keys = { .keys = { KEY_WHAT, KEY_FUNCTION },
		                                 .key_count = 2 };
	const struct report *report = console->report;
	const struct group_source source = { .stat = report->stat, .names = report->names };
	struct latency_rows rows = { .count = 0 };
	bool ok = latency_rows_make(&rows, &report->intervals->latency, &keys, &source,
	                            buildstat_functions(report->stat), err);

	for (size_t first = 0, next; ok && first < rows.count; first = next) {
		const uint64_t event = rows.rows[first].words[keys.key_count];
		size_t counted = 0;

		for (next = first;
		     next < rows.count && rows.rows[next].words[keys.key_count] == event; next++)
			counted += rows.rows[next].sum.count != 0;
		/* those that are all unfinished have no total, and so come last */
		if (counted && has_block(report, (uint32_t)event))
			ok = print_block(console, (uint32_t)event, &rows.rows[first], counted, err);
	}
	latency_rows_release(&rows);
	return ok;
}

static bool print_results(const struct console *console, struct err *err)
{
	const struct results *results = console->report->results;
	const struct result_row *end = results->rows + results->row_count, *next;

	for (const struct result_row *rows = results->rows; rows < end; rows = next) {
		for (next = rows + 1; next < end && next->event == rows->event;)
			next++;
		if (!has_block(console->report, rows->event) &&
		    !print_functions(console, rows, (size_t)(next - rows), err))
			return false;
	}
	if (results->row_count == 0)
		fputs("# no samples\n", console->out);
	return true;
}

/* The text of a key; room: for one that is made here. */
static const char *text_of_key(const struct report *report, enum group_key key, uint64_t word,
                               char room[KEY_TEXT_SIZE])
{
	if (group_key_is_text(key))
		return strings_get(report->stat->strings, (uint32_t)word);
	if (group_word_is_empty(key, word))
		return "";
	if (key == KEY_ADDRESS)
		snprintf(room, KEY_TEXT_SIZE, "0x%" PRIx64, word);
	else if (key == KEY_TIME) /* as in --time */
		snprintf(room, KEY_TEXT_SIZE, "%.3f s",
		         (double)(word - report->summary->first_time) / NS_PER_SECOND);
	else
		snprintf(room, KEY_TEXT_SIZE, "%" PRId64, (int64_t)word);
	return room;
}

static struct console_column column_of_key(enum group_key key, const char *name)
{
	return (struct console_column){
		/* "time" is a column of numbers */
		.title = key == KEY_TIME ? "slice" : name,
		.number = !group_key_is_text(key),
		.binary = key == KEY_BINARY,
	};
}

/* The first rows of an event, as many as are shown. */
struct shown_groups {
	struct group_row *items;
	size_t count, capacity;
	size_t all; /* the event's rows */
	uint32_t event;
};

/* Reads the rows of an event, of which `next` is the first, and returns the one behind them. */
static const struct group_row *read_groups(struct group_cursor *cursor,
                                           const struct group_row *next, uint64_t limit,
                                           struct shown_groups *shown, struct err *err)
{
	shown->event = group_row_event(cursor->rows, next);
	shown->count = shown->all = 0;
	for (; next && group_row_event(cursor->rows, next) == shown->event;
	     next = group_cursor_next(cursor, err))
		if (shown->all++ < limit && !vec_append(&shown->items, &shown->count,
		                                        &shown->capacity, next, sizeof(*next), err))
			return NULL;
	return next;
}

static bool print_groups(const struct console *console, const struct group_table *by,
                         const struct group_rows *rows, const struct shown_groups *groups,
                         struct err *err)
{
	struct console_table table = table_of_event(console, groups->event, groups->all);
	struct console_row *shown = vec_new(table.shown, sizeof(*shown), err);
	char(*room)[KEY_TEXT_SIZE] = vec_new(table.shown * by->key_count, sizeof(*room), err);
	bool ok = shown && room;
	char file[GROUP_NAME_SIZE + sizeof(".csv, ")];

	for (size_t i = 0; ok && i < table.shown; i++) {
		const struct group_row *row = &groups->items[i];

		shown[i] = (struct console_row){ .period = row->period, .samples = row->samples };
		for (unsigned k = 0; k < by->key_count; k++)
			shown[i].names[k] = text_of_key(console->report, by->keys[k], row->words[k],
			                                room[i * by->key_count + k]);
	}
	table.rows = shown;
	for (unsigned k = 0; k < by->key_count; k++)
		table.columns[k] = column_of_key(by->keys[k], by->names[k]);
	table.column_count = by->key_count;
	table.noun = "row";
	table.whole = group_rows_whole(rows, console->report->stat, groups->event);
	table.clock = table.clock && !group_rows_are_branches(rows);
	table.file = by->name;
	snprintf(file, sizeof(file), "%s.csv, ", by->name);
	console_title(console->out, &console->terminal, file,
	              buildstat_event_name(console->report->session, groups->event), "");
	ok = ok && console_table_print(console->out, &table, err);
	free(shown);
	free(room);
	return ok;
}

static bool print_group_table(const struct console *console, const struct group_table *by,
                              const struct group_rows *rows, struct err *err)
{
	const struct group_row *next;
	struct shown_groups shown = { .count = 0 };
	struct group_cursor cursor;
	bool ok = group_cursor_open(&cursor, rows, err);

	next = ok ? group_cursor_next(&cursor, err) : NULL;
	while (ok && next) {
		next = read_groups(&cursor, next, console->options->limit, &shown, err);
		ok = err->code == ERR_NONE && print_groups(console, by, rows, &shown, err);
	}
	group_cursor_close(&cursor);
	free(shown.items);
	return ok && err->code == ERR_NONE;
}

/* Whether threads write to different parts of the line, and so take it away from each other. */
static bool is_false_sharing(const struct line_row *row)
{
	return line_contention(row) && row->threads > 1 && row->offsets > 1;
}

static void print_line(const struct console *console, const struct line_row *row)
{
	const char *symbol = strings_get(console->report->stat->strings, row->data_symbol);
	const size_t columns = console->terminal.columns;
	char pid[16] = "kernel";
	char *name = columns ? shortened(symbol, columns - 57) : text_escaped(symbol);

	if (row->pid >= 0)
		snprintf(pid, sizeof(pid), "%" PRId32, row->pid);
	fprintf(console->out, "%8s 0x%-16" PRIx64 " %7" PRIu64 " %7" PRIu32 " %7" PRIu32 "  %s%s\n",
	        pid, row->line, line_contention(row), row->threads, row->offsets,
	        is_false_sharing(row) ? "* " : "  ", name ? name : "");
	free(name);
}

/* The cache lines that processors take from each other; those with false sharing come first. */
static void print_contention(const struct console *console)
{
	const struct memory_rows *memory = console->report->memory;
	uint64_t shown = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < memory->line_count && shown < console->options->limit; i++) {
			const struct line_row *row = &memory->lines[i];

			if (!line_contention(row) || is_false_sharing(row) != (pass == 0))
				continue;
			if (!shown++)
				fputs("# cache lines taken from each other (*: false sharing)\n"
				      "     pid line                  taken threads offsets    data\n",
				      console->out);
			print_line(console, row);
		}
	fputs(shown ? "\n" : "# no HITM in this recording\n\n", console->out);
}

bool console_print(FILE *out, const struct report *report, const struct console_options *options,
                   struct err *err)
{
	const struct console console = { out, terminal_of(out), report, options };
	bool ok = print_results(&console, err);

	if (ok && report->intervals && report->intervals->counts_latency)
		ok = print_intervals(&console, err);
	if (ok && report->memory && report->memory->line_size)
		print_contention(&console);
	if (ok && options->ratios)
		ok = ratios_print(out, report, options->limit, err);
	if (ok && report->instructions && buildstat_selects_functions(report->stat))
		ok = listing_print(out, &console.terminal, report, options->limit, err);
	/* a pipe or a file gets no tables of --by */
	for (unsigned i = 0; ok && console.terminal.columns && i < report->by->count; i++)
		ok = print_group_table(&console, &report->by->items[i], &report->groups[i], err);
	return ok;
}

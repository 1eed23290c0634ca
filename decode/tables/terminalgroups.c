/* The tables of --by on a terminal: the first rows of each event. */
#include "decode/tables/terminaltables.h"

#include <inttypes.h>
#include <stdlib.h>

#define NUMBERS_WIDTH 26 /* columns of the numbers, and of the space behind them */
#define GAP 2            /* columns between keys */
#define KEY_LEAST 6      /* columns of a key, however many there are */
#define NUMBER_TEXT 32   /* bytes */
#define NS_PER_SECOND 1e9

/* The rows of one event that are shown. */
struct shown_groups {
	const struct report *report;
	const struct group_table *table;
	const struct group_rows *rows;
	size_t first, count; /* of the event's rows */
	size_t shown;
	size_t widths[KEY_COUNT]; /* columns, by position of the key */
};

/* The text of a key in a row; numbers are written to `room`. */
static const char *key_text(const struct shown_groups *groups, size_t row, unsigned position,
                            char room[NUMBER_TEXT])
{
	const struct report *report = groups->report;
	const uint64_t word = group_row_words(groups->rows, groups->first + row)[position];
	const enum group_key key = groups->table->keys[position];
	const enum key_type type = group_key_type(key);

	if (type == KEY_TYPE_TEXT)
		return strings_get(report->stat->strings, (uint32_t)word);
	*room = '\0';
	if (type == KEY_TYPE_NUMBER)
		snprintf(room, NUMBER_TEXT, "%" PRId64, (int64_t)word);
	else if (type == KEY_TYPE_HEX)
		snprintf(room, NUMBER_TEXT, "0x%" PRIx64, word);
	else if (type == KEY_TYPE_LINE ? word == 0 : word == WORD_NONE)
		;
	else if (key == KEY_TIME) /* as in --time */
		snprintf(room, NUMBER_TEXT, "%.3f s",
		         ((double)word - (double)report->summary->first_time) / NS_PER_SECOND);
	else
		snprintf(room, NUMBER_TEXT, "%" PRIu64, word);
	return room;
}

/* The name of a key, but not that of a column of numbers. */
static const char *key_title(enum group_key key)
{
	return key == KEY_TIME ? "slice" : group_key_name(key);
}

/* Gives each key the columns that it needs; if there are too few, the widest ones get less. */
static void share_columns(struct shown_groups *groups, size_t room)
{
	const unsigned keys = groups->table->key_count;
	char number[NUMBER_TEXT];
	size_t used = 0;

	for (unsigned k = 0; k < keys; k++) {
		size_t *width = &groups->widths[k];

		*width = strlen(key_title(groups->table->keys[k]));
		for (size_t i = 0; i < groups->shown; i++) {
			size_t wanted = text_characters(key_text(groups, i, k, number));

			*width = wanted > *width ? wanted : *width;
		}
		used += *width + GAP;
	}
	while (used > room + GAP) {
		size_t *widest = &groups->widths[0];

		for (unsigned k = 1; k < keys; k++)
			if (groups->widths[k] > *widest)
				widest = &groups->widths[k];
		if (*widest <= KEY_LEAST)
			break;
		--*widest;
		used--;
	}
}

static void print_key(FILE *out, const struct shown_groups *groups, unsigned position,
                      const char *text)
{
	char *last;

	fputs("  ", out);
	if (position + 1 < groups->table->key_count) {
		print_padded(out, text, groups->widths[position]);
		return;
	}
	last = shortened(text, groups->widths[position]);
	fprintf(out, "%s\n", last ? last : "");
	free(last);
}

static void print_group(FILE *out, const struct terminal *terminal,
                        const struct shown_groups *groups, size_t row, uint32_t event)
{
	const struct buildstat *stat = groups->report->stat;
	const struct group_rows *rows = groups->rows;
	const struct group_sum *sum = &rows->sums[rows->order[groups->first + row]];
	char text[SHORT_NUMBER_SIZE], number[NUMBER_TEXT];

	print_share_of(out, terminal, sum->period, buildstat_totals(stat, event)->period);
	format_period(text, sum->period, is_clock(stat->session, event));
	fprintf(out, "%9s", text);
	short_count(text, sum->samples);
	fprintf(out, "%9s", text);
	for (unsigned k = 0; k < groups->table->key_count; k++)
		print_key(out, groups, k, key_text(groups, row, k, number));
}

static void print_event_groups(FILE *out, const struct terminal *terminal,
                               struct shown_groups *groups)
{
	const struct group_table *table = groups->table;
	const uint32_t event = (uint32_t)group_row_words(groups->rows,
	                                                 groups->first)[table->key_count];
	const struct session *session = groups->report->session;
	char *name = shortened(buildstat_event_name(session, event), terminal->columns / 2);

	share_columns(groups, terminal->columns - NUMBERS_WIDTH);
	print_bold(out, terminal, "# %s.csv, %s", table->name, name ? name : "");
	fprintf(out, "percent %9s  samples", is_clock(session, event) ? "time" : "period");
	for (unsigned k = 0; k < table->key_count; k++)
		print_key(out, groups, k, key_title(table->keys[k]));
	for (size_t i = 0; i < groups->shown; i++)
		print_group(out, terminal, groups, i, event);
	if (groups->count > groups->shown)
		fprintf(out, "%7s %zu more: see %s.csv, or use --limit=0\n", "...",
		        groups->count - groups->shown, table->name);
	fputs("\n", out);
	free(name);
}

static bool print_table(FILE *out, const struct terminal *terminal, const struct report *report,
                        const struct group_table *table, size_t limit, struct err *err)
{
	const struct group_source source = { report->stat, report->names, report->calls };
	struct group_rows rows = { 0 };
	struct shown_groups groups = { .report = report, .table = table, .rows = &rows };
	bool ok = group_rows_make(&rows, table, &source, err);

	for (size_t end; ok && groups.first < rows.count; groups.first = end) {
		const uint64_t event = group_row_words(&rows, groups.first)[table->key_count];

		for (end = groups.first + 1; end < rows.count; end++)
			if (group_row_words(&rows, end)[table->key_count] != event)
				break;
		groups.count = end - groups.first;
		groups.shown = limit && limit < groups.count ? limit : groups.count;
		print_event_groups(out, terminal, &groups);
	}
	group_rows_release(&rows);
	return ok;
}

bool terminal_print_groups(FILE *out, const struct terminal *terminal, const struct report *report,
                           const struct group_tables *list, size_t limit, struct err *err)
{
	for (unsigned i = 0; i < list->count; i++)
		if (!print_table(out, terminal, report, &list->items[i], limit, err))
			return false;
	return true;
}

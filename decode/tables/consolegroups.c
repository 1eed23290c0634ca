#include "decode/tables/consolegroups.h"

#include "decode/tables/consoletable.h"

#include <inttypes.h>

#define NS_PER_SECOND 1e9

/* The rows of one event. */
struct event_groups {
	const struct report *report;
	const struct group_table *table;
	const struct group_rows *rows;
	size_t first, count;
};

static const uint64_t *words_of(const struct event_groups *groups, size_t row)
{
	return groups->rows->order[groups->first + row].words;
}

static struct console_numbers numbers_of_group(const void *context, size_t row)
{
	const struct event_groups *groups = context;
	const struct group_sum *sum = groups->rows->order[groups->first + row].sum;

	return (struct console_numbers){ .period = sum->period, .samples = sum->samples };
}

static const char *key_of_group(const void *context, size_t row, unsigned position,
                                char room[CONSOLE_TEXT_SIZE])
{
	const struct event_groups *groups = context;
	const struct report *report = groups->report;
	const uint64_t word = words_of(groups, row)[position];
	const enum group_key key = groups->table->keys[position];

	if (group_key_is_text(key))
		return strings_get(report->stat->strings, (uint32_t)word);
	*room = '\0';
	if (group_word_is_empty(key, word))
		;
	else if (key == KEY_ADDRESS)
		snprintf(room, CONSOLE_TEXT_SIZE, "0x%" PRIx64, word);
	else if (key == KEY_TIME) /* as in --time */
		snprintf(room, CONSOLE_TEXT_SIZE, "%.3f s",
		         (double)(word - report->summary->first_time) / NS_PER_SECOND);
	else
		snprintf(room, CONSOLE_TEXT_SIZE, "%" PRId64, (int64_t)word);
	return room;
}

static struct console_column column_of_key(enum group_key key)
{
	return (struct console_column){
		/* "time" is a column of numbers */
		.title = key == KEY_TIME ? "slice" : group_key_column(key)->name,
		.number = !group_key_is_text(key),
		.binary = key == KEY_BINARY,
	};
}

static bool print_event(FILE *out, const struct terminal *terminal,
                        const struct event_groups *groups, size_t limit, struct err *err)
{
	const struct group_table *table = groups->table;
	const struct buildstat *stat = groups->report->stat;
	const uint32_t event = (uint32_t)words_of(groups, 0)[table->key_count];
	char file[GROUP_NAME_SIZE + sizeof(".csv, ")];
	struct console_table shape = {
		.terminal = *terminal,
		.column_count = table->key_count,
		.count = groups->count,
		.shown = limit && limit < groups->count ? limit : groups->count,
		.noun = "row",
		.file = table->name,
		.whole = buildstat_totals(stat, event)->period,
		.clock = buildstat_event_is_clock(stat->session, event),
		.rows = groups,
		.numbers = numbers_of_group,
		.name = key_of_group,
	};

	for (unsigned k = 0; k < table->key_count; k++)
		shape.columns[k] = column_of_key(table->keys[k]);
	snprintf(file, sizeof(file), "%s.csv, ", table->name);
	console_title(out, terminal, file, buildstat_event_name(stat->session, event), "");
	return console_table_print(out, &shape, err);
}

/* Whether row `row` behind the first one exists and is of the same event. */
static bool is_same_event(const struct event_groups *groups, size_t row)
{
	const unsigned event = groups->table->key_count;

	return groups->first + row < groups->rows->words.count &&
	       words_of(groups, row)[event] == words_of(groups, 0)[event];
}

bool console_print_groups(FILE *out, const struct terminal *terminal, const struct report *report,
                          size_t limit, struct err *err)
{
	for (unsigned i = 0; i < report->by->count; i++) {
		struct event_groups groups = { report, &report->by->items[i], &report->groups[i], 0,
			                       0 };

		for (; groups.first < groups.rows->words.count; groups.first += groups.count) {
			groups.count = 0;
			while (is_same_event(&groups, groups.count))
				groups.count++;
			if (!print_event(out, terminal, &groups, limit, err))
				return false;
		}
	}
	return true;
}

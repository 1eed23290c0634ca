#include "decode/tables/grouptables.h"

#include "decode/tables/tables.h"
#include "util/nearest.h"

#include <stdio.h>
#include <string.h>

#define SLICE_DEFAULT 100000000 /* ns */

/* All possible keys, in the order of enum group_key, followed by the columns of every table. */
static const struct column groups_columns[] = {
	{ "pid", COLUMN_INTEGER, "", "process", 0 },
	{ "tid", COLUMN_INTEGER, "", "thread", 0 },
	{ "comm", COLUMN_TEXT, "", "name of the process at that moment", 0 },
	{ "thread", COLUMN_TEXT, "", "name of the thread at that moment", 0 },
	{ "cpu", COLUMN_INTEGER, "", "CPU", 0 },
	{ "mode", COLUMN_TEXT, "",
	  "user, kernel, guest-user, guest-kernel or hypervisor: where code ran", 0 },
	{ "cgroup", COLUMN_PATH, "", "control group, if recorded", 0 },
	{ "time", COLUMN_TIME, "ns", "start of the slice of time", 0 },
	{ "binary", COLUMN_PATH, "", "as recorded, or [kernel.kallsyms] and the like", 0 },
	{ "build_id", COLUMN_TEXT, "", "of the binary, if known", 0 },
	{ "function", COLUMN_TEXT, "", "its name, or [unknown]", 0 },
	{ "source_file", COLUMN_PATH, "",
	  "where the function is defined; beside the key line: the file of the line", 0 },
	{ "line", COLUMN_INTEGER, "", "its number, from 1", 0 },
	{ "address", COLUMN_ADDRESS, "", "as objdump prints it", 0 },
	{ "symbols", COLUMN_TEXT, "", "where the name came from, or why there is none", 0 },
	{ "caller", COLUMN_TEXT, "", "the function directly outside, with call chains; empty: none",
	  0 },
	{ "event", COLUMN_TEXT, "", "as the recording names it", 0 },
	{ "period", COLUMN_INTEGER, "events", "that the samples stand for", 0 },
	{ "samples", COLUMN_INTEGER, "samples", "with these keys", 2 },
	{ "percent", COLUMN_DECIMAL, "percent", "of the event's whole period", 1 },
};

const struct table_format groups_format = TABLE_FORMAT("groups", groups_columns);

#define OWN_COLUMNS 4 /* the columns of every table, after its keys */

/* The column of a key. */
static const struct column *column_of(enum group_key key)
{
	const char *name = group_key_name(key);

	for (size_t i = 0; i < ARRAY_SIZE(groups_columns) - OWN_COLUMNS; i++)
		if (!strcmp(groups_columns[i].name, name))
			return &groups_columns[i];
	return NULL;
}

static bool is_name(const char *text, size_t length)
{
	if (!length || length >= GROUP_NAME_SIZE || *text < 'a' || *text > 'z')
		return false;
	for (size_t i = 0; i < length; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_", text[i]))
			return false;
	return true;
}

/* Names of tables that are planned. */
static bool is_reserved(const char *name)
{
	static const char *const others[] = { "sched",    "threads", "syscalls",
		                              "branches", "memory",  "recordings" };

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(others[i], name))
			return true;
	return false;
}

/* Whether another table already has this name. */
static bool is_taken(const struct group_tables *list, const char *name)
{
	if (table_find(name, strlen(name)))
		return true;
	for (unsigned i = 0; i < list->count; i++)
		if (!strcmp(list->names[i], name))
			return true;
	return false;
}

static bool parse_table_name(struct group_tables *list, const char *text, size_t length,
                             struct err *err)
{
	char *name = list->names[list->count];

	if (!is_name(text, length))
		return err_set(err, ERR_USAGE,
		               "--by: expected a table's name of a-z, 0-9 and _, found %.*s",
		               (int)length, text);
	memcpy(name, text, length);
	name[length] = '\0';
	if (is_reserved(name))
		return err_set(err, ERR_USAGE,
		               "--by: the name %s is reserved for a table of a later readperf: "
		               "choose another one",
		               name);
	if (is_taken(list, name))
		return err_set(err, ERR_USAGE,
		               "--by: there is another table %s: name this one, as "
		               "--by=NAME=KEY,...",
		               name);
	list->items[list->count].name = name;
	return true;
}

const char *group_key_at(const void *context, size_t index)
{
	(void)context;
	for (int key = 0; key < KEY_COUNT; key++)
		if (group_key_name((enum group_key)key) && !index--)
			return group_key_name((enum group_key)key);
	return NULL;
}

static bool parse_key(struct group_table *table, const char *text, size_t length, struct err *err)
{
	enum group_key key = group_key_find(text, length);
	char known[300];

	if (key == KEY_COUNT) {
		join_names(known, sizeof(known), group_key_at, NULL);
		return err_set(err, ERR_USAGE, "--by: expected a key of %s, found %.*s", known,
		               (int)length, text);
	}
	for (unsigned i = 0; i < table->key_count; i++)
		if (table->keys[i] == key)
			return err_set(err, ERR_USAGE, "--by: the key %.*s is there twice",
			               (int)length, text);
	table->keys[table->key_count++] = key;
	return true;
}

bool group_tables_add(struct group_tables *list, const char *text, struct err *err)
{
	const char *equals = strchr(text, '=');
	struct group_table *table = &list->items[list->count];

	if (list->count == GROUP_TABLES_MOST)
		return err_set(err, ERR_USAGE, "--by: no more than %d tables", GROUP_TABLES_MOST);
	if (!parse_table_name(list, equals ? text : "groups", equals ? (size_t)(equals - text) : 6,
	                      err))
		return false;
	table->key_count = 0;
	for (text = equals ? equals + 1 : text;; text++) {
		size_t length = strcspn(text, ",");

		if (!parse_key(table, text, length, err))
			return false;
		text += length;
		if (!*text)
			break;
	}
	list->count++;
	return true;
}

unsigned group_tables_keys(const struct group_tables *list)
{
	unsigned keys = 0;

	for (unsigned i = 0; i < list->count; i++)
		keys |= group_table_keys(&list->items[i]);
	return keys;
}

struct time_side group_tables_slice(const struct group_tables *list)
{
	const struct time_side usual = { TIME_SECONDS, SLICE_DEFAULT };

	return list->slice.value ? list->slice : usual;
}

static void print_key(struct table_writer *out, const struct strings *strings, enum group_key key,
                      uint64_t word)
{
	enum key_type type = group_key_type(key);

	if (type == KEY_TYPE_NUMBER)
		table_i64(out, (int64_t)word);
	else if (type == KEY_TYPE_TEXT)
		table_str(out, strings_get(strings, (uint32_t)word));
	else if (type == KEY_TYPE_HEX)
		table_address(out, word);
	else if (type == KEY_TYPE_LINE ? word == 0 : word == WORD_NONE)
		table_empty(out);
	else if (key == KEY_TIME)
		table_time(out, word);
	else
		table_u64(out, word);
}

static void print_rows(const struct group_table *table, const struct group_rows *rows,
                       const struct buildstat *stat, struct table_writer *out)
{
	for (size_t i = 0; i < rows->words.count; i++) {
		const uint64_t *words = rows->order[i].words;
		const struct group_sum *sum = rows->order[i].sum;
		uint32_t event = (uint32_t)words[table->key_count];

		for (unsigned k = 0; k < table->key_count; k++)
			print_key(out, stat->strings, table->keys[k], words[k]);
		table_str(out, buildstat_event_name(stat->session, event));
		table_u64(out, sum->period);
		table_u64(out, sum->samples);
		table_percent(out, sum->period, buildstat_totals(stat, event)->period);
		table_end_row(out);
	}
}

void group_format_init(struct group_format *made, const struct group_table *table)
{
	_Static_assert(KEY_COUNT + OWN_COLUMNS == ARRAY_SIZE(made->columns), "room for all");
	made->format = (struct table_format){ .name = table->name,
		                              .columns = made->columns,
		                              .column_count = table->key_count + OWN_COLUMNS };
	for (unsigned i = 0; i < table->key_count; i++)
		made->columns[i] = *column_of(table->keys[i]);
	memcpy(made->columns + table->key_count,
	       groups_columns + ARRAY_SIZE(groups_columns) - OWN_COLUMNS,
	       OWN_COLUMNS * sizeof(*made->columns));
}

bool group_tables_make(const struct group_tables *list, struct group_rows *rows,
                       struct report *report, struct err *err)
{
	const struct group_source source = { report->stat, report->names, report->calls };

	report->groups = rows;
	for (unsigned i = 0; i < list->count; i++)
		if (!group_rows_make(&rows[i], &list->items[i], &source, err))
			return false;
	return true;
}

static bool write_group_table(const struct group_table *table, const struct group_rows *rows,
                              const struct buildstat *stat, struct table_writer *out,
                              struct err *err)
{
	struct group_format made;
	bool ok;

	group_format_init(&made, table);
	ok = out->kind->begin(out->context, &made.format, err);
	if (ok)
		print_rows(table, rows, stat, out);
	ok = ok && out->kind->end(out->context, err);
	out->kind->discard(out->context);
	return ok;
}

bool group_tables_write(const struct group_tables *list, const struct report *report,
                        struct table_writer *out, struct err *err)
{
	for (unsigned i = 0; i < list->count; i++)
		if (!write_group_table(&list->items[i], &report->groups[i], report->stat, out, err))
			return false;
	return true;
}

#include "decode/tables/grouptables.h"

#include "decode/naming/groupwords.h"
#include "decode/tables/tables.h"
#include "util/nearest.h"
#include "util/text.h"

#include <string.h>

static bool is_name(const char *text, size_t length)
{
	return length && length < GROUP_NAME_SIZE && *text >= 'a' && *text <= 'z' &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") >= length;
}

/* Names of tables that are planned. */
static bool is_reserved(const char *name)
{
	static const char *const others[] = { "sched", "syscalls", "recordings" };

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(others[i], name))
			return true;
	return false;
}

/* Whether another table already has this name. */
static bool is_taken(const struct group_tables *list, const char *name)
{
	for (unsigned i = 0; i < list->count; i++)
		if (!strcmp(list->items[i].name, name))
			return true;
	return table_find(name, strlen(name));
}

static bool parse_table_name(struct group_tables *list, const char *text, size_t length,
                             struct err *err)
{
	char *name = list->items[list->count].name;

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
	return true;
}

const char *group_key_at(const void *context, size_t index)
{
	(void)context;
	for (enum group_key key = 0; key < KEY_COUNT; key++)
		if (group_key_column(key)->name && !index--)
			return group_key_column(key)->name;
	return NULL;
}

static bool parse_key(struct group_table *table, struct field_request *fields, const char *text,
                      size_t length, struct err *err)
{
	static const char field[] = "field.";
	const size_t prefix = strlen(field);
	enum group_key key = group_key_find(text, length);
	const char *name = key < KEY_COUNT ? group_key_column(key)->name : NULL;
	char known[300];

	if (length > prefix && !memcmp(text, field, prefix)) {
		unsigned number = field_request_key(fields, text + prefix, length - prefix, err);

		if (number == FIELD_KEYS_MOST)
			return false;
		key = (enum group_key)(KEY_FIELD + (int)number);
		/* lives as long as the argument */
		name = fields->headers[number];
	}
	if (key == KEY_COUNT) {
		join_names(known, sizeof(known), group_key_at, NULL);
		return length ? err_set(err, ERR_USAGE, "--by: expected a key of %s, found %.*s",
		                        known, (int)length, text)
		              : err_set(err, ERR_USAGE, "--by: expected a key of %s, found nothing",
		                        known);
	}
	for (unsigned i = 0; i < table->key_count; i++)
		if (table->keys[i] == key)
			return err_set(err, ERR_USAGE, "--by: the key %.*s is there twice",
			               (int)length, text);
	table->names[table->key_count] = name;
	table->keys[table->key_count++] = key;
	return true;
}

static bool parse_keys(struct group_table *table, struct field_request *fields, const char *text,
                       struct err *err)
{
	table->key_count = 0;
	for (;; text++) {
		size_t length = strcspn(text, ",");

		if (!parse_key(table, fields, text, length, err))
			return false;
		text += length;
		if (!*text)
			return true;
	}
}

/* A branch has no other place than its two ends. */
static bool branch_keys_fit(const struct group_table *table, struct err *err)
{
	const unsigned keys = group_table_keys(table);

	for (unsigned i = 0; keys & KEYS_OF_BRANCHES && i < table->key_count; i++)
		if (table->keys[i] >= KEY_SAMPLE_END && !(KEYS_OF_BRANCHES >> table->keys[i] & 1))
			return err_set(err, ERR_USAGE,
			               "--by: from_function and to_function count branches: "
			               "expected no %s beside them, which is of the sample's place",
			               table->names[i]);
	return true;
}

static bool add_latency_keys(struct group_tables *list, const char *keys, struct err *err)
{
	if (!parse_keys(&list->latency, &list->fields, keys, err))
		return false;
	return !(group_table_keys(&list->latency) & KEYS_OF_BRANCHES) ||
	       err_set(err, ERR_USAGE,
	               "--by=latency: expected no from_function or to_function, which count "
	               "branches");
}

bool group_tables_add(struct group_tables *list, const char *text, struct err *err)
{
	const char *equals = strchr(text, '='), *keys = equals ? equals + 1 : text;
	struct group_table *table = &list->items[list->count];

	if (text_starts(text, "latency="))
		return add_latency_keys(list, keys, err);
	if (list->count == GROUP_TABLES_MOST)
		return err_set(err, ERR_USAGE, "--by: no more than %d tables", GROUP_TABLES_MOST);
	if (!parse_table_name(list, equals ? text : "groups", equals ? (size_t)(equals - text) : 6,
	                      err) ||
	    !parse_keys(table, &list->fields, keys, err) || !branch_keys_fit(table, err))
		return false;
	list->count++;
	return true;
}

const struct group_table *group_tables_latency(const struct group_tables *list)
{
	static const struct group_table usual = {
		.name = "latency", .keys = { KEY_WHAT }, .names = { "what" }, .key_count = 1
	};

	return list->latency.key_count ? &list->latency : &usual;
}

unsigned group_tables_keys(const struct group_tables *list)
{
	unsigned keys = 0;

	for (unsigned i = 0; i < list->count; i++)
		keys |= group_table_keys(&list->items[i]);
	return keys;
}

bool group_tables_have_slices(const struct group_tables *list)
{
	const unsigned keys = group_tables_keys(list) |
	                      group_table_keys(group_tables_latency(list));

	return keys >> KEY_TIME & 1;
}

struct group_table_row {
	const struct group_table *table;
	const struct buildstat *stat;
	const struct group_rows *rows;
	const struct group_row *row;
};

static const struct group_table_row *group(const void *row)
{
	return row;
}

static struct value group_key_value(const void *row, size_t column)
{
	return group_word_value(group(row)->stat->strings, group(row)->table->keys[column],
	                        group(row)->row->words[column]);
}

static uint32_t group_event_of(const void *row)
{
	return (uint32_t)group(row)->row->words[group(row)->table->key_count];
}

VALUE(group_table_row, group_event,
      value_str(buildstat_event_name(row->stat->session, group_event_of(row))));
VALUE(group_table_row, group_period, value_u64(row->row->period));
VALUE(group_table_row, group_samples, value_u64(row->row->samples));
VALUE(group_table_row, group_percent,
      value_percent(row->row->period, group_rows_whole(row->rows, row->stat, group_event_of(row))));

/* The columns of every table, after its keys. */
static const struct column own_columns[] = {
	{ "event", COLUMN_TEXT, "", "as the recording names it", 0, group_event },
	{ "period", COLUMN_INTEGER, "events", "that the samples stand for", 0, group_period },
	{ "samples", COLUMN_INTEGER, "samples", "with these keys", 2, group_samples },
	{ "percent", COLUMN_DECIMAL, "percent", "of the event's whole period", 1, group_percent },
};

void group_format_init(struct group_format *made, const struct group_table *table)
{
	_Static_assert(KEY_COUNT + ARRAY_SIZE(own_columns) == ARRAY_SIZE(made->columns),
	               "room for all");
	made->format = (struct table_format){ .name = table->name,
		                              .columns = made->columns,
		                              .column_count = table->key_count +
		                                              ARRAY_SIZE(own_columns),
		                              .value_at = group_key_value };
	for (unsigned i = 0; i < table->key_count; i++) {
		made->columns[i] = *group_key_column(table->keys[i]);
		made->columns[i].name = table->names[i];
		made->columns[i].unit = made->columns[i].unit ? made->columns[i].unit : "";
		if (!made->columns[i].meaning)
			made->columns[i].meaning = "a field of tracepoints";
	}
	memcpy(made->columns + table->key_count, own_columns, sizeof(own_columns));
}

/* Adds the keys from the first one up to the last one, which is not added. */
static void add_keys(struct group_table *table, enum group_key first, enum group_key last)
{
	for (enum group_key key = first; key < last; key++)
		if (group_key_column(key)->name) {
			table->names[table->key_count] = group_key_column(key)->name;
			table->keys[table->key_count++] = key;
		}
}

void group_format_of_all(struct group_format *made)
{
	struct group_table table = { .key_count = 0 };

	add_keys(&table, 0, KEY_WHAT);
	add_keys(&table, KEY_PARALLELISM + 1, KEY_FROM_FUNCTION);
	group_format_init(made, &table);
	/* those of intervals and branches came later, so that they are the last ones */
	for (enum group_key key = KEY_WHAT; key <= KEY_PARALLELISM; key++)
		made->columns[made->format.column_count++] = *group_key_column(key);
	for (enum group_key key = KEY_FROM_FUNCTION; key <= KEY_TO_FUNCTION; key++)
		made->columns[made->format.column_count++] = *group_key_column(key);
	made->format.name = "groups";
}

bool group_tables_make(struct report *report, struct group_rows *rows, struct err *err)
{
	const struct group_source source = { report->stat,     report->names, report->calls,
		                             report->temp_dir, SORTER_LIMIT,  report->branches };

	report->groups = rows;
	for (unsigned i = 0; i < report->by->count; i++)
		if (!group_rows_make(&rows[i], &report->by->items[i], &source, err))
			return false;
	return true;
}

static bool write_group_table(const struct group_table *table, const struct group_rows *rows,
                              const struct buildstat *stat, struct table_writer *out,
                              struct err *err)
{
	struct group_table_row row = { .table = table, .stat = stat, .rows = rows };
	struct group_format made;
	struct group_cursor cursor;
	bool ok;

	group_format_init(&made, table);
	ok = table_begin(out, &made.format, err);
	if (!group_cursor_open(&cursor, rows, err))
		ok = false;
	while (ok && (row.row = group_cursor_next(&cursor, err)))
		table_row(out, &row);
	group_cursor_close(&cursor);
	ok = ok && err->code == ERR_NONE && table_end(out, err);
	table_discard(out);
	return ok;
}

bool group_tables_write(const struct report *report, struct table_writer *out, struct err *err)
{
	for (unsigned i = 0; i < report->by->count; i++)
		if (!write_group_table(&report->by->items[i], &report->groups[i], report->stat, out,
		                       err))
			return false;
	return true;
}

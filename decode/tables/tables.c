#include "decode/tables/tables.h"

#include "util/thread.h"

#define TABLE_ADDRESS(name) &name##_table,
const struct table *const tables[TABLE_COUNT] = { TABLES(TABLE_ADDRESS) };
#undef TABLE_ADDRESS

_Static_assert(TABLE_COUNT <= 64, "a table_set has a bit for each");

static uint64_t table_bit(const struct table *table)
{
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		if (tables[i] == table)
			return UINT64_C(1) << i;
	return 0;
}

bool table_set_has(const struct table_set *set, const struct table *table)
{
	return (set->bits & table_bit(table)) != 0;
}

bool table_set_names(const struct table_set *set, const struct table *table)
{
	return (set->bits & set->named & table_bit(table)) != 0;
}

bool table_set_writes(const struct table_set *set, const struct table *table,
                      const struct report *report)
{
	return table_set_has(set, table) &&
	       (table_set_names(set, table) || !table->can_fill || table->can_fill(report));
}

unsigned table_set_needs(const struct table_set *set)
{
	unsigned needs = 0;

	for (unsigned i = 0; i < TABLE_COUNT; i++)
		if (table_set_names(set, tables[i]))
			needs |= tables[i]->needs;
		else if (table_set_has(set, tables[i]))
			needs |= tables[i]->needs & ~(unsigned)NEEDS_EVERY_STACK;
	return needs;
}

static bool is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && memcmp(text, word, length) == 0;
}

const struct table *table_find(const char *name, size_t length)
{
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		if (is_word(name, length, tables[i]->format->name))
			return tables[i];
	return NULL;
}

bool table_set_fits(struct table_set *set, bool compares, struct err *err)
{
	for (unsigned i = 0; i < TABLE_COUNT; i++) {
		bool has = table_set_has(set, tables[i]);
		bool fits = tables[i]->compares == compares ||
		            (compares && tables[i]->compares_too);

		/* about.csv describes one recording, not a comparison */
		if (tables[i] == &about_table)
			has = has && !compares;
		else if (set->unsaid && compares)
			has = tables[i]->compares;
		else if (has && !fits && table_set_names(set, tables[i]))
			return err_set(err, ERR_USAGE, "--tables: expected no %s %s --base",
			               tables[i]->format->name, compares ? "with" : "without");
		else
			has = has && fits;
		set->bits &= ~table_bit(tables[i]);
		set->bits |= has ? table_bit(tables[i]) : 0;
	}
	return true;
}

const struct table *table_set_drop_files(struct table_set *set)
{
	const struct table *named = NULL;

	for (unsigned i = 0; i < TABLE_COUNT; i++)
		if (tables[i]->file) {
			named = table_set_names(set, tables[i]) ? tables[i] : named;
			set->bits &= ~table_bit(tables[i]);
		}
	return named;
}

static void add_default_tables(struct table_set *set)
{
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		if (tables[i]->by_default)
			set->bits |= table_bit(tables[i]);
	set->named = set->bits;
}

void table_set_add_about(struct table_set *set)
{
	set->bits |= table_bit(&about_table);
}

static bool parse_table_word(struct table_set *set, const char *word, size_t length)
{
	bool remove = length && *word == '-';
	const struct table *table = table_find(word + remove, length - remove);
	uint64_t bit = table ? table_bit(table) : 0;

	if (!table && !is_word(word, length, "all"))
		return false;
	set->bits = table ? set->bits | bit : UINT64_MAX >> (64 - TABLE_COUNT);
	set->named |= bit;
	if (remove) {
		set->bits &= ~bit;
		set->named &= ~bit;
	}
	return true;
}

bool table_set_parse(struct table_set *set, const char *list, const char **wrong)
{
	*set = (struct table_set){ .unsaid = !list };
	/* "-overview" without other names removes it from the default tables */
	if (!list || *list == '-')
		add_default_tables(set);
	for (bool more = list && strcmp(list, "none") != 0; more;) {
		size_t length = strcspn(list, ",");

		*wrong = list;
		if (!parse_table_word(set, list, length))
			return false;
		more = list[length];
		list += length + 1;
	}
	if (set->bits)
		table_set_add_about(set);
	return true;
}

const char *table_names(char names[TABLE_NAMES_SIZE], bool by_default, bool others)
{
	size_t used = 0;

	names[0] = '\0';
	for (unsigned i = 0; i < TABLE_COUNT; i++) {
		if (tables[i] == &about_table || !(tables[i]->by_default ? by_default : others))
			continue;
		used += (size_t)snprintf(names + used, TABLE_NAMES_SIZE - used, "%s%s",
		                         used ? ", " : "", tables[i]->format->name);
		if (used >= TABLE_NAMES_SIZE)
			break;
	}
	return names;
}

static bool write_table(const struct table *table, const struct report *report,
                        struct table_writer *out, struct err *err)
{
	bool ok;

	if (!table->print)
		return true;
	if (table->file)
		return table->print(out, report, err);
	ok = out->kind->begin(out->context, table->format, err) && table->print(out, report, err) &&
	     out->kind->end(out->context, err);
	out->kind->discard(out->context);
	return ok;
}

/* The tables that are written, those that are files of their own by two threads. */
struct table_work {
	const struct table_set *set;
	const struct report *report;
	struct table_writer *out;
	pthread_mutex_t lock;
	unsigned next_file; /* TABLE_COUNT: none is left, or something failed */
	struct err err;     /* the first one */
};

static bool is_written(const struct table_work *work, unsigned number, bool file)
{
	return !tables[number]->file == !file &&
	       table_set_writes(work->set, tables[number], work->report);
}

static void fail_work(struct table_work *work, const struct err *err)
{
	pthread_mutex_lock(&work->lock);
	if (work->err.code == ERR_NONE)
		err_pass(&work->err, err);
	work->next_file = TABLE_COUNT;
	pthread_mutex_unlock(&work->lock);
}

/* The next table that is a file of its own; NULL: none is left. */
static const struct table *next_file(struct table_work *work)
{
	const struct table *next = NULL;

	pthread_mutex_lock(&work->lock);
	for (; !next && work->next_file < TABLE_COUNT; work->next_file++)
		if (is_written(work, work->next_file, true))
			next = tables[work->next_file];
	pthread_mutex_unlock(&work->lock);
	return next;
}

static void write_files(void *context)
{
	struct table_work *work = context;
	struct err err = { .code = ERR_NONE };
	const struct table *table;

	while ((table = next_file(work)))
		if (!write_table(table, work->report, work->out, &err))
			fail_work(work, &err);
}

static void write_rows_first(void *context)
{
	struct table_work *work = context;
	struct err err = { .code = ERR_NONE };
	bool ok = true;

	for (unsigned i = 0; ok && i < TABLE_COUNT; i++)
		if (is_written(work, i, false))
			ok = write_table(tables[i], work->report, work->out, &err);
	if (!ok)
		fail_work(work, &err);
	write_files(work);
}

bool tables_write(const struct table_set *set, const struct report *report,
                  struct table_writer *out, bool two_threads, struct err *err)
{
	struct table_work work = { .set = set, .report = report, .out = out };

	while (work.next_file < TABLE_COUNT && !is_written(&work, work.next_file, true))
		work.next_file++;
	pthread_mutex_init(&work.lock, NULL);
	thread_both(two_threads && work.next_file < TABLE_COUNT, write_rows_first, write_files,
	            &work);
	pthread_mutex_destroy(&work.lock);
	return work.err.code == ERR_NONE || err_pass(err, &work.err);
}

#include "decode/tables/tables.h"

#include "perffile/record/collector.h"
#include "util/nearest.h"
#include "util/text.h"

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

void table_set_remove(struct table_set *set, const struct table *table)
{
	set->bits &= ~table_bit(table);
}

bool table_set_writes(const struct table_set *set, const struct table *table,
                      const struct report *report)
{
	return table_set_has(set, table) &&
	       (table_set_names(set, table) || !table->can_fill || table->can_fill(report));
}

unsigned table_set_needs(const struct table_set *set)
{
	unsigned needs = set->more;

	for (unsigned i = 0; i < TABLE_COUNT; i++)
		if (table_set_names(set, tables[i]))
			needs |= tables[i]->needs;
		else if (table_set_has(set, tables[i]))
			needs |= tables[i]->needs & ~(unsigned)NEEDS_EVERY_STACK;
	return needs;
}

bool table_set_collect(const struct table_set *set, struct collection *collection,
                       const struct session *session, struct err *err)
{
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		if (table_set_has(set, tables[i]) && tables[i]->collects &&
		    !collection_add(collection, tables[i]->collects, session, err))
			return false;
	return true;
}

const struct table *table_find(const char *name, size_t length)
{
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		if (text_is(name, length, tables[i]->format->name))
			return tables[i];
	return NULL;
}

/* Reports a table that was named for another kind of run. Returns false. */
static bool does_not_fit(const struct table *table, enum table_scope scope, struct err *err)
{
	static const char *const options[] = {
		[SCOPE_COMPARISON] = "--base", [SCOPE_TREND] = "--trend"
	};
	const enum table_scope other = scope == SCOPE_RECORDING ? table->scope : scope;

	return err_set(err, ERR_USAGE, "--tables: expected no %s %s %s", table->format->name,
	               scope == SCOPE_RECORDING ? "without" : "with", options[other]);
}

bool table_set_fits(struct table_set *set, enum table_scope scope, struct err *err)
{
	const bool single = scope == SCOPE_RECORDING;

	for (unsigned i = 0; i < TABLE_COUNT; i++) {
		bool has = table_set_has(set, tables[i]);
		bool fits = tables[i]->scope == scope ||
		            (scope == SCOPE_COMPARISON && tables[i]->compares_too);

		/* about.csv describes one recording */
		if (tables[i] == &about_table)
			has = has && single;
		else if (set->unsaid && !single)
			has = tables[i]->scope == scope;
		else if (has && !fits && table_set_names(set, tables[i]))
			return does_not_fit(tables[i], scope, err);
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

const struct table *table_set_keep_shown(struct table_set *set)
{
	const uint64_t shown = table_bit(&lines_table) | table_bit(&addresses_table) |
	                       table_bit(&instructions_table);
	const struct table *named = NULL;

	for (unsigned i = 0; i < TABLE_COUNT && !set->unsaid; i++)
		if (table_set_names(set, tables[i]) && !(table_bit(tables[i]) & shown))
			named = tables[i];
	set->bits &= shown;
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

void table_set_add_picture(struct table_set *set)
{
	const uint64_t bit = table_bit(&trendlines_table);

	if (table_set_has(set, &trend_table) && !(set->removed & bit))
		set->bits |= bit;
}

unsigned table_set_drop_about(struct table_set *set)
{
	if (set->bits != table_bit(&about_table) || !set->named)
		set->bits &= ~table_bit(&about_table);
	return (unsigned)__builtin_popcountll(set->bits);
}

static bool parse_table_word(struct table_set *set, const char *word, size_t length)
{
	bool remove = length && *word == '-';
	const struct table *table = table_find(word + remove, length - remove);
	uint64_t bit = table ? table_bit(table) : 0;

	if (!table && !text_is(word, length, "all"))
		return false;
	set->bits = table ? set->bits | bit : UINT64_MAX >> (64 - TABLE_COUNT);
	set->named |= bit;
	if (remove) {
		set->removed |= bit;
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
	names[0] = '\0';
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		if (tables[i] != &about_table && (tables[i]->by_default ? by_default : others))
			list_name(names, TABLE_NAMES_SIZE, ", ", tables[i]->format->name);
	return names;
}

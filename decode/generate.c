/*
 * Loaders: statements that load the tables of a folder into a database, with the types of the
 * schema.
 */
#include "decode/generate.h"

/* Prints the columns of a table in SQL, each with its type. */
static void print_columns(FILE *out, const struct table_format *format, const char *const types[])
{
	for (size_t i = 0; i < format->column_count; i++)
		fprintf(out, "%s\n\t\"%s\" %s", i ? "," : "", format->columns[i].name,
		        types[format->columns[i].type]);
}

/*
 * HUGEINT holds all unsigned 64-bit integers and -1. DuckDB's own guess for 0x... is BIGINT, which
 * fails at the first kernel address.
 */
static const char *const duckdb_types[] = {
	[COLUMN_TEXT] = "VARCHAR",    [COLUMN_PATH] = "VARCHAR",    [COLUMN_INTEGER] = "HUGEINT",
	[COLUMN_TIME] = "HUGEINT",    [COLUMN_ADDRESS] = "VARCHAR", [COLUMN_DECIMAL] = "DOUBLE",
	[COLUMN_UNSIGNED] = "HUGEINT"
};

static void print_duckdb(FILE *out, const struct table_format *format)
{
	fprintf(out, "CREATE OR REPLACE TABLE \"%s\" AS SELECT * FROM read_csv('%s.csv',\n",
	        format->name, format->name);
	fprintf(out, "\tauto_detect = false, header = true, delim = ',', quote = '\"', "
	             "escape = '\"', nullstr = '', strict_mode = true,\n\tcolumns = {");
	for (size_t i = 0; i < format->column_count; i++)
		fprintf(out, "%s\n\t\t'%s': '%s'", i ? "," : "", format->columns[i].name,
		        duckdb_types[format->columns[i].type]);
	fprintf(out, "\n\t});\n");
}

/*
 * Numbers that may exceed 63 bits are text, because sqlite would round them. Addresses are always
 * text.
 */
static const char *const sqlite_types[] = {
	[COLUMN_TEXT] = "TEXT",    [COLUMN_PATH] = "TEXT",    [COLUMN_INTEGER] = "INTEGER",
	[COLUMN_TIME] = "INTEGER", [COLUMN_ADDRESS] = "TEXT", [COLUMN_DECIMAL] = "REAL",
	[COLUMN_UNSIGNED] = "TEXT"
};

static void print_sqlite(FILE *out, const struct table_format *format)
{
	fprintf(out, "DROP TABLE IF EXISTS \"%s\";\nCREATE TABLE \"%s\" (", format->name,
	        format->name);
	print_columns(out, format, sqlite_types);
	fprintf(out, "\n);\n.import --csv --skip 1 %s.csv %s\n", format->name, format->name);
	for (size_t i = 0; i < format->column_count; i++)
		fprintf(out, "UPDATE \"%s\" SET \"%s\" = NULL WHERE \"%s\" = '';\n", format->name,
		        format->columns[i].name, format->columns[i].name);
}

static const char *const clickhouse_types[] = {
	[COLUMN_TEXT] = "Nullable(String)",     [COLUMN_PATH] = "Nullable(String)",
	[COLUMN_INTEGER] = "Nullable(Int64)",   [COLUMN_TIME] = "Nullable(UInt64)",
	[COLUMN_ADDRESS] = "Nullable(String)",  [COLUMN_DECIMAL] = "Nullable(Float64)",
	[COLUMN_UNSIGNED] = "Nullable(UInt64)",
};

static void print_clickhouse(FILE *out, const struct table_format *format)
{
	fprintf(out, "CREATE OR REPLACE TABLE `%s` (", format->name);
	for (size_t i = 0; i < format->column_count; i++)
		fprintf(out, "%s\n\t`%s` %s", i ? "," : "", format->columns[i].name,
		        clickhouse_types[format->columns[i].type]);
	fprintf(out,
	        "\n) ENGINE = MergeTree ORDER BY tuple();\n"
	        "INSERT INTO `%s` FROM INFILE '%s.csv' SETTINGS input_format_csv_empty_as_default = 1 "
	        "FORMAT CSVWithNames;\n",
	        format->name, format->name);
}

struct generator {
	const char *word;
	void (*print)(FILE *out);
	/* Of a loader: the program that reads what it prints, and the statements for a table. */
	const char *command;
	void (*table)(FILE *out, const struct table_format *format);
};

static const struct generator generators[] = {
	{ .word = "man", .print = man_print },
	{ .word = "bash", .print = bash_print },
	{ .word = "zsh", .print = zsh_print },
	{ .word = "fish", .print = fish_print },
	{ .word = "duckdb", .command = "duckdb tables.duckdb", .table = print_duckdb },
	{ .word = "sqlite", .command = "sqlite3 tables.db", .table = print_sqlite },
	{ .word = "clickhouse",
	  .command = "clickhouse local --path tables.clickhouse",
	  .table = print_clickhouse },
};

const char *generate_word(const void *context, size_t index)
{
	(void)context;
	return index < ARRAY_SIZE(generators) ? generators[index].word : NULL;
}

bool generate_knows(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(generators); i++)
		if (!strcmp(generators[i].word, word))
			return true;
	return false;
}

static void print_loader(FILE *out, const struct generator *generator, const struct table_set *set,
                         const struct group_tables *groups)
{
	fprintf(out, "-- In the folder of the tables: readperf --generate=%s -t TABLES | %s\n",
	        generator->word, generator->command);
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		if (table_set_has(set, tables[i]) && !tables[i]->file)
			generator->table(out, tables[i]->format);
	for (unsigned i = 0; i < groups->count; i++) {
		struct group_format made;

		group_format_init(&made, &groups->items[i]);
		generator->table(out, &made.format);
	}
}

void generate_print(FILE *out, const char *word, const struct table_set *set,
                    const struct group_tables *groups)
{
	for (size_t i = 0; i < ARRAY_SIZE(generators); i++) {
		if (strcmp(generators[i].word, word) != 0)
			continue;
		if (generators[i].print)
			generators[i].print(out);
		else
			print_loader(out, &generators[i], set, groups);
	}
}

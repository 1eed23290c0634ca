/*
 * Loaders: statements that load the tables of a folder into a database, with the types of the
 * schema.
 */
#include "decode/options/generate.h"

/*
 * The types of columns. HUGEINT holds all unsigned 64-bit integers and -1; DuckDB's own guess for
 * 0x... is BIGINT, which fails at the first kernel address. For sqlite, numbers that may exceed 63
 * bits are text, because it would round them. Addresses are always text.
 */
static const struct {
	const char *duckdb, *sqlite, *clickhouse;
} sql_types[] = {
	[COLUMN_TEXT] = { "VARCHAR", "TEXT", "Nullable(String)" },
	[COLUMN_PATH] = { "VARCHAR", "TEXT", "Nullable(String)" },
	[COLUMN_INTEGER] = { "HUGEINT", "INTEGER", "Nullable(Int64)" },
	[COLUMN_TIME] = { "HUGEINT", "INTEGER", "Nullable(UInt64)" },
	[COLUMN_ADDRESS] = { "VARCHAR", "TEXT", "Nullable(String)" },
	[COLUMN_DECIMAL] = { "DOUBLE", "REAL", "Nullable(Float64)" },
	[COLUMN_UNSIGNED] = { "HUGEINT", "TEXT", "Nullable(UInt64)" },
};

static void print_duckdb(FILE *out, const struct table_format *format)
{
	fprintf(out, "CREATE OR REPLACE TABLE \"%s\" AS SELECT * FROM read_csv('%s.csv',\n",
	        format->name, format->name);
	fprintf(out, "\tauto_detect = false, header = true, delim = ',', quote = '\"', "
	             "escape = '\"', nullstr = '', strict_mode = true,\n\tcolumns = {");
	for (size_t i = 0; i < format->column_count; i++)
		fprintf(out, "%s\n\t\t'%s': '%s'", i ? "," : "", format->columns[i].name,
		        sql_types[format->columns[i].type].duckdb);
	fprintf(out, "\n\t});\n");
}

static void print_sqlite(FILE *out, const struct table_format *format)
{
	fprintf(out, "DROP TABLE IF EXISTS \"%s\";\nCREATE TABLE \"%s\" (", format->name,
	        format->name);
	for (size_t i = 0; i < format->column_count; i++)
		fprintf(out, "%s\n\t\"%s\" %s", i ? "," : "", format->columns[i].name,
		        sql_types[format->columns[i].type].sqlite);
	fprintf(out, "\n);\n.import --csv --skip 1 %s.csv %s\n", format->name, format->name);
	for (size_t i = 0; i < format->column_count; i++)
		fprintf(out, "UPDATE \"%s\" SET \"%s\" = NULL WHERE \"%s\" = '';\n", format->name,
		        format->columns[i].name, format->columns[i].name);
}

static void print_clickhouse(FILE *out, const struct table_format *format)
{
	fprintf(out, "CREATE OR REPLACE TABLE `%s` (", format->name);
	for (size_t i = 0; i < format->column_count; i++)
		fprintf(out, "%s\n\t`%s` %s", i ? "," : "", format->columns[i].name,
		        sql_types[format->columns[i].type].clickhouse);
	fprintf(out,
	        "\n) ENGINE = MergeTree ORDER BY tuple();\n"
	        "INSERT INTO `%s` FROM INFILE '%s.csv' SETTINGS input_format_csv_empty_as_default = 1 "
	        "FORMAT CSVWithNames;\n",
	        format->name, format->name);
}

struct generator {
	void (*print)(FILE *out);
	/* Of a loader: its word, the program that reads what it prints, a table's statements. */
	const char *word, *command;
	void (*table)(FILE *out, const struct table_format *format);
};

static const struct generator generators[GENERATE_COUNT] = {
	[GENERATE_MAN] = { .print = man_print },
	[GENERATE_BASH] = { .print = bash_print },
	[GENERATE_ZSH] = { .print = zsh_print },
	[GENERATE_FISH] = { .print = fish_print },
	[GENERATE_DUCKDB] = { .word = "duckdb",
	                      .command = "duckdb tables.duckdb",
	                      .table = print_duckdb },
	[GENERATE_SQLITE] = { .word = "sqlite",
	                      .command = "sqlite3 tables.db",
	                      .table = print_sqlite },
	[GENERATE_CLICKHOUSE] = { .word = "clickhouse",
	                          .command = "clickhouse local --path tables.clickhouse",
	                          .table = print_clickhouse },
};

static void print_loader(FILE *out, const struct generator *generator, const struct table_set *set,
                         const struct group_tables *groups)
{
	fprintf(out, "-- In the folder of the tables: readperf --generate=%s -t TABLES | %s\n",
	        generator->word, generator->command);
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		if (table_set_has(set, tables[i]) && !tables[i]->file && !tables[i]->several)
			generator->table(out, tables[i]->format);
	for (unsigned i = 0; i < groups->count; i++) {
		struct group_format made;

		group_format_init(&made, &groups->items[i]);
		generator->table(out, &made.format);
	}
}

void generate_print(FILE *out, enum generated what, const struct table_set *set,
                    const struct group_tables *groups)
{
	const struct generator *generator = &generators[what];

	if (generator->print)
		generator->print(out);
	else
		print_loader(out, generator, set, groups);
}

void generate_table(FILE *out, enum generated what, const struct table_format *format)
{
	generators[what].table(out, format);
}

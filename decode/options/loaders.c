#include "decode/options/loaders.h"

/*
 * The types of columns. HUGEINT holds all unsigned 64-bit integers and -1; DuckDB's own guess for
 * 0x... is BIGINT, which fails at the first kernel address. Parquet has no such integers (DuckDB
 * would write them as DOUBLE). For sqlite, numbers that may exceed 63 bits are text, because it
 * would round them. Addresses are always text.
 */
struct sql_types {
	const char *duckdb, *parquet, *sqlite, *clickhouse, *spark;
};

static const struct sql_types text_types = { "VARCHAR", "VARCHAR", "TEXT", "Nullable(String)",
	                                     "STRING" };

static const struct sql_types *types_of(const struct column *column)
{
	static const struct sql_types numbers[] = {
		[COLUMN_INTEGER] = { "HUGEINT", "BIGINT", "INTEGER", "Nullable(Int64)", "BIGINT" },
		[COLUMN_TIME] = { "HUGEINT", "UBIGINT", "INTEGER", "Nullable(UInt64)",
		                  "DECIMAL(20,0)" },
		[COLUMN_DECIMAL] = { "DOUBLE", "DOUBLE", "REAL", "Nullable(Float64)", "DOUBLE" },
		[COLUMN_UNSIGNED] = { "HUGEINT", "UBIGINT", "TEXT", "Nullable(UInt64)",
		                      "DECIMAL(20,0)" },
	};

	return column->type < ARRAY_SIZE(numbers) && numbers[column->type].duckdb
	               ? &numbers[column->type]
	               : &text_types;
}

/* FOLDER/KEY=ANY/NAMEend; a place without partitions: FOLDER/NAMEend. */
static void print_path(FILE *out, const struct loader_place *place, const char *name,
                       const char *end)
{
	if (place->folder)
		fprintf(out, "%s%s", place->folder,
		        place->folder[strlen(place->folder) - 1] == '/' ? "" : "/");
	if (place->partition)
		fprintf(out, "%s=*/", place->partition);
	fprintf(out, "%s%s", name, end);
}

/* The file that a loader makes of a table. */
static void print_parquet_path(FILE *out, const struct loader_place *place, const char *name)
{
	const struct loader_place beside = { .folder = place->folder };

	print_path(out, &beside, name, ".parquet");
}

/* What lies in a folder that was named may be packed: NAME.csv, NAME.csv.gz, NAME.csv.zst. */
static const char *file_end(const struct loader_place *place)
{
	return place->folder ? ".csv*" : ".csv";
}

/* --- DuckDB */

static void print_duckdb_rows(FILE *out, const struct table_format *format,
                              const struct loader_place *place, bool parquet)
{
	fprintf(out, "SELECT * FROM read_csv('");
	print_path(out, place, format->name, file_end(place));
	fprintf(out, "',\n\tauto_detect = false, header = true, delim = ',', quote = '\"', "
	             "escape = '\"', nullstr = '', strict_mode = true,\n");
	/* tables of an older readperf have fewer columns; 0123 is no number */
	if (place->folder)
		fprintf(out, "\tnull_padding = true,");
	if (place->partition)
		fprintf(out, " hive_partitioning = true, hive_types = {'%s': VARCHAR},",
		        place->partition);
	fprintf(out, "%s\tcolumns = {", place->folder ? "\n" : "");
	for (size_t i = 0; i < format->column_count; i++) {
		const struct sql_types *types = types_of(&format->columns[i]);

		fprintf(out, "%s\n\t\t'%s': '%s'", i ? "," : "", format->columns[i].name,
		        parquet ? types->parquet : types->duckdb);
	}
	fprintf(out, "\n\t})");
}

static void print_duckdb(FILE *out, const struct table_format *format,
                         const struct loader_place *place)
{
	fprintf(out, "CREATE OR REPLACE TABLE \"%s\" AS ", format->name);
	print_duckdb_rows(out, format, place, false);
	fprintf(out, ";\n");
}

static void print_duckdb_parquet(FILE *out, const struct table_format *format,
                                 const struct loader_place *place)
{
	fprintf(out, "COPY (");
	print_duckdb_rows(out, format, place, true);
	fprintf(out, ") TO '");
	print_parquet_path(out, place, format->name);
	fprintf(out, "' (FORMAT parquet, COMPRESSION zstd);\n");
}

/* --- SQLite */

static void print_sqlite(FILE *out, const struct table_format *format,
                         const struct loader_place *place)
{
	const char *quote = place->folder ? "\"" : "";

	fprintf(out, "DROP TABLE IF EXISTS \"%s\";\nCREATE TABLE \"%s\" (", format->name,
	        format->name);
	for (size_t i = 0; i < format->column_count; i++)
		fprintf(out, "%s\n\t\"%s\" %s", i ? "," : "", format->columns[i].name,
		        types_of(&format->columns[i])->sqlite);
	fprintf(out, "\n);\n.import --csv --skip 1 %s", quote);
	print_path(out, place, format->name, ".csv");
	fprintf(out, "%s %s\n", quote, format->name);
	for (size_t i = 0; i < format->column_count; i++)
		fprintf(out, "UPDATE \"%s\" SET \"%s\" = NULL WHERE \"%s\" = '';\n", format->name,
		        format->columns[i].name, format->columns[i].name);
}

/* --- ClickHouse */

static void print_clickhouse_columns(FILE *out, const struct table_format *format,
                                     const char *indent)
{
	for (size_t i = 0; i < format->column_count; i++)
		fprintf(out, "%s\n%s`%s` %s", i ? "," : "", indent, format->columns[i].name,
		        types_of(&format->columns[i])->clickhouse);
}

/*
 * The rows of a folder that was named, columns by their names: tables of an older readperf have
 * fewer. The value of the partition is taken out of the path, as a text.
 */
static void print_clickhouse_rows(FILE *out, const struct table_format *format,
                                  const struct loader_place *place)
{
	fprintf(out, "SELECT");
	for (size_t i = 0; i < format->column_count; i++)
		fprintf(out, "%s `%s`", i ? "," : "", format->columns[i].name);
	if (place->partition)
		fprintf(out, ",\n\textract(_path, '/%s=([^/]*)/[^/]*$') AS `%s`", place->partition,
		        place->partition);
	fprintf(out, "\nFROM file('");
	print_path(out, place, format->name, file_end(place));
	fprintf(out, "', CSVWithNames, '");
	print_clickhouse_columns(out, format, "\t");
	fprintf(out, "')\nSETTINGS input_format_csv_empty_as_default = 1");
}

static void print_clickhouse(FILE *out, const struct table_format *format,
                             const struct loader_place *place)
{
	fprintf(out, "CREATE OR REPLACE TABLE `%s` (", format->name);
	print_clickhouse_columns(out, format, "\t");
	if (place->partition)
		fprintf(out, ",\n\t`%s` String", place->partition);
	fprintf(out, "\n) ENGINE = MergeTree ORDER BY %s;\nINSERT INTO `%s` ",
	        place->partition ? place->partition : "tuple()", format->name);
	if (place->folder) {
		print_clickhouse_rows(out, format, place);
		fprintf(out, ";\n");
	} else {
		fprintf(out,
		        "FROM INFILE '%s.csv' SETTINGS input_format_csv_empty_as_default = 1 "
		        "FORMAT CSVWithNames;\n",
		        format->name);
	}
}

static void print_clickhouse_parquet(FILE *out, const struct table_format *format,
                                     const struct loader_place *place)
{
	fprintf(out, "INSERT INTO FUNCTION file('");
	print_parquet_path(out, place, format->name);
	fprintf(out, "', Parquet) ");
	print_clickhouse_rows(out, format, place);
	fprintf(out, ", engine_file_truncate_on_insert = 1, "
	             "output_format_parquet_compression_method = 'zstd';\n");
}

/* --- Spark */

static void print_spark(FILE *out, const struct table_format *format,
                        const struct loader_place *place)
{
	fprintf(out, "CREATE OR REPLACE TEMPORARY VIEW `%s` (", format->name);
	for (size_t i = 0; i < format->column_count; i++)
		fprintf(out, "%s\n\t`%s` %s", i ? "," : "", format->columns[i].name,
		        types_of(&format->columns[i])->spark);
	if (place->partition)
		fprintf(out, ",\n\t`%s` STRING", place->partition);
	fprintf(out, "\n) USING csv OPTIONS (path '");
	print_path(out, place, format->name, file_end(place));
	if (place->partition)
		fprintf(out, "', basePath '%s", place->folder);
	fprintf(out, "', header 'true', quote '\"', escape '\"', nullValue '');\n");
}

/* --- all of them */

struct loader {
	/* Its word, how a program reads what it prints, and a table's statements. */
	const char *word, *command;
	void (*table)(FILE *out, const struct table_format *format,
	              const struct loader_place *place);
	bool partitions;
};

static const struct loader loaders[GENERATE_COUNT] = {
	[GENERATE_DUCKDB] = { "duckdb", "| duckdb tables.duckdb", print_duckdb, true },
	[GENERATE_DUCKDB_PARQUET] = { "duckdb-parquet", "| duckdb", print_duckdb_parquet, true },
	[GENERATE_SQLITE] = { "sqlite", "| sqlite3 tables.db", print_sqlite, false },
	[GENERATE_CLICKHOUSE] = { "clickhouse", "| clickhouse local --path tables.clickhouse",
	                          print_clickhouse, true },
	[GENERATE_CLICKHOUSE_PARQUET] = { "clickhouse-parquet", "| clickhouse local",
	                                  print_clickhouse_parquet, true },
	[GENERATE_SPARK] = { "spark", ">load.sql; spark-sql -i load.sql", print_spark, true },
};

bool is_loader(enum generated what)
{
	return what < GENERATE_COUNT && loaders[what].table;
}

bool loads_partitions(enum generated what)
{
	return is_loader(what) && loaders[what].partitions;
}

void loader_print_head(FILE *out, enum generated what, const char *folder)
{
	const struct loader *loader = &loaders[what];

	if (folder)
		fprintf(out, "-- readperf --generate=%s %s %s\n", loader->word, folder,
		        loader->command);
	else
		fprintf(out,
		        "-- In the folder of the tables: readperf --generate=%s -t TABLES %s\n",
		        loader->word, loader->command);
}

void loader_print(FILE *out, enum generated what, const struct table_format *format,
                  const struct loader_place *place)
{
	loaders[what].table(out, format, place);
}

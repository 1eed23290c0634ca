#include "decode/options/optionlist.h"

#include "decode/options/numbers.h"
#include "util/path.h"
#include "util/text.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define THREADS_MAX 1024
#define EVERY_LEAST 10000000 /* ns */

const char *const option_sections[SECTION_COUNT] = {
	[SECTION_OUTPUT] = "Tables and console",
	[SECTION_SAMPLES] = "Selection of samples (LIST: alternatives, *, !EXCLUDED), and groups",
	[SECTION_NAMES] = "Names",
	[SECTION_COMPARE] = "Comparison",
	[SECTION_RUN] = "The run",
	[SECTION_ABOUT] = "About readperf",
};

/* The words of some options; the last one is NULL. */
static const char *const compress_words[] = { "zstd", "gzip", NULL };
static const char *const symbolizer_words[] = { "dwarf", "libdw", "addr2line", "none", NULL };
static const char *const format_words[] = { "csv", "ndjson", NULL };
static const char *const order_words[] = { "self", "total", NULL };
static const char *const scale_words[] = {
	[SCALE_ROBUST] = "robust", [SCALE_SHARE] = "share", [SCALE_NONE] = "none", NULL
};
static const char *const annotate_words[] = { "github", NULL };
static const char *const generate_words[] = { [GENERATE_MAN] = "man",
	                                      [GENERATE_BASH] = "bash",
	                                      [GENERATE_ZSH] = "zsh",
	                                      [GENERATE_FISH] = "fish",
	                                      [GENERATE_DUCKDB] = "duckdb",
	                                      [GENERATE_DUCKDB_PARQUET] = "duckdb-parquet",
	                                      [GENERATE_SQLITE] = "sqlite",
	                                      [GENERATE_CLICKHOUSE] = "clickhouse",
	                                      [GENERATE_CLICKHOUSE_PARQUET] = "clickhouse-parquet",
	                                      [GENERATE_SPARK] = "spark",
	                                      [GENERATE_COUNT] = NULL };

static const char *word_of_array(const void *context, size_t index)
{
	return ((const char *const *)context)[index];
}

/* The index of a word; that of NULL if it is none of them. */
static size_t find_word(const char *const *words, const char *word)
{
	size_t i = 0;

	while (words[i] && strcmp(words[i], word) != 0)
		i++;
	return i;
}

static bool set_output(struct options *options, const char *value, struct err *err)
{
	options->output = value;
	options->output_named = true;
	options->to_stdout = !strcmp(value, "-");
	return option_expect(*value != 0, err, "--output: expected a directory", "nothing");
}

static bool set_workbook(struct options *options, const char *value, struct err *err)
{
#ifndef HAVE_XLSXWRITER
	(void)options;
	(void)value;
	return err_set(err, ERR_USAGE,
	               "--workbook: needs libxlsxwriter, which this build is without");
#else
	const char *base = path_base(value), *end = strrchr(base, '.');

	options->workbook = value;
	return option_expect(end && end > base && !strcasecmp(end, ".xlsx"), err,
	                     "--workbook: expected a name that ends in .xlsx",
	                     *value ? value : "nothing");
#endif
}

static bool set_page(struct options *options, const char *value, struct err *err)
{
	const char *base = path_base(value), *end = strrchr(base, '.');

	options->page = value;
	return option_expect(
		end && end > base && (!strcasecmp(end, ".html") || !strcasecmp(end, ".htm")), err,
		"--report: expected a name that ends in .html", *value ? value : "nothing");
}

static const char *name_of_table(const void *context, size_t index)
{
	static const char *const others[] = { "all", "none", NULL };

	(void)context;
	return index < TABLE_COUNT ? tables[index]->format->name
	                           : others[u64_min(index - TABLE_COUNT, 2)];
}

static bool set_tables(struct options *options, const char *value, struct err *err)
{
	char names[TABLE_NAMES_SIZE], expected[TABLE_NAMES_SIZE + 64];
	const char *wrong;

	snprintf(expected, sizeof(expected), "--tables: expected a list of %s; or all, or none",
	         table_names(names, true, true));
	return option_expect(table_set_parse(&options->tables, value, &wrong), err, expected,
	                     value);
}

static void list_tables(char text[OPTION_TEXT_SIZE])
{
	char first[TABLE_NAMES_SIZE], others[TABLE_NAMES_SIZE];

	snprintf(text, OPTION_TEXT_SIZE,
	         "%s (the default), %s; all; all,-overview (all but that one); none",
	         table_names(first, true, false), table_names(others, false, true));
}

static bool set_limit(struct options *options, const char *value, struct err *err)
{
	if (!option_expect(parse_number(value, &options->limit), err, "--limit: expected a number",
	                   value))
		return false;
	if (!options->limit)
		options->limit = UINT64_MAX;
	return true;
}

static bool set_threads(struct options *options, const char *value, struct err *err)
{
	uint64_t number;

	if (!option_expect(parse_number(value, &number) && number >= 1 && number <= THREADS_MAX,
	                   err, "--threads: expected a number from 1 to 1024", value))
		return false;
	options->naming.threads = (unsigned)number;
	return true;
}

static bool set_max_memory(struct options *options, const char *value, struct err *err)
{
	return option_expect(parse_size(value, &options->max_memory), err,
	                     "--max-memory: expected a size like 512M", value);
}

static bool set_cache_line(struct options *options, const char *value, struct err *err)
{
	uint64_t *size = &options->cache_line;

	return option_expect(parse_number(value, size) && *size && *size <= 65536 &&
	                             !(*size & (*size - 1)),
	                     err, "--cache-line: expected a power of two, to 65536", value);
}

static bool set_symbolizer(struct options *options, const char *value, struct err *err)
{
	static const enum symbolizer symbolizers[] = { SYMBOLIZER_DWARF, SYMBOLIZER_DWARF,
		                                       SYMBOLIZER_ADDR2LINE, SYMBOLIZER_NONE };
	size_t i = find_word(symbolizer_words, value);

	if (symbolizer_words[i])
		options->naming.lookup.symbolizer = symbolizers[i];
	return option_expect(
		symbolizer_words[i], err,
		"--symbolizer: expected dwarf (or libdw, its old name), addr2line or none", value);
}

static bool set_symfs(struct options *options, const char *value, struct err *err)
{
	struct file_options *files = &options->naming.lookup.symbols.files;

	/* an empty value cancels earlier ones */
	if (!*value)
		files->symfs_count = 0;
	else if (files->symfs_count == SYMFS_MOST)
		return err_set(err, ERR_USAGE, "--symfs: expected at most %u, found more",
		               SYMFS_MOST);
	else
		options->symfs[files->symfs_count++] = value;
	files->symfs = options->symfs;
	return true;
}

static bool set_compress(struct options *options, const char *value, struct err *err)
{
	static const enum pack_format formats[] = { PACK_ZSTD, PACK_GZIP };
	size_t i = find_word(compress_words, value);
	struct err missing = { 0 };

	if (!compress_words[i])
		return option_expect(false, err, "--compress: expected zstd or gzip", value);
	options->compress = formats[i];
	return pack_check(options->compress, &missing) ||
	       err_set(err, ERR_USAGE, "--compress=%s: %s", value, missing.text);
}

static bool set_no_source(struct options *options, const char *value, struct err *err)
{
	(void)value, (void)err;
	options->naming.lookup.sources = false;
	return true;
}

static bool ask_generate(struct options *options, const char *value, struct err *err)
{
	char known[150], expected[180];

	options->generate = (enum generated)find_word(generate_words, value);
	join_names(known, sizeof(known), word_of_array, generate_words);
	snprintf(expected, sizeof(expected), "--generate: expected one of %s", known);
	return option_expect(options->generate != GENERATE_COUNT, err, expected, value);
}

static bool add_base(struct options *options, const char *value, struct err *err)
{
	struct compare_request *compare = &options->compare;

	if (!*value)
		return option_expect(false, err,
		                     "--base: expected a recording, or a folder of tables",
		                     "nothing");
	if (compare->base_count == BASES_MOST)
		return err_set(err, ERR_USAGE, "--base: expected at most %u, found more",
		               BASES_MOST);
	compare->bases[compare->base_count++] = value;
	return true;
}

static bool set_last(struct options *options, const char *value, struct err *err)
{
	uint64_t *last = &options->compare.last;

	return option_expect(parse_number(value, last) && *last, err,
	                     "--last: expected a number from 1", value);
}

static bool add_rules(struct options *options, const char *value, struct err *err)
{
	return rules_parse(&options->compare.rules, value, err);
}

static bool set_format(struct options *options, const char *value, struct err *err)
{
	options->ndjson = !strcmp(value, "ndjson");
	return option_expect(options->ndjson || !strcmp(value, "csv"), err,
	                     "--format: expected csv or ndjson", value);
}

static bool set_order(struct options *options, const char *value, struct err *err)
{
	options->by_total = !strcmp(value, "total");
	return option_expect(options->by_total || !strcmp(value, "self"), err,
	                     "--order: expected self or total", value);
}

static bool set_scale(struct options *options, const char *value, struct err *err)
{
	const char *rest = text_after(value, "work:");
	struct compare_options *how = &options->compare.how;
	size_t i = find_word(scale_words, value);

	if (scale_words[i]) {
		how->scale = (enum compare_scale)i;
		return true;
	}
	if (rest && *rest) {
		how->work_event = rest;
		how->scale = parse_real(how->work_event, "", 0, HUGE_VAL, &how->work) &&
		                             how->work > 0
		                     ? SCALE_WORK
		                     : SCALE_WORK_EVENT;
		return true;
	}
	return option_expect(false, err,
	                     "--scale: expected robust, share, none, work:EVENT or work:N", value);
}

static bool set_alpha(struct options *options, const char *value, struct err *err)
{
	double *alpha = &options->compare.how.alpha;

	return option_expect(parse_real(value, "", 0, 0.5, alpha) && *alpha > 0, err,
	                     "--alpha: expected a number above 0, 0.5 at most", value);
}

static bool set_annotate(struct options *options, const char *value, struct err *err)
{
	options->compare.annotate = !strcmp(value, annotate_words[0]);
	return option_expect(options->compare.annotate, err, "--annotate: expected github", value);
}

static bool set_by(struct options *options, const char *value, struct err *err)
{
	return group_tables_add(&options->groups, value, err);
}

static bool set_where(struct options *options, const char *value, struct err *err)
{
	return field_request_where(&options->groups.fields, value, err);
}

static bool set_weight(struct options *options, const char *value, struct err *err)
{
	return field_request_weight(&options->groups.fields, value, err);
}

static bool set_intervals(struct options *options, const char *value, struct err *err)
{
	return interval_request_add(&options->intervals, value, err);
}

static bool set_slice(struct options *options, const char *value, struct err *err)
{
	return time_width_parse(&options->groups.slice, value, err);
}

static bool set_every(struct options *options, const char *value, struct err *err)
{
	struct time_side width = { .value = 0 };
	struct err ignored = { .code = ERR_NONE };

	if (!time_width_parse(&width, value, &ignored) || width.unit != TIME_SECONDS ||
	    width.value < EVERY_LEAST)
		return err_set(err, ERR_USAGE,
		               "--every: expected a time of at least 10ms, as 10s or 1m, found %s",
		               value);
	options->every = width.value;
	return true;
}

enum table_scope options_scope(const struct options *options)
{
	if (options->compare.trend)
		return SCOPE_TREND;
	return options->compare.base_count ? SCOPE_COMPARISON : SCOPE_RECORDING;
}

static bool compares(const struct options *options)
{
	return options_scope(options) != SCOPE_RECORDING;
}

static bool has_base(const struct options *options)
{
	return options->compare.base_count != 0;
}

static bool has_rules(const struct options *options)
{
	return options->compare.rules.count != 0;
}

static bool has_intervals(const struct options *options)
{
	return !interval_request_is_empty(&options->intervals) || compares(options) ||
	       options->generate != GENERATE_COUNT;
}

static bool tables_have_rows(const struct options *options)
{
	return has_intervals(options) || !(table_set_names(&options->tables, &intervals_table) ||
	                                   table_set_names(&options->tables, &latency_table));
}

static bool conditions_can_hold(const struct options *options)
{
	return has_intervals(options) || !field_request_asks_length(&options->groups.fields);
}

static bool keys_have_values(const struct options *options)
{
	const unsigned keys = 1u << KEY_WHAT | 1u << KEY_RESULT | 1u << KEY_WAKER |
	                      1u << KEY_DURATION;

	return has_intervals(options) || (!options->groups.latency.key_count &&
	                                  !(group_tables_keys(&options->groups) & keys));
}

static bool has_slices(const struct options *options)
{
	return group_tables_have_slices(&options->groups);
}

bool writes_csv(const struct options *options)
{
	return (options->tables.bits || options->to_stdout) &&
	       ((!options->workbook && !options->page) || options->output_named);
}

bool writes_folder(const struct options *options)
{
	return writes_csv(options) && !options->to_stdout;
}

static bool draws(const struct options *options)
{
	return table_set_has(&options->tables, &flame_table) ||
	       table_set_has(&options->tables, &timeline_table) ||
	       table_set_has(&options->tables, &trendlines_table) || options->page;
}

static bool shows_memory(const struct options *options)
{
	return table_set_needs(&options->tables) & NEEDS_MEMORY;
}

static bool shows_code(const struct options *options)
{
	return table_set_needs(&options->tables) & NEEDS_CODE;
}

static bool reads_several(const struct options *options)
{
	return options->several;
}

#define FIELD(of, member) .kind = (of), .number = offsetof(struct options, member)
#define FLAG(member) FIELD(OPTION_FLAG, member)
#define PERCENT(member) FIELD(OPTION_PERCENT, member)
#define PATH(member) FIELD(OPTION_PATH, member)
#define NEEDED_FILE(member) FIELD(OPTION_FILE, member)
#define SELECTS(field) .kind = OPTION_SELECTS, .number = (field)
#define WORDS(array) .word_at = word_of_array, .words = (array)
#define LIST_OF(function) .word_at = (function), .list = true
#define NEEDS_BASE .has_effect = compares, .no_effect = "has no effect without --base or --trend"
#define NEEDS_CSV .has_effect = writes_csv, .no_effect = "has no effect without CSV tables"

/* In the order in which --help lists them. */
const struct option_entry option_list[] = {
	{ "output", 'o', "DIR", SECTION_OUTPUT,
	  "where the tables go; made if it is missing; - for the one table of "
	  "-t on standard output [.]",
	  .parse = set_output },
	{ "tables", 't', "LIST", SECTION_OUTPUT, "which tables to write:", .help_more = list_tables,
	  LIST_OF(name_of_table), .parse = set_tables, .has_effect = tables_have_rows,
	  .no_effect = "intervals and latency have no rows without --intervals=LIST" },
	{ "every", '\0', "TIME", SECTION_OUTPUT,
	  "of a stream (FILE is -): tables of each so long slice of it, in a folder start=NS: 10s, 1m",
	  .parse = set_every },
	{ "limit", 'n', "N", SECTION_OUTPUT,
	  "functions shown per event on the console, 0 for all [25]", .parse = set_limit },
	{ "order", '\0', "WHAT", SECTION_OUTPUT,
	  "by what the console sorts functions, where there are call chains: self or total [self]",
	  WORDS(order_words), .parse = set_order },
	{ "quiet", 'q', NULL, SECTION_OUTPUT, "nothing on standard output", FLAG(quiet) },
	{ "spreadsheet", '\0', NULL, SECTION_OUTPUT, "tables in a form for spreadsheets",
	  FLAG(spreadsheet), .shapes = true, NEEDS_CSV },
	{ "format", '\0', "FORMAT", SECTION_OUTPUT,
	  "tables as csv, or as ndjson: a JSON object a line, in NAME.ndjson [csv]",
	  WORDS(format_words), .shapes = true, .parse = set_format, NEEDS_CSV },
	{ "compress", '\0', "FORMAT", SECTION_OUTPUT,
	  "tables packed by zstd (.csv.zst) or gzip (.csv.gz)", WORDS(compress_words),
	  .parse = set_compress, NEEDS_CSV },
	{ "workbook", '\0', "FILE.xlsx", SECTION_OUTPUT,
	  "the tables as one workbook, with charts; tables of their own only with --output",
	  .parse = set_workbook },
	{ "report", '\0', "FILE.html", SECTION_OUTPUT,
	  "a page to explore the recording in; tables of their own only with --output",
	  .parse = set_page },
	{ "title", '\0', "TEXT", SECTION_OUTPUT,
	  "what pictures and the page of --report are headed", PATH(title), .shapes = true,
	  .has_effect = draws,
	  .no_effect = "has no effect without flame, timeline, trendlines or --report" },
	{ "event", '\0', "LIST", SECTION_SAMPLES, "samples of these events",
	  SELECTS(SELECT_EVENT) },
	{ "comm", '\0', "LIST", SECTION_SAMPLES,
	  "samples of processes with such a name at that time", SELECTS(SELECT_COMM) },
	{ "pid", '\0', "LIST", SECTION_SAMPLES, "samples of these processes", SELECTS(SELECT_PID) },
	{ "tid", '\0', "LIST", SECTION_SAMPLES, "samples of these threads", SELECTS(SELECT_TID) },
	{ "cpu", '\0', "LIST", SECTION_SAMPLES, "samples on these CPUs: 0,2-3",
	  SELECTS(SELECT_CPU) },
	{ "binary", '\0', "LIST", SECTION_SAMPLES,
	  "samples in these binaries, as results.csv names them", SELECTS(SELECT_BINARY) },
	{ "function", '\0', "LIST", SECTION_SAMPLES, "samples in these functions",
	  SELECTS(SELECT_FUNCTION) },
	{ "mode", '\0', "LIST", SECTION_SAMPLES, "samples of code that ran there:",
	  .help_words = true, LIST_OF(select_mode_at), SELECTS(SELECT_MODE) },
	{ "time", '\0', "FROM-TO", SECTION_SAMPLES,
	  "samples of this time: 1.5-2 (seconds after the first sample), 10%-20%, @NS-NS (of the recording's clock)",
	  SELECTS(SELECT_TIME) },
	{ "where", '\0', "CONDITION", SECTION_SAMPLES,
	  "of tracepoints only samples whose fields meet it: FIELD=VALUE, != < <= > >=, ~GLOB; "
	  "several must all hold",
	  .shapes = true, .parse = set_where, .has_effect = conditions_can_hold,
	  .no_effect = "duration and unfinished are of intervals: add --intervals=LIST" },
	{ "weight", '\0', "FIELD", SECTION_SAMPLES,
	  "a field of tracepoints counts in the place of their period; wall: the period divided "
	  "by the threads that were on a CPU, with --switch-events",
	  .shapes = true, .parse = set_weight },
	{ "by", '\0', "[NAME=]KEY,...", SECTION_SAMPLES,
	  "write groups.csv, or NAME.csv, of samples by keys:", .help_words = true,
	  LIST_OF(group_key_at), .parse = set_by, .has_effect = keys_have_values,
	  .no_effect = "latency, what, result, waker and duration are of intervals: add "
	               "--intervals=LIST" },
	{ "intervals", '\0', "LIST", SECTION_SAMPLES,
	  "make samples of the time between two records, or of NAME=BEGIN..END[/KEY,...][:WHAT]:",
	  .shapes = true, .help_words = true, LIST_OF(interval_list_at), .parse = set_intervals },
	{ "slice", '\0', "TIME", SECTION_SAMPLES,
	  "width of the slices of --by=time: 10ms, 1s, 5% [100ms]", .parse = set_slice,
	  .has_effect = has_slices, .no_effect = "has no effect without --by=time" },
	{ "symfs", '\0', "DIR", SECTION_NAMES,
	  "look for the recorded binaries below DIR; several are searched in order [/]",
	  .parse = set_symfs },
	{ "vmlinux", 'k', "FILE", SECTION_NAMES, "the recorded kernel's symbols",
	  PATH(naming.lookup.symbols.vmlinux) },
	{ "kallsyms", '\0', "FILE", SECTION_NAMES, "the recorded kernel's symbols",
	  PATH(naming.lookup.symbols.kallsyms) },
	{ "buildid-dir", '\0', "DIR", SECTION_NAMES, "build-id cache [~/.debug]",
	  PATH(naming.lookup.symbols.files.buildid_dir) },
	{ "symbol-pack", '\0', "FILE", SECTION_NAMES,
	  "names from the symbols.csv of another machine, by build id",
	  NEEDED_FILE(naming.lookup.symbols.pack_path) },
	{ "symbolizer", '\0', "NAME", SECTION_NAMES,
	  "source files from dwarf (read here), addr2line or none [dwarf]", WORDS(symbolizer_words),
	  .parse = set_symbolizer },
	{ "no-demangle", '\0', NULL, SECTION_NAMES, "raw symbol names", FLAG(naming.raw_names) },
	{ "parameters", '\0', NULL, SECTION_NAMES,
	  "functions with their parameters, so that overloads are rows of their own",
	  FLAG(naming.parameters) },
	{ "no-source", '\0', NULL, SECTION_NAMES, "no source files in results.csv",
	  .parse = set_no_source },
	{ "inline", '\0', NULL, SECTION_NAMES,
	  "give samples to the functions that are inlined there", FLAG(naming.lookup.inlines) },
	{ "debuginfod", '\0', NULL, SECTION_NAMES,
	  "ask the servers in DEBUGINFOD_URLS for debug files",
	  FLAG(naming.lookup.symbols.files.debuginfod) },
	{ "objdump", '\0', "PROGRAM", SECTION_NAMES,
	  "disassembles, for instructions.csv [objdump, or what knows the machine]",
	  PATH(code.program), .has_effect = shows_code,
	  .no_effect = "has no effect without the table instructions" },
	{ "cache-line", '\0', "BYTES", SECTION_NAMES,
	  "size of a cache line, for cachelines.csv [as recorded, or 64]", .parse = set_cache_line,
	  .shapes = true, .has_effect = shows_memory,
	  .no_effect = "has no effect without the tables cachelines and cacheoffsets" },
	{ "base", '\0', "PATH", SECTION_COMPARE,
	  "compare the FILEs with these: recordings, folders of tables, globs", .parse = add_base },
	{ "last", '\0', "K", SECTION_COMPARE,
	  "what --base names are versions, v10 behind v9: compare with the last K of them",
	  .parse = set_last, .has_effect = has_base, .no_effect = "has no effect without --base" },
	{ "trend", '\0', NULL, SECTION_COMPARE,
	  "the FILEs are versions in order, each one run or a folder of runs: since when do functions cost more?",
	  FLAG(compare.trend) },
	{ "fail-on", '\0', "RULES", SECTION_COMPARE,
	  "exit 4 if one is met: function>10%,total>3%,NAME>5pp; also total:NAME, unknown, lost (% of change, pp of share), and of one event EVENT:NAME, EVENT:function, EVENT:total, total:EVENT:NAME",
	  .parse = add_rules },
	{ "scale", '\0', "HOW", SECTION_COMPARE,
	  "what costs are compared: robust (a slower machine changes nothing), none (as counted), share (of the event), work:EVENT or work:N (per unit of work) [robust]",
	  WORDS(scale_words), .parse = set_scale, NEEDS_BASE },
	{ "alpha", '\0', "P", SECTION_COMPARE, "significant below this adjusted p [0.05]",
	  .parse = set_alpha, NEEDS_BASE },
	{ "min-share", '\0', "PERCENT", SECTION_COMPARE,
	  "functions below this share on both sides are not tested [0.5]",
	  PERCENT(compare.how.min_share), NEEDS_BASE },
	{ "min-change", '\0', "PERCENT", SECTION_COMPARE, "smaller changes are the same [5]",
	  PERCENT(compare.how.min_change), NEEDS_BASE },
	{ "summary", '\0', "FILE", SECTION_COMPARE,
	  "the result as Markdown, or as JSON if the name ends in .json; - prints it",
	  NEEDED_FILE(compare.summary) },
	{ "junit", '\0', "FILE", SECTION_COMPARE, "a test case per rule, as JUnit's XML",
	  NEEDED_FILE(compare.junit), .has_effect = has_rules,
	  .no_effect = "has no test cases without --fail-on" },
	{ "annotate", '\0', "github", SECTION_COMPARE,
	  "mark regressed functions at their source lines", WORDS(annotate_words),
	  .parse = set_annotate, NEEDS_BASE },
	{ "strict", '\0', NULL, SECTION_RUN, "damage in the file is an error: exit 1, no tables",
	  FLAG(strict) },
	{ "again", '\0', NULL, SECTION_RUN,
	  "with several FILEs: read those again that have their tables", FLAG(again),
	  .has_effect = reads_several, .no_effect = "has no effect without several FILEs" },
	{ "threads", 'j', "N", SECTION_RUN,
	  "threads, 2 at most; of several FILEs, so many are read at a time [the number of cores, 2 at most]",
	  .parse = set_threads },
	{ "max-memory", '\0', "SIZE", SECTION_RUN,
	  "stop with an error rather than use more (K, M, G)", .parse = set_max_memory },
	{ "verbose", 'v', NULL, SECTION_RUN,
	  "say where time and memory were used, and how much has no name, however little",
	  FLAG(verbose) },
	{ "version", 'V', NULL, SECTION_ABOUT, "version, schema number and libraries",
	  .kind = OPTION_ACTION, .number = ACTION_VERSION },
	{ "help", 'h', NULL, SECTION_ABOUT, "this text", .kind = OPTION_ACTION,
	  .number = ACTION_HELP },
	{ "schema", '\0', NULL, SECTION_ABOUT, "the tables' columns, as a table",
	  .kind = OPTION_ACTION, .number = ACTION_SCHEMA },
	{ "generate", '\0', "WHAT", SECTION_ABOUT,
	  "prints man, bash, zsh or fish (completions), duckdb, sqlite, clickhouse or spark (loaders; with -t trace FILE of its tracepoints, with a folder of all tables in it), duckdb-parquet or clickhouse-parquet (write Parquet)",
	  WORDS(generate_words), .parse = ask_generate },
};

const size_t option_count = ARRAY_SIZE(option_list);
_Static_assert(ARRAY_SIZE(option_list) <= OPTIONS_MOST, "the parser has room for each option");

const char *name_of_option(const void *context, size_t index)
{
	(void)context;
	return index < option_count ? option_list[index].name : NULL;
}

#define _GNU_SOURCE /* getopt_long() */
#include "decode/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS_MAX 1024

const char options_help[] =
	"usage: readperf [OPTION]... [FILE]\n"
	"Reads a perf.data recording (a file, a perf record --threads directory, or - for\n"
	"standard input; perf.data if none is named) and writes tables.\n"
	"\n"
	"  -o, --output=DIR       where the tables go; made if it is missing [.]\n"
	"  -t, --tables=LIST      stat, overview, processes, results (the default),\n"
	"                         header, events, buildids, lines, addresses, counters;\n"
	"                         all; none\n"
	"  -n, --limit=N          functions shown per event, 0 for all [25]\n"
	"  -q, --quiet            nothing on standard output\n"
	"      --strict           damage in the file is an error: exit 1, no tables\n"
	"      --symfs=DIR        look for the recorded binaries below DIR [/]\n"
	"  -k, --vmlinux=FILE     the recorded kernel's symbols\n"
	"      --kallsyms=FILE    the recorded kernel's symbols\n"
	"      --buildid-dir=DIR  build-id cache [~/.debug]\n"
	"      --symbolizer=NAME  source files from dwarf (read here), addr2line or none [dwarf]\n"
	"      --no-demangle      raw symbol names\n"
	"      --no-source        no source files in results.csv\n"
	"      --inline           give samples to the functions that are inlined there\n"
	"      --debuginfod       ask the servers in DEBUGINFOD_URLS for debug files\n"
	"  -j, --threads=N        threads, for the same tables [the cores, 2 at most]\n"
	"      --max-memory=SIZE  stop with an error rather than use more (K, M, G)\n"
	"      --spreadsheet      tables as spreadsheets want them\n"
	"  -v, --verbose          say at the end where the time and the memory went\n"
	"  -V, --version          version, schema number and libraries\n"
	"  -h, --help             this text\n"
	"      --schema           the tables' columns, as a table\n"
	"\n"
	"Exit status: 0 clean; 1 failed, no table written; 2 wrong usage; 3 finished, but\n"
	"the recording is damaged: every complete record was used.\n";

#define TEXT_OF(number) #number
#define AS_TEXT(macro) TEXT_OF(macro)

const char options_version[] = "readperf " READPERF_VERSION
			       ", schema " AS_TEXT(SCHEMA_NUMBER) "\n"
								  "with:"
#ifdef HAVE_LIBDW
								  " libdw"
#endif
#ifdef HAVE_ZSTD
								  " libzstd"
#endif
#ifdef HAVE_LZMA
								  " liblzma"
#endif
#ifdef HAVE_ZLIB
								  " zlib"
#endif
#ifdef HAVE_LIBDEFLATE
								  " libdeflate"
#endif
#ifdef HAVE_LIBIBERTY
								  " libiberty"
#endif
#ifdef HAVE_DEBUGINFOD
								  " libdebuginfod"
#endif
								  "\n"
								  "without:"
#ifndef HAVE_LIBDW
								  " libdw"
#endif
#ifndef HAVE_ZSTD
								  " libzstd"
#endif
#ifndef HAVE_LZMA
								  " liblzma"
#endif
#ifndef HAVE_ZLIB
								  " zlib"
#endif
#ifndef HAVE_LIBDEFLATE
								  " libdeflate"
#endif
#ifndef HAVE_LIBIBERTY
								  " libiberty"
#endif
#ifndef HAVE_DEBUGINFOD
								  " libdebuginfod"
#endif
								  "\n";

static bool parse_number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

static bool parse_size(const char *text, uint64_t *value)
{
	static const char units[] = "KMGTkmgt";
	size_t length = strlen(text);
	const char *unit;
	char digits[32];

	if (length == 0 || length >= sizeof(digits))
		return false;
	unit = strchr(units, text[length - 1]);
	memcpy(digits, text, length + 1);
	if (unit)
		digits[length - 1] = '\0';
	if (!parse_number(digits, value))
		return false;
	for (int i = 0; unit && i <= (unit - units) % 4; i++)
		if (__builtin_mul_overflow(*value, 1024u, value))
			return false;
	return *value > 0;
}

static bool add_table(struct options *options, const char *name, size_t length)
{
	for (unsigned i = 0; i < TABLE_COUNT; i++) {
		if (strlen(tables[i].name) == length && !memcmp(tables[i].name, name, length)) {
			options->tables |= 1u << i;
			return true;
		}
	}
	if (length == 3 && !memcmp(name, "all", 3)) {
		options->tables = (1u << TABLE_COUNT) - 1;
		options->all_tables = true;
		return true;
	}
	return false;
}

static bool parse_tables(struct options *options, const char *list)
{
	options->tables = 0;
	options->all_tables = false;
	if (!strcmp(list, "none"))
		return true;
	for (;;) {
		size_t length = strcspn(list, ",");

		if (!add_table(options, list, length))
			return false;
		if (!list[length])
			return true;
		list += length + 1;
	}
}

static bool parse_symbolizer(struct options *options, const char *name)
{
	if (!strcmp(name, "dwarf") || !strcmp(name, "libdw"))
		options->naming.lookup.symbolizer = SYMBOLIZER_DWARF;
	else if (!strcmp(name, "addr2line"))
		options->naming.lookup.symbolizer = SYMBOLIZER_ADDR2LINE;
	else if (!strcmp(name, "none"))
		options->naming.lookup.symbolizer = SYMBOLIZER_NONE;
	else
		return false;
	return true;
}

enum long_option {
	OPTION_STRICT = 256,
	OPTION_SYMFS,
	OPTION_KALLSYMS,
	OPTION_BUILDID_DIR,
	OPTION_SYMBOLIZER,
	OPTION_NO_DEMANGLE,
	OPTION_NO_SOURCE,
	OPTION_INLINE,
	OPTION_DEBUGINFOD,
	OPTION_MAX_MEMORY,
	OPTION_SPREADSHEET,
	OPTION_SCHEMA
};

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "tables", required_argument, NULL, 't' },
	{ "limit", required_argument, NULL, 'n' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "strict", no_argument, NULL, OPTION_STRICT },
	{ "symfs", required_argument, NULL, OPTION_SYMFS },
	{ "vmlinux", required_argument, NULL, 'k' },
	{ "kallsyms", required_argument, NULL, OPTION_KALLSYMS },
	{ "buildid-dir", required_argument, NULL, OPTION_BUILDID_DIR },
	{ "symbolizer", required_argument, NULL, OPTION_SYMBOLIZER },
	{ "no-demangle", no_argument, NULL, OPTION_NO_DEMANGLE },
	{ "no-source", no_argument, NULL, OPTION_NO_SOURCE },
	{ "inline", no_argument, NULL, OPTION_INLINE },
	{ "debuginfod", no_argument, NULL, OPTION_DEBUGINFOD },
	{ "threads", required_argument, NULL, 'j' },
	{ "max-memory", required_argument, NULL, OPTION_MAX_MEMORY },
	{ "spreadsheet", no_argument, NULL, OPTION_SPREADSHEET },
	{ "verbose", no_argument, NULL, 'v' },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{ "schema", no_argument, NULL, OPTION_SCHEMA },
	{ NULL, 0, NULL, 0 }
};

/* Whether the text could be used; if not, err says what was expected. */
static bool expect(bool usable, struct err *err, const char *expected, const char *found)
{
	return usable || err_set(err, ERR_USAGE, "%s, found %s", expected, found);
}

/* One option with a value. False with err set if the value is wrong. */
static bool take_value(struct options *options, int option, const char *argument, struct err *err)
{
	struct symbol_options *symbols = &options->naming.lookup.symbols;
	const char *given = *argument ? argument : NULL; /* an empty path is as good as none */
	uint64_t number;

	switch (option) {
	case 'o':
		options->output = argument;
		return expect(*argument != 0, err, "--output: expected a directory", "nothing");
	case 't':
		return expect(
			parse_tables(options, argument), err,
			"--tables: expected a list of stat, overview, processes, results, header, events, "
			"buildids, lines, addresses, counters; or all, or none",
			argument);
	case 'n':
		if (!expect(parse_number(argument, &number), err, "--limit: expected a number",
		            argument))
			return false;
		options->limit = (size_t)u64_min(number, SIZE_MAX);
		return true;
	case 'j':
		if (!expect(parse_number(argument, &number) && number >= 1 && number <= THREADS_MAX,
		            err, "--threads: expected a number from 1 to 1024", argument))
			return false;
		options->threads = (unsigned)number;
		return true;
	case OPTION_MAX_MEMORY:
		return expect(parse_size(argument, &options->max_memory), err,
		              "--max-memory: expected a size like 512M", argument);
	case OPTION_SYMBOLIZER:
		return expect(
			parse_symbolizer(options, argument), err,
			"--symbolizer: expected dwarf (or libdw, its old name), addr2line or none",
			argument);
	case OPTION_SYMFS:
		symbols->files.symfs = given;
		return true;
	case 'k':
		symbols->vmlinux = given;
		return true;
	case OPTION_KALLSYMS:
		symbols->kallsyms = given;
		return true;
	default:
		symbols->files.buildid_dir = given;
		return true;
	}
}

static void take_flag(struct options *options, int option)
{
	switch (option) {
	case 'q':
		options->quiet = true;
		break;
	case 'v':
		options->verbose = true;
		break;
	case OPTION_STRICT:
		options->strict = true;
		break;
	case OPTION_SPREADSHEET:
		options->spreadsheet = true;
		break;
	case OPTION_NO_DEMANGLE:
		options->naming.raw_names = true;
		break;
	case OPTION_NO_SOURCE:
		options->naming.lookup.sources = false;
		break;
	case OPTION_INLINE:
		options->naming.lookup.inlines = true;
		break;
	default:
		options->naming.lookup.symbols.files.debuginfod = true;
		break;
	}
}

/* What follows from several options together. */
static void conclude(struct options *options)
{
	options->naming.lookup.lines = (options->tables &
	                                (1u << TABLE_LINES | 1u << TABLE_ADDRESSES)) != 0;
	options->naming.lookup.symbols.files.recording = options->file;
	options->naming.threads = options->threads;
}

static void set_defaults(struct options *options)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	*options = (struct options){
		.file = "perf.data", .output = ".", .tables = TABLES_DEFAULT, .limit = 25
	};
	options->threads = cores >= 2 ? 2 : 1;
	options->naming.lookup.sources = true;
	options->naming.lookup.symbolizer = SYMBOLIZER_DWARF;
}

static enum options_action wrong_option(int option, int number, const char *word, struct err *err)
{
	char text[8];

	if (number && number < OPTION_STRICT) {
		snprintf(text, sizeof(text), "-%c", number);
		word = text;
	}
	err_set(err, ERR_USAGE, "%s%s",
	        option == ':' ? "a value is missing for " : "unknown option or unexpected value: ",
	        word);
	return ACTION_USAGE;
}

enum options_action options_parse(struct options *options, int argc, char **argv, struct err *err)
{
	int option;

	set_defaults(options);
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":o:t:n:qk:j:vVh", long_options, NULL)) != -1) {
		if (option == 'h')
			return ACTION_HELP;
		if (option == 'V')
			return ACTION_VERSION;
		if (option == OPTION_SCHEMA)
			return ACTION_SCHEMA;
		if (option == ':' || option == '?')
			return wrong_option(option, optopt, argv[optind - 1], err);
		if (!optarg)
			take_flag(options, option);
		else if (!take_value(options, option, optarg, err))
			return ACTION_USAGE;
	}
	if (argc - optind > 1) {
		err_set(err, ERR_USAGE, "expected one recording, found also %s", argv[optind + 1]);
		return ACTION_USAGE;
	}
	options->named = optind < argc;
	if (options->named)
		options->file = argv[optind];
	conclude(options);
	return ACTION_RUN;
}

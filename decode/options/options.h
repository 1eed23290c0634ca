/* The options on the command line (decode/options/commandline.h). */
#ifndef READPERF_DECODE_OPTIONS_OPTIONS_H
#define READPERF_DECODE_OPTIONS_OPTIONS_H

#include "decode/compare/rules.h"
#include "decode/code/code.h"
#include "decode/intervals/intervalrequest.h"
#include "decode/naming/naming.h"
#include "decode/select/request.h"
#include "decode/tables/grouptables.h"
#include "decode/tables/tables.h"
#include "util/pack.h"

#define OPTION_TEXT_SIZE 1024 /* bytes of a help text, or of an expectation in a message */

/* What the command line asks for. */
enum options_action { ACTION_RUN, ACTION_HELP, ACTION_VERSION, ACTION_SCHEMA, ACTION_GENERATE };

#define BASES_MOST 1024 /* --base options of a command line */

/* What --generate prints; the words for it are generate_words. */
enum generated {
	GENERATE_MAN,
	GENERATE_BASH,
	GENERATE_ZSH,
	GENERATE_FISH,
	GENERATE_DUCKDB,
	GENERATE_DUCKDB_PARQUET,
	GENERATE_SQLITE,
	GENERATE_CLICKHOUSE,
	GENERATE_CLICKHOUSE_PARQUET,
	GENERATE_SPARK,
	GENERATE_COUNT
};

/* The values of --base, --trend and related options. Texts belong to the command line. */
struct compare_request {
	const char *bases[BASES_MOST]; /* paths or globs; none: nothing is compared */
	size_t base_count;
	uint64_t last;      /* of the paths, in order of version, only so many; 0: all */
	bool trend;         /* the FILEs are versions, in order */
	char *const *files; /* the FILEs: the new side, or the versions */
	size_t file_count;
	struct rules rules;
	struct compare_options how;
	const char *summary, *junit; /* files; "-": standard output; NULL: not asked for */
	bool annotate;               /* for GitHub */
};

#define SYMFS_MOST 65 /* --symfs options */

#define OPTIONS_MOST 96 /* size of the parser's table */

#define OPTIONS_GIVEN_SIZE 4096 /* bytes; what is longer is cut off */

struct options {
	enum options_action action;
	const char *file, *output;
	bool output_named;    /* --output was given */
	bool to_stdout;       /* as "-": the only table goes to standard output, and nothing else */
	const char *workbook; /* NULL: not asked for */
	const char *page;     /* of --report; NULL: not asked for */
	const char *title;    /* of pictures; NULL: that of the event alone */
	struct table_set tables;
	enum generated generate; /* of ACTION_GENERATE; GENERATE_COUNT: nothing */
	uint64_t limit;          /* functions on the console per event; UINT64_MAX: all */
	bool by_total;           /* functions on the console are in the order of their totals */
	bool quiet, strict, spreadsheet, verbose;
	bool several;              /* the FILEs are recordings, each with a folder of its own */
	uint64_t every;            /* ns: width of the slices of a stream; 0: it is not cut */
	bool again;                /* those that have their tables are read, too */
	bool ndjson;               /* tables are lines of JSON, not CSV */
	enum pack_format compress; /* of the tables */
	uint64_t max_memory;       /* bytes; 0: no limit */
	struct naming_options naming;
	const char *symfs[SYMFS_MOST]; /* naming points to them */
	struct compare_request compare;
	struct select_request select;
	struct group_tables groups;
	struct interval_request intervals;
	struct code_options code;
	uint64_t cache_line;        /* bytes, a power of two; 0: as recorded */
	bool present[OPTIONS_MOST]; /* which of option_list were given */
	/* Those that change the contents of tables, as they were given. */
	char given[OPTIONS_GIVEN_SIZE];
};

/* What the run is about. */
enum table_scope options_scope(const struct options *options);
/* Whether tables are written as CSV; with --workbook or --report only if --output is given. */
bool writes_csv(const struct options *options);
/* The same, but not to standard output. */
bool writes_folder(const struct options *options);

#endif

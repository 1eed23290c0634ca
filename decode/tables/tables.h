/*
 * The list of tables, with one descriptor for each. --schema, the parser of --tables, help,
 * messages and the loop that writes tables are made from it. To add a table, add a line to TABLES
 * and a file that defines NAME_table.
 */
#ifndef READPERF_DECODE_TABLES_TABLES_H
#define READPERF_DECODE_TABLES_TABLES_H

#include "decode/naming/calltree.h"
#include "decode/naming/naming.h"
#include "decode/naming/results.h"
#include "util/table.h"

#include <stdio.h>

struct about;
struct branch_rows;
struct collection;
struct collector;
struct comparison;
struct group_rows;
struct group_table;
struct group_tables;
struct instructions;
struct intervalstat;
struct memory_rows;
struct sched;
struct trace_rows;
struct trend;

/*
 * Everything that tables are made from, after the last record. names and results are set only if a
 * table needs names.
 */
struct report {
	struct session *session;
	const struct read_summary *summary;
	const struct facts *facts; /* of all features */
	struct buildstat *stat;    /* its samples, if they were kept, are in a file that is read */
	const struct place_names *names;
	const struct results *results;
	const struct call_totals *totals;
	const struct call_tree *calls; /* empty: no call chains, or no table asks for them */
	const struct process_calls *processes;   /* empty, unless a table needs them */
	const struct instructions *instructions; /* empty, unless a table needs them */
	const struct branch_rows *branches;      /* empty, unless a table needs them */
	const struct memory_rows *memory;        /* the same */
	const struct group_tables *by;           /* tables of --by */
	const struct group_rows *groups;         /* of each of them; set by group_tables_make() */
	const char *temp_dir;                    /* folder for temporary files */
	const struct collection *kept;       /* by the collectors of tables; see collection_get() */
	const struct group_table *latency;   /* keys of latency.csv */
	struct intervalstat *intervals;      /* its rows are in a file that is read */
	const struct sched *sched;           /* empty, unless a table needs it */
	const struct comparison *comparison; /* NULL: there is only one recording */
	const struct trend *trend;           /* NULL: no trend was asked for */
	const struct table_files *files;     /* for output that is not written row by row */
	struct trace_rows *traces;           /* tables begun while records were read, or NULL */
	const struct about *about;           /* for about.csv */
	const char *title;                   /* of pictures; NULL: none was asked for */
};

#define FORMAT_OF(name, columns) (&(const struct table_format)TABLE_FORMAT(name, columns))
#define FORMAT_OF_FILE(table) (&(const struct table_format){ .name = (table) })

enum table_needs {
	NEEDS_LABELS = 1,           /* names of places, and the results */
	NEEDS_LINES = 2,            /* also the source line of each place */
	NEEDS_TALLY = 4,            /* processes and counted samples; included in names */
	NEEDS_STACKS = 8,           /* also the names of all functions in call chains */
	NEEDS_ENTRY_LINES = 16,     /* also the line where each function starts */
	NEEDS_EVERY_STACK = 32,     /* also stacks of one frame for samples without a call chain */
	NEEDS_PROCESSES = 64,       /* also the call trees of processes, by their names */
	NEEDS_THREADS = 128,        /* also threads of stacks, and the names of their processes */
	NEEDS_SAMPLES = 256,        /* also every sample, in order of time */
	NEEDS_CODE = 512,           /* also the instructions of functions */
	NEEDS_BRANCHES = 1024,      /* also the branches of samples, with names */
	NEEDS_MEMORY = 2048,        /* also their accesses to memory, with names */
	NEEDS_SCHED = 4096,         /* what threads did, by the scheduler's records */
	NEEDS_TRACE = 8192,         /* also the raw data of tracepoints */
	NEEDS_THREAD_NAMES = 16384, /* also the names of threads */
	NEEDS_INTERVALS = 32768,    /* also every interval, in order of its begin */
	NEEDS_SOURCES = 65536,      /* also the source files of functions */
	NEEDS_NAMES = NEEDS_LABELS | NEEDS_SOURCES
};

/* What a run is about. */
enum table_scope { SCOPE_RECORDING, SCOPE_COMPARISON, SCOPE_TREND };

/*
 * Writes the file of one event. False with err set when memory is refused; other errors are in
 * ferror(out).
 */
typedef bool event_writer(FILE *out, const struct report *report, size_t event, struct err *err);

struct table {
	const struct table_format *format;
	/* NULL: a CSV table in NAME.csv; otherwise the name of its (first) file */
	const char *file;
	const char *content; /* of such a file: what it contains */
	/*
	 * NULL; or it is several tables, each begun and ended by print(), and this is what their
	 * files are called. The format has the columns that all of them have.
	 */
	const char *several;
	/* print() begins and ends the table, whose columns depend on the options */
	bool makes_columns;
	bool by_default; /* written where --tables is not given */
	/* what it is for; tables of comparisons and trends are written by default there */
	enum table_scope scope;
	bool compares_too; /* for one recording; also for a comparison, if --tables names it */
	unsigned needs;    /* of enum table_needs */
	/* What it keeps of the records while they are read. NULL: nothing of its own. */
	const struct collector *collects;
	/*
	 * Whether the recording has rows for it, when everything that the table needs is there.
	 * NULL: always.
	 */
	bool (*can_fill)(const struct report *report);
	/* Writes the file of an event, of a table that has such files. NULL: it has none. */
	event_writer *write_event;
	/*
	 * Writes all rows; what is no table is written to report->files, and out is not used. False
	 * with err set when memory or the system refuses. NULL: see write_event, or else the rows
	 * are written while records are read. Files are written while tables of rows are, so
	 * neither may change the report.
	 */
	bool (*print)(struct table_writer *out, const struct report *report, struct err *err);
};

#define TRACE_COLUMNS_MOST 800 /* of a table of a tracepoint: up to 256 fields, each with texts */

/* In the order in which tables are written and listed. */
#define TABLES(TABLE)       \
	TABLE(stat)         \
	TABLE(overview)     \
	TABLE(processes)    \
	TABLE(results)      \
	TABLE(header)       \
	TABLE(events)       \
	TABLE(buildids)     \
	TABLE(lines)        \
	TABLE(addresses)    \
	TABLE(instructions) \
	TABLE(branches)     \
	TABLE(blocks)       \
	TABLE(memory)       \
	TABLE(cachelines)   \
	TABLE(cacheoffsets) \
	TABLE(aux)          \
	TABLE(counters)     \
	TABLE(ratios)       \
	TABLE(diff)         \
	TABLE(runs)         \
	TABLE(trend)        \
	TABLE(series)       \
	TABLE(trendlines)   \
	TABLE(calltree)     \
	TABLE(callers)      \
	TABLE(chains)       \
	TABLE(symbols)      \
	TABLE(samples)      \
	TABLE(trace)        \
	TABLE(intervals)    \
	TABLE(latency)      \
	TABLE(threads)      \
	TABLE(cpus)         \
	TABLE(folded)       \
	TABLE(flame)        \
	TABLE(timeline)     \
	TABLE(pprof)        \
	TABLE(firefox)      \
	TABLE(about)

#define DECLARE_TABLE(name) extern const struct table name##_table;
TABLES(DECLARE_TABLE)
#undef DECLARE_TABLE

#define COUNT_TABLE(name) +1
enum { TABLE_COUNT = TABLES(COUNT_TABLE) };
#undef COUNT_TABLE

extern const struct table *const tables[TABLE_COUNT];

/* A set of tables that the user asked for. */
struct table_set {
	uint64_t bits; /* bit n: tables[n] */
	/*
	 * Those that are written even if the recording has no rows for them. The others are there
	 * because of "all".
	 */
	uint64_t named;
	uint64_t removed; /* those that were left out: -NAME */
	bool unsaid;      /* --tables was not given */
	unsigned more;    /* of enum table_needs: what other outputs need */
};

/* The table with this name; NULL: there is none. */
const struct table *table_find(const char *name, size_t length);
bool table_set_has(const struct table_set *set, const struct table *table);
bool table_set_names(const struct table_set *set, const struct table *table);
void table_set_remove(struct table_set *set, const struct table *table);
/* Whether the table is written: those that only "all" asks for are not if they would be empty. */
bool table_set_writes(const struct table_set *set, const struct table *table,
                      const struct report *report);
/*
 * Reduces the set to those that the page of --report shows more of, and removes the default ones.
 * Returns another one that was named; NULL: none was.
 */
const struct table *table_set_keep_shown(struct table_set *set);

/*
 * Everything that the tables in the set, and other outputs, need: enum table_needs. Stacks of one
 * frame are needed only by tables that were named.
 */
unsigned table_set_needs(const struct table_set *set);
/*
 * Adds the collectors of all tables in the set, before the first record. session: borrowed. False
 * with err set when memory is refused.
 */
bool table_set_collect(const struct table_set *set, struct collection *collection,
                       const struct session *session, struct err *err);
/*
 * Sets the set from the value of --tables: names, "all", "-NAME" to remove one, or "none". NULL:
 * the default tables. False if a word is invalid: *wrong points to it.
 */
bool table_set_parse(struct table_set *set, const char *list, const char **wrong);

/*
 * Comparisons and trends have tables of their own: the default tables, and "all", are reduced to
 * those for the kind of run. False with err set if another table was named.
 */
bool table_set_fits(struct table_set *set, enum table_scope scope, struct err *err);

/*
 * Removes what is no table but a file of its own: stacks, pictures, profiles. Returns one that
 * was named; NULL: none was.
 */
const struct table *table_set_drop_files(struct table_set *set);

/* Adds about.csv, which is written with every other table, even one that is not in the list. */
void table_set_add_about(struct table_set *set);

/* Adds the picture of a trend to its table, unless it was named, or left out (-trendlines). */
void table_set_add_picture(struct table_set *set);

/* Removes about.csv again, unless it is the only table. Returns the number of tables. */
unsigned table_set_drop_about(struct table_set *set);

/* bytes: enough for all names, with two bytes behind each */
#define COUNT_NAME(name) +sizeof(#name) + 1
enum { TABLE_NAMES_SIZE = 1 TABLES(COUNT_NAME) };
#undef COUNT_NAME

/* "stat, overview, ...": the default tables, the others, or (both) all. */
const char *table_names(char names[TABLE_NAMES_SIZE], bool by_default, bool others);

#endif

/*
 * The tables: one descriptor for each, in one list. From it come --schema, what --tables takes,
 * help, messages and the loop that writes them. A new table is a line in TABLES and a file that
 * defines NAME_table.
 */
#ifndef READPERF_DECODE_TABLES_TABLES_H
#define READPERF_DECODE_TABLES_TABLES_H

#include "decode/naming/calltree.h"
#include "decode/naming/naming.h"
#include "decode/naming/results.h"
#include "util/table.h"

struct about;
struct buildids;
struct comparison;
struct counters;
struct overview;

/*
 * What a table can be made of, after the last record. names, results: only where a table needs
 * names.
 */
struct report {
	struct session *session;
	const struct read_summary *summary;
	struct buildstat *stat; /* its samples, if they were kept, are read from a file */
	const struct place_names *names;
	const struct results *results;
	const struct call_tree *calls; /* empty: no call chains */
	struct buildids *buildids;
	const struct counters *counters;
	struct overview *overview;           /* NULL: not asked for */
	const struct comparison *comparison; /* NULL: of one recording */
	const struct table_files *files;     /* for what is not written row by row */
	const struct about *about;           /* for the last table */
};

#define FORMAT_OF(name, columns) (&(const struct table_format)TABLE_FORMAT(name, columns))

enum table_needs {
	NEEDS_NAMES = 1,        /* of places, and the results */
	NEEDS_LINES = 2,        /* and the source line of each place */
	NEEDS_TALLY = 4,        /* processes, and counted samples; names need it anyway */
	NEEDS_STACKS = 8,       /* and the names of all functions in call chains */
	NEEDS_BOUNDS = 16,      /* and where each function is */
	NEEDS_EVERY_STACK = 32, /* and stacks of one frame of samples without a call chain */
	NEEDS_COMM = 64,        /* and the names of the processes of stacks */
	NEEDS_THREADS = 128,    /* and their threads */
	NEEDS_SAMPLES = 256     /* and every sample, by time */
};

struct table {
	const struct table_format *format;
	const char *file; /* NULL: a table, in NAME.csv; else, of another format, its first file, */
	const char *content; /* and what that is */
	bool by_default;     /* written where --tables is not given */
	bool compares;       /* of a comparison alone, and then by default */
	bool compares_too;   /* of a recording; and of a comparison, where it is asked for */
	bool with_others;    /* written behind all others, whenever there is any */
	/*
	 * print writes or ends the file itself: rows were written while records were read, or it is
	 * no table.
	 */
	bool streamed;
	unsigned needs; /* of enum table_needs */
	/*
	 * Whether this recording has rows for it, once what it needs is there. NULL: each recording
	 * has.
	 */
	bool (*can_fill)(const struct report *report);
	/* Writes all rows. False with err set when memory or the system refuses. */
	bool (*print)(struct table_writer *out, const struct report *report, struct err *err);
};

/* In the order in which they are written and listed. */
#define TABLES(TABLE)    \
	TABLE(stat)      \
	TABLE(overview)  \
	TABLE(processes) \
	TABLE(results)   \
	TABLE(header)    \
	TABLE(events)    \
	TABLE(buildids)  \
	TABLE(lines)     \
	TABLE(addresses) \
	TABLE(counters)  \
	TABLE(diff)      \
	TABLE(runs)      \
	TABLE(calltree)  \
	TABLE(callers)   \
	TABLE(chains)    \
	TABLE(symbols)   \
	TABLE(samples)   \
	TABLE(folded)    \
	TABLE(flame)     \
	TABLE(pprof)     \
	TABLE(about)

#define DECLARE_TABLE(name) extern const struct table name##_table;
TABLES(DECLARE_TABLE)
#undef DECLARE_TABLE

#define COUNT_TABLE(name) +1
enum { TABLE_COUNT = TABLES(COUNT_TABLE) };
#undef COUNT_TABLE

extern const struct table *const tables[TABLE_COUNT];

/* Tables that are asked for. */
struct table_set {
	uint64_t bits; /* bit n: tables[n] */
	bool all;      /* "all" was said: those that the recording cannot fill are left out */
	bool unsaid;   /* --tables was not given */
};

bool table_set_has(const struct table_set *set, const struct table *table);
/* Everything that tables of the set need: of enum table_needs. */
unsigned table_set_needs(const struct table_set *set);
/*
 * Fills the set from the list that --tables takes: names, "all", "-NAME" to take one out again; or
 * "none". NULL: what is written by default. False if a word is none of them: *wrong is its start.
 */
bool table_set_parse(struct table_set *set, const char *list, const char **wrong);

/*
 * Comparisons have tables of their own: by default, or as "all", the set becomes those, or loses
 * them. False with err set if a table was named that is not of this kind of run.
 */
bool table_set_fits(struct table_set *set, bool compares, struct err *err);

/* Adds the tables that come with any other one, of whatever list. */
void table_set_add_company(struct table_set *set);

#define TABLE_NAMES_SIZE 600 /* bytes: enough for all names */

/* "stat, overview, ...": those that are written by default, those that are not, or (both) all. */
const char *table_names(char names[TABLE_NAMES_SIZE], bool by_default, bool others);

/* When a table is written. */
enum table_phase {
	PHASE_EARLY, /* what needs no names, perhaps while they are looked up */
	PHASE_NAMED,
	PHASE_LAST /* what says how the run went */
};

/*
 * Writes the tables of the set whose time has come. False with err set when memory or the system
 * refuses.
 */
bool tables_write(const struct table_set *set, enum table_phase phase, const struct report *report,
                  struct table_writer *out, struct err *err);

#endif

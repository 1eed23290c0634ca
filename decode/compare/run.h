/*
 * One run of a comparison: the cost of each function in a recording. It comes from the tables that
 * an earlier run of readperf wrote, or from a recording that has just been read.
 *
 * In:  results.csv and events.csv of a folder, perhaps header.csv and lines.csv; or calls of
 * compare_run_add_event() and compare_run_add_row().
 * Out: struct compare_run, whose names are strings of the comparison.
 */
#ifndef READPERF_DECODE_COMPARE_RUN_H
#define READPERF_DECODE_COMPARE_RUN_H

#include "decode/compare/runtable.h"
#include "decode/naming/calltree.h"
#include "util/strings.h"

enum compare_side { SIDE_BASE, SIDE_NEW, SIDE_COUNT };

/* An event of a run. */
struct run_event {
	uint32_t name;
	uint64_t samples, period, lost;
	uint64_t sample_period, frequency; /* as the recorder was told; 0: not used, or not known */
	bool wrapped;                      /* the period is modulo 2^64; of tables not known */
	bool is_interval;                  /* its samples are intervals, all of which are counted */
	bool is_time;                      /* its periods are ns */
	bool excluded;                     /* by --event: its samples were not asked for */
	uint64_t unnamed; /* period without the name of a function; known in a trend only */
};

/* A row of results.csv. */
struct run_row {
	uint32_t event; /* string */
	/*
	 * Of a recording: the number of the event in the run, for events may share a name. 0 in
	 * rows read from tables, whose events differ in their names.
	 */
	uint32_t event_index;
	uint32_t function, binary, file; /* strings */
	uint64_t samples, period;
	uint64_t total_samples, total_period;
	bool has_totals;
	uint32_t line;   /* its most expensive line in that file; 0: not known */
	bool unnamed;    /* it is for samples without a name, and says why */
	bool calls_only; /* it has only a total: of one recording that is not compared */
	uint32_t names;  /* number of its names in struct run_names plus 1; 0: not of a table */
	uint32_t row;    /* number in the comparison's functions, after the runs have been merged */
};

/* The share of samples that were lost, in percent. */
static inline double lost_percent(uint64_t lost, uint64_t samples)
{
	return 100 * (double)lost / ((double)lost + (double)samples);
}

/* What a run's header says about it, in the order of runs.csv. */
enum run_fact { RUN_HOST, RUN_CPU, RUN_OS_RELEASE, RUN_PERF_VERSION, RUN_CMDLINE, RUN_FACT_COUNT };

struct compare_run {
	enum compare_side side;
	uint32_t file;                  /* string: as the user named it */
	uint32_t facts[RUN_FACT_COUNT]; /* strings; STRING_EMPTY: not known */
	uint64_t duration;              /* ns; 0: not known */
	struct run_event *events;
	size_t event_count, event_capacity;
	struct run_row *rows;
	size_t row_count, row_capacity;
	/* One for each event, a string here, and node of the call trees: see mergedcalls.h. */
	struct call_cost *costs;
	size_t cost_count, cost_capacity;
};

/*
 * The names of functions in the tables of all runs. A row's names are the same in most runs, so
 * they are looked up as one text.
 */
struct run_names {
	struct strings *strings; /* borrowed; of the comparison */
	struct row_names *items; /* by number */
	size_t count, capacity;
	struct hash_index index; /* of their texts */
	uint64_t seed;           /* of the hashes */
	struct arena arena;      /* has the texts */
	char *buffer;            /* for the texts of rows that are looked up */
	size_t buffer_used, buffer_size;
	struct table_memory memory; /* of the last table */
};

void run_names_init(struct run_names *names, struct strings *strings);
void run_names_release(struct run_names *names);

void compare_run_release(struct compare_run *run);

/* False with err set when memory is refused. */
bool compare_run_add_event(struct compare_run *run, const struct run_event *event, struct err *err);
bool compare_run_add_row(struct compare_run *run, const struct run_row *row, struct err *err);

/*
 * Reads the tables in a folder into an empty run. False with err set if
 * results.csv or events.csv is missing, was not written by readperf, is cut off, or if their sums
 * differ.
 */
bool compare_run_read(struct compare_run *run, const char *folder, struct run_names *names,
                      struct err *err);

#endif

/*
 * What the parts of a processed profile share: firefox.c has its threads, firefoxmarkers.c what
 * happened to them, firefoxtables.c the tables that all threads refer to.
 */
#ifndef READPERF_DECODE_EXPORTS_FIREFOX_H
#define READPERF_DECODE_EXPORTS_FIREFOX_H

#include "decode/exports/threadlist.h"
#include "decode/exports/escape.h"
#include "decode/tables/eventfile.h"
#include "decode/tally/moments.h"
#include "decode/tally/samplereader.h"
#include "perffile/session/features.h"
#include "util/pack.h"

/* In the order of the categories in the file. */
enum firefox_category {
	CATEGORY_OTHER,
	CATEGORY_USER,
	CATEGORY_KERNEL,
	CATEGORY_JIT,
	CATEGORY_WAITING
};

#define STACK_NULL UINT32_MAX /* a sample without a stack */

struct firefox_sample {
	uint64_t time; /* ns; 0: not known */
	uint64_t period;
	uint64_t number; /* in the order of the log */
	uint32_t stack;  /* index, or STACK_NULL */
	uint32_t thread; /* number in the list */
};

/* Texts are numbers in stringArray; STRING_NONE: there is none. */
struct firefox_marker {
	uint64_t start, end;         /* ns; end: TIME_NONE: it is a moment */
	const struct moment *moment; /* NULL: it is an interval */
	uint64_t number;
	uint32_t thread, name;
	/* of an interval */
	uint32_t what, function, result, by;
	int32_t cpu; /* -1: unknown */
	enum firefox_category category;
};

/* Which samples and markers a thread has. */
struct thread_span {
	uint32_t thread;
	size_t first_sample, samples, first_marker, markers;
};

struct firefox {
	const struct report *report;
	const struct moments *moments;
	size_t event;
	FILE *out;
	bool clock;           /* periods are ns */
	bool is_interval;     /* the event is made of intervals */
	uint64_t first, last; /* ns, of all that has a time; first: TIME_NONE: nothing has */
	struct strings texts; /* stringArray */
	struct thread_list threads;
	uint32_t *stack_of; /* by node of the call tree: its index in stackTable, or STACK_NULL */
	struct firefox_sample *samples;
	size_t sample_count, sample_capacity;
	struct firefox_marker *markers;
	size_t marker_count, marker_capacity;
	struct err *err;
};

/* Rows of the shared tables. */
struct firefox_tables {
	uint32_t *nodes; /* by index in stackTable: node of the call tree */
	size_t count;
	uint32_t *funcs;               /* by index in stackTable: index in funcTable */
	struct map func_of;            /* function, or name of a remark -> index in funcTable */
	struct map library_of;         /* string of a binary's name -> index in libs */
	struct map source_of;          /* string of a file -> index in sources */
	const struct call_node **rows; /* of funcTable: one of their nodes */
	size_t row_count, row_capacity;
	uint32_t *libraries; /* functions, by index in libs */
	size_t library_count, library_capacity;
	uint32_t *sources; /* texts, by index in sources */
	size_t source_count, source_capacity;
};

/* Makes the tables of the stacks of the event, and stack_of. False with err set. */
bool firefox_tables_make(struct firefox_tables *shared, struct firefox *firefox);
void firefox_tables_release(struct firefox_tables *shared);
/* Prints a member of the profile, after another one. */
void firefox_print_libs(const struct firefox_tables *shared, const struct firefox *firefox);
void firefox_print_shared(const struct firefox_tables *shared, struct firefox *firefox);

/* Whether threads wait in the intervals, or at the samples, of an event with that name. */
bool firefox_event_waits(const char *event);

/* What the fields of markers mean: a member of meta. */
extern const char firefox_marker_schema[];
/* Lists moments and intervals, by thread and time. After the samples. False with err set. */
bool firefox_take_markers(struct firefox *firefox);
/* Prints the member of a thread that has these markers. */
void firefox_print_markers(const struct firefox *firefox, const struct firefox_marker *markers,
                           size_t count);

/* Prints ns as ms; all digits, so that sums are exact. */
void firefox_print_ms(FILE *out, uint64_t ns);
/* Prints ms since the beginning of the profile; 0: not known. */
void firefox_print_time(const struct firefox *firefox, uint64_t time);
/* Begins a list in an object, after another member. */
void firefox_begin_list(FILE *out, const char *key);

#endif

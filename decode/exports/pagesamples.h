/*
 * The samples in the page of --report: columns of numbers, a row for each sample.
 *
 * In:  the log of counted samples and that of intervals, which are samples of derived events; the
 *      stacks of each, the names of places.
 * Out: columns. Threads, tasks and places are numbered in the order in which samples have them.
 *
 * If there are more than PAGE_ROWS_MOST samples, a row is all samples of a slice of time that agree
 * in everything else, and the slices are as wide as needed to have no more than so many rows. Where
 * hardly any samples agree, that would be nearly all of the time: then there may be
 * PAGE_SLICED_MOST rows.
 */
#ifndef READPERF_DECODE_EXPORTS_PAGESAMPLES_H
#define READPERF_DECODE_EXPORTS_PAGESAMPLES_H

#include "decode/exports/pageplanes.h"
#include "decode/exports/pagerecent.h"
#include "decode/tables/tables.h"
#include "util/tuples.h"

#define PAGE_ROWS_MOST 2000000u
/*
 * 6 million samples of 80,000 tasks (threads and their CPUs) with 2 million stacks: a page of 48
 * MB, which is there after 1.8 s and answers within 0.6 s. Of 8 million it would be 63 MB and 2.6
 * s.
 */
#define PAGE_SLICED_MOST 6000000u
/*
 * Up to so many samples have their times in ns, more of them in us, which takes less than half of
 * the room: of 650,000 samples 0.7 and not 2.1 MB.
 */
#define PAGE_EXACT_MOST 100000u

struct page_thread {
	int32_t pid, tid; /* -1: not recorded */
	uint32_t comm;    /* string: name of the process at that time */
	uint32_t name;    /* string: of the thread, its last one */
};

struct page_task {
	uint32_t thread; /* number */
	int32_t cpu;     /* -1: not recorded */
	uint32_t event;  /* see call_event_of() */
};

struct page_samples {
	uint64_t first; /* ns: times count from here */
	uint64_t unit;  /* ns: of the times */
	bool sliced;    /* rows are not single samples */
	bool has_places;
	bool has_base;
	bool has_whats;          /* there are intervals, and rows are single ones */
	size_t count;            /* of rows */
	size_t untimed;          /* the first of them have no time */
	struct page_planes time; /* of those with a time: more than the row before, signed */
	struct page_planes task; /* as page_recent_put() says */
	struct page_planes weight;
	struct page_planes samples; /* if sliced: how many */
	struct page_planes base;    /* in a comparison: the weight on the base side */
	struct page_planes what;    /* of an interval: number in `whats` + 1; else 0 */
	struct page_planes place;   /* number in `places`; only if places were asked for */
	struct page_recent recent;  /* tasks of the last rows */
	/*
	 * By row: a node of the tree of functions; or, from its count on, a number in `singles`: a
	 * function without a stack.
	 */
	uint32_t *nodes;
	size_t node_capacity;
	struct tuples threads; /* struct page_thread */
	struct tuples tasks;   /* struct page_task */
	struct tuples places;  /* uint32_t: numbers of the recording's places */
	struct tuples whats;   /* uint32_t: strings: what intervals were */
	struct tuples singles; /* uint32_t: functions, the first of those that are alike */
};

/* No samples yet. */
void page_samples_init(struct page_samples *samples);
/* The samples must have been kept. False with err set; page_samples_release() in any case. */
bool page_samples_make(struct page_samples *made, const struct report *report, bool places,
                       struct err *err);
void page_samples_release(struct page_samples *samples);

#endif

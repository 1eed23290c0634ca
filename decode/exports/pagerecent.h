/*
 * How the page of --report has the tasks of samples: threads and CPUs take turns, so that most of
 * them ran shortly before, and have a small number as a place in the list of those that ran last.
 */
#ifndef READPERF_DECODE_EXPORTS_PAGERECENT_H
#define READPERF_DECODE_EXPORTS_PAGERECENT_H

#include <stdint.h>
#include <string.h>

#define PAGE_RECENT 16

struct page_recent {
	uint32_t tasks[PAGE_RECENT]; /* the last one first */
};

static inline void page_recent_init(struct page_recent *recent)
{
	memset(recent, 0xff, sizeof(*recent)); /* no tasks */
}

static inline void page_recent_move(struct page_recent *recent, uint32_t place, uint32_t task)
{
	memmove(recent->tasks + 1, recent->tasks, place * sizeof(*recent->tasks));
	recent->tasks[0] = task;
}

/* What is written for a task: its place, or PAGE_RECENT + its number. It is the first one then. */
static inline uint32_t page_recent_put(struct page_recent *recent, uint32_t task)
{
	uint32_t place = 0, last;

	if (recent->tasks[0] == task)
		return 0;
	while (++place < PAGE_RECENT - 1 && recent->tasks[place] != task)
		;
	last = recent->tasks[place];
	page_recent_move(recent, place, task);
	return last == task ? place : PAGE_RECENT + task;
}

/* The task of what was written. */
static inline uint32_t page_recent_get(struct page_recent *recent, uint32_t written)
{
	const uint32_t task = written < PAGE_RECENT ? recent->tasks[written]
	                                            : written - PAGE_RECENT;

	page_recent_move(recent, written < PAGE_RECENT ? written : PAGE_RECENT - 1, task);
	return task;
}

#endif

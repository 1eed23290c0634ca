/*
 * What the user asks of intervals: lists of pairings that are known, and pairings of their own.
 *
 *   --intervals=sched,syscalls
 *   --intervals='io=block:block_io_start..block:block_io_done/dev,sector:rwbs'
 */
#ifndef READPERF_DECODE_INTERVALS_INTERVALREQUEST_H
#define READPERF_DECODE_INTERVALS_INTERVALREQUEST_H

#include "util/errhandler.h"

enum interval_list {
	LIST_SCHED,
	LIST_SYSCALLS,
	LIST_LOCKS,
	LIST_IRQ,
	LIST_WORK,
	LIST_BLOCK,
	LIST_KVM,
	LIST_MEMORY,
	LIST_PAIRS,
	LIST_WALL,
	LIST_COUNT
};

#define OWN_PAIRINGS_MOST 16
#define PAIRING_KEYS_MOST 4
#define PAIRING_TEXT_SIZE 128 /* bytes of a name, with the NUL */

/* NAME=BEGIN..END[/KEY,...][:WHAT] */
struct own_pairing {
	char name[PAIRING_TEXT_SIZE];
	char begin[PAIRING_TEXT_SIZE], end[PAIRING_TEXT_SIZE]; /* globs of names of events */
	/* fields of the begin and of the end, or "tid" and "cpu" */
	char begin_keys[PAIRING_KEYS_MOST][PAIRING_TEXT_SIZE];
	char end_keys[PAIRING_KEYS_MOST][PAIRING_TEXT_SIZE];
	unsigned key_count;           /* 0: the thread, innermost first */
	char what[PAIRING_TEXT_SIZE]; /* a field of the begin; "": none */
};

struct interval_request {
	unsigned lists; /* enum interval_list, one bit each */
	/* of "all": a list whose events are not recorded is no reason for a warning */
	bool all;
	struct own_pairing own[OWN_PAIRINGS_MOST];
	size_t own_count;
};

/* Adds the value of --intervals. False with err set if it is wrong. */
bool interval_request_add(struct interval_request *request, const char *text, struct err *err);

/* Whether any are asked for. */
static inline bool interval_request_is_empty(const struct interval_request *request)
{
	return !request->lists && !request->own_count;
}

/* Whether the frames in which threads wait are cut off any of them: where nothing else says where
 * they count. */
static inline bool interval_request_cuts(const struct interval_request *request)
{
	return request->own_count || request->lists & (1u << LIST_SCHED | 1u << LIST_LOCKS |
	                                               1u << LIST_PAIRS | 1u << LIST_WALL);
}

/* The words that name lists, and "all"; NULL: there are no more. For help and completions. */
const char *interval_list_at(const void *context, size_t index);

#endif

/*
 * The pairings: which two records are the begin and the end of an interval, and what the interval
 * is called. In: what the user asks for, and the events of the recording with their formats. Out:
 * for each event the roles that its samples have.
 */
#ifndef READPERF_DECODE_INTERVALS_PAIRINGS_H
#define READPERF_DECODE_INTERVALS_PAIRINGS_H

#include "decode/intervals/intervalrequest.h"
#include "decode/intervals/intervalsink.h"
#include "perffile/fields/formats.h"

#define PAIRING_NONE UINT32_MAX

/* What an open begin of the same key means when another one comes. */
enum second_begin {
	SECOND_REPLACES, /* an end is missing: the old one is unfinished */
	SECOND_IGNORED,  /* it was pending already: the first counts */
	SECOND_NESTS     /* the ends come innermost first */
};

/* What joins begin and end, besides fields. */
enum pairing_scope { JOINED_BY_FIELDS, JOINED_BY_THREAD, JOINED_BY_CPU };

/* What is shown in `what`. */
enum pairing_what {
	WHAT_NOTHING,
	WHAT_FIELD,    /* its text */
	WHAT_FUNCTION, /* the function at its address */
	WHAT_SYSCALL,  /* the name of the syscall with this number */
	WHAT_LOCK,     /* the kind of the lock, by its flags */
	WHAT_ORDER     /* "order N" */
};

/* The time of a CPU that its intervals are, in cpus.csv. */
enum pairing_cpu_time { NO_CPU_TIME, CPU_TIME_IRQ, CPU_TIME_SOFTIRQ };

struct pairing_rule {
	enum interval_list list;
	const char *event;
	const char *begin[2], *end[2]; /* globs of names */
	enum pairing_scope scope;
	enum second_begin second;
	const char *keys[PAIRING_KEYS_MOST];     /* fields, "tid" or "cpu" */
	const char *end_keys[PAIRING_KEYS_MOST]; /* of the end, if it calls them differently */
	enum pairing_what what;
	const char *what_field;
	enum interval_place place;
	const char *number; /* begin and end must be equal in this field, but it is no key */
	const char *result; /* field of the end */
	enum pairing_cpu_time cpu_time;
	const char *advice; /* what to record */
};

/* One that this recording has. */
struct pairing {
	const char *event; /* its name; lives as long as the session */
	uint32_t number;   /* of the event, in the session */
	enum interval_list list;
	enum pairing_scope scope;
	enum second_begin second;
	enum pairing_what what;
	enum interval_place place;
	enum pairing_cpu_time cpu_time;
};

/* What samples of an event are for a pairing. */
struct pairing_role {
	uint32_t event; /* the recorded one */
	uint32_t pairing;
	bool ends;
	unsigned key_count;
	struct role_key {
		const struct field *field; /* NULL: */
		bool is_cpu, is_thread;
	} keys[PAIRING_KEYS_MOST];
	const struct field *what, *number, *result; /* NULL: it has none */
};

struct pairings {
	struct pairing *items;
	size_t count, capacity;
	struct pairing_role *roles; /* by event; of each first those that end */
	size_t role_count, role_capacity;
	uint32_t *first; /* by event, and one more: its first role */
	size_t event_count;
	unsigned lists_met;  /* a pairing of the list has begins */
	unsigned lists_half; /* of a pairing of the list only begins, or only ends, are recorded */
	bool own_met[OWN_PAIRINGS_MOST];
	bool own_nameless[OWN_PAIRINGS_MOST]; /* no begin has the field that says what it is */
	bool own_namesake[OWN_PAIRINGS_MOST]; /* another event has the name */
	/* an event of that name, and the key that it lacks; NULL: none does */
	struct lacking_event {
		const char *event, *field;
	} own_lacks[OWN_PAIRINGS_MOST];
	/* a pair of `pairs` whose event is called as another one is; NULL: there is none */
	struct namesake_pair {
		const char *event, *begin, *end;
	} namesake;
	const char *sampled; /* an event that is not recorded every time; NULL: none */
};

/*
 * Finds the pairings of the recording, and adds their events to the session. False with err set
 * when memory is refused; pairings_release() must be called in any case.
 */
bool pairings_find(struct pairings *pairings, const struct interval_request *request,
                   struct formats *formats, struct err *err);
void pairings_release(struct pairings *pairings);
/* Warns of what was asked for and is not recorded, with advice. */
void pairings_report(const struct pairings *pairings, const struct interval_request *request,
                     struct diag *diag);

#endif

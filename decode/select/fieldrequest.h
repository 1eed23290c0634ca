/*
 * What the user asks of the fields of tracepoints: conditions, a weight, keys of groups.
 *
 *   --where='bytes_alloc>=4096' --where='sched:sched_switch.prev_state~D*' --weight=bytes_alloc
 */
#ifndef READPERF_DECODE_SELECT_FIELDREQUEST_H
#define READPERF_DECODE_SELECT_FIELDREQUEST_H

#include "util/errhandler.h"

#define FIELD_CONDITIONS_MOST 16
#define FIELD_KEYS_MOST 8
#define FIELD_NAME_SIZE 128 /* bytes, with the NUL */

/* NAME, or EVENT.NAME. */
struct field_name {
	char event[FIELD_NAME_SIZE]; /* "": of any event */
	char name[FIELD_NAME_SIZE];
};

enum field_relation {
	FIELD_EQUAL,
	FIELD_UNEQUAL,
	FIELD_LESS,
	FIELD_LESS_EQUAL,
	FIELD_GREATER,
	FIELD_GREATER_EQUAL,
	FIELD_MATCHES /* a glob */
};

struct field_condition {
	struct field_name field;
	enum field_relation relation;
	const char *value; /* borrowed from the argument */
	bool is_number, negative;
	uint64_t number; /* of value, two's complement */
};

/* --where=duration OP TIME, of intervals. */
struct duration_condition {
	enum field_relation relation;
	uint64_t ns;
};

struct field_request {
	struct field_condition conditions[FIELD_CONDITIONS_MOST];
	size_t condition_count;
	struct duration_condition durations[FIELD_CONDITIONS_MOST];
	size_t duration_count;
	bool unfinished; /* of intervals only those without an end count */
	bool wall;       /* --weight=wall: periods are divided by the threads that ran */
	bool has_weight;
	struct field_name weight;
	char headers[FIELD_KEYS_MOST][FIELD_NAME_SIZE + 6]; /* "field.NAME" */
	const char *keys[FIELD_KEYS_MOST];                  /* NAME, in these */
	size_t key_count;
};

/* Adds --where=FIELD OP VALUE, which is borrowed. False with err set if it is wrong. */
bool field_request_where(struct field_request *request, const char *text, struct err *err);
/* Sets --weight=FIELD, or wall. */
bool field_request_weight(struct field_request *request, const char *text, struct err *err);
/* The number of a key, which is added if it is new; FIELD_KEYS_MOST with err set. */
unsigned field_request_key(struct field_request *request, const char *name, size_t length,
                           struct err *err);
/* order: below 0, 0 or above 0, as the left side is less than, equal to or greater than the right.
 */
bool field_relation_holds(enum field_relation relation, int order);
/* Whether anything is asked. */
static inline bool field_request_is_empty(const struct field_request *request)
{
	return !request->condition_count && !request->has_weight && !request->wall &&
	       !request->key_count;
}
/* Whether intervals may not count because of their length, or because they have an end. */
static inline bool field_request_asks_length(const struct field_request *request)
{
	return request && (request->duration_count || request->unfinished);
}
/*
 * Whether an interval of this length, in ns, meets the conditions about its length; ended: it has
 * one. request may be NULL.
 */
bool field_request_has_duration(const struct field_request *request, bool ended, uint64_t duration);

#endif

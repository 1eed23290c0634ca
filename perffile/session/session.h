/*
 * What a recording says about itself: its events (attrs), their ids and names, and its features.
 * In: the file header (header.c) or the tool's records (toolrecord.h). Out: this struct, which all
 * other rooms read. Format reference, sections 1, 2, 5, 6.
 */
#ifndef READPERF_PERFFILE_SESSION_SESSION_H
#define READPERF_PERFFILE_SESSION_SESSION_H

#include "perffile/session/attr.h"
#include "util/arena.h"
#include "util/buildid.h"
#include "util/cursor.h"
#include "util/hash.h"

struct input;

/* One event. */
struct event {
	struct event_attr attr;
	struct sample_layout layout;
	size_t id_count;
	const char *name;     /* as the file names it, or derived; in the session's arena */
	const char *unit;     /* from EVENT_UPDATE, or NULL */
	double scale;         /* from EVENT_UPDATE; otherwise 1 */
	bool named;           /* the name is from the file, or it is derived */
	bool derived;         /* made of other records: no attr declares it, and no id is its own */
	bool counted;         /* of a derived one: its periods are counts, not ns */
	bool weighted;        /* of intervals: its periods are a field of their begins, not ns */
	bool branch_counters; /* it or a member of its group records branch counters */
	uint32_t leader;      /* number of the event that leads its group; its own without one */
};

/* A feature section: raw bytes, not yet decoded. */
struct feature {
	bool present;
	bool damaged;        /* a warning has said so */
	const uint8_t *data; /* NULL until loaded; in the session's arena */
	const char *text;    /* the same, if it is a single string that was asked for */
	uint64_t size;       /* bytes */
	uint64_t offset;     /* in the file */
};

/* A build id from the BUILD_ID feature or a HEADER_BUILD_ID record. */
struct session_build_id {
	struct build_id id;
	uint16_t misc;    /* cpumode of the binary */
	const char *name; /* in the session's arena */
};

/* Names by number; a name that is added later replaces one of the same number. Zeros are empty. */
struct numbered_names {
	struct map index;   /* number -> index in names */
	const char **names; /* malloc'd; the texts are borrowed */
	size_t count, capacity;
};

void numbered_names_release(struct numbered_names *names);
bool numbered_names_add(struct numbered_names *names, uint64_t number, const char *name,
                        struct err *err);
/* NULL: there is none. */
const char *numbered_names_find(const struct numbered_names *names, uint64_t number);

/* What was read from records of simpleperf (simpleperf.h); all in the session's arena. */
struct stored_names {
	bool any; /* there was such a record */
	struct recorded_file *files, **files_end;
	size_t file_count;
	struct stored_symbol *symbols; /* the newest first */
	const char *kernel_list;       /* NULL: none */
	size_t kernel_list_size;       /* bytes; the text is not terminated */
};

struct session {
	struct arena arena;
	const struct input *input; /* borrowed; where features are loaded from */
	struct diag *diag;         /* borrowed */
	bool swap;                 /* the file's byte order differs from ours */
	bool big_endian;           /* the producer's byte order */
	bool pipe;                 /* pipe layout: everything is in records */
	int version;               /* 1 or 2 */
	bool killed;               /* data size 0: the recorder was killed before it could finish */
	bool damaged; /* the file lacks what its header promises, or a part makes no sense */
	uint64_t data_offset, data_size; /* file layout, clamped to the file */

	struct event *events;
	size_t event_count, event_capacity;
	size_t active;        /* events known at this point of the record stream */
	size_t header_events; /* of them, those known before the first record */
	size_t derived_count; /* of all events, the last ones: see session_add_derived() */
	struct map ids;       /* id -> event number */
	bool names_stale; /* new information about names of events was read after they were named */
	/* by config: the event_types section and EVENT_TYPE records (perf before 3.14) */
	struct numbered_names event_types;

	struct feature features[PERF_FEATURE_BITS];
	uint8_t *tracing_bytes;  /* of a HEADER_TRACING_DATA record; malloc'd */
	size_t tracing_size;     /* bytes */
	uint64_t tracing_offset; /* of tracing_bytes in the file */
	struct stored_names stored_names;
	uint8_t *split; /* the parts so far of a record that simpleperf has split; malloc'd */
	size_t split_size, split_capacity; /* bytes */
	struct session_build_id *build_ids;
	size_t build_id_count, build_id_capacity;
	bool build_ids_loaded;
	struct recorded_file *recorded_files; /* see simpleperf.h */
	bool recorded_files_loaded;

	/* How to find the event and the time of a record; depends on the active events. */
	bool uniform;        /* all active events have the same layout, but for `variable` */
	bool reads;          /* samples of an active event have values of counters */
	bool comm_exec;      /* COMM records of an active event say whether they are an exec */
	int16_t sample_time; /* common position of the time in samples, -1: none */
	int16_t sample_id;   /* common position of the id in samples, -1: none */
	int16_t back_id;     /* the same in other records, counted from their end */
	uint32_t sample_ids,
		back_ids; /* offsets at which any event has its id: bit n is offset 8 * n */
};

void session_init(struct session *session, struct diag *diag);
void session_release(struct session *session);

/*
 * Reads the header, the attrs and the feature table of a seekable input, or the 16 bytes of a pipe.
 * input is borrowed and must outlive the session. False with err set if it is no recording.
 */
bool session_open(struct session *session, const struct input *input, struct err *err);

/*
 * Warns of damage in a feature or in a record of the tool; the recording then counts as damaged.
 */
void session_report_damage(struct session *session, const struct err *damage);

/*
 * The header and the records of the tool fill the session with these three. They return NULL or
 * false, with the cursor's error set, when memory is refused.
 */
/* Adds an event for an attr; its ids follow. */
struct event *session_add_event(struct session *session, struct cursor attr);
/* Adds the ids of the newest event; c has only these. */
bool session_add_ids(struct session *session, struct cursor c);
/* c holds one entry: u64 config, text. */
bool session_add_event_type(struct session *session, struct cursor c);

/* Makes the next event known to the record stream, and updates the shortcuts for all of them. */
void session_activate(struct session *session);
/* Before the second reading of the records: only the events of the header are active again. */
void session_rewind(struct session *session);
/* In the second reading: a HEADER_ATTR record of size bytes was passed. */
void session_next_attr(struct session *session, size_t size);

#define EVENT_UNKNOWN UINT32_MAX

/*
 * Adds an event that is made of other records; its periods are ns, unless the caller sets
 * `counted`. Call it when all recorded events
 * are known and before the first record with a time: in a handler's times(). name lives as long as
 * the session. EVENT_UNKNOWN with err set.
 */
uint32_t session_add_derived(struct session *session, const char *name, struct err *err);
/* Number of events that attrs declare. */
static inline size_t session_recorded_events(const struct session *session)
{
	return session->event_count - session->derived_count;
}

/* The event with this id, or EVENT_UNKNOWN. Records of perf's own have the id 0. */
uint32_t session_event_of_id(const struct session *session, uint64_t id);
/* session_event_of() for recordings without events, or with several. */
uint32_t session_event_find(const struct session *session, const uint8_t *record);

/* The event that a whole record belongs to (format reference, 7.3), or EVENT_UNKNOWN. */
static inline uint32_t session_event_of(const struct session *session, const uint8_t *record)
{
	return session->active == 1 ? 0 : session_event_find(session, record);
}

#endif

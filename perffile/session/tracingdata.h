/*
 * Tracing data: the formats of the recorded tracepoints. From feature TRACING_DATA of a file, or
 * the bytes after a HEADER_TRACING_DATA record of a pipe. Format reference, section 6.2.
 */
#ifndef READPERF_PERFFILE_SESSION_TRACINGDATA_H
#define READPERF_PERFFILE_SESSION_TRACINGDATA_H

#include "perffile/session/session.h"

/*
 * Bytes that are kept of the names of a tracepoint's system and of a PMU. On the recorded machine
 * these were names of folders; one long text in a recording could give its name to many events.
 */
#define EVENT_FOLDER_MOST 255

struct tracing_data {
	const char *version; /* "0.6"; in the parsed bytes */
	/* by config of the attr: "system:name", in the arena that tracing_data_parse() was given */
	struct numbered_names tracepoints;
	/* by the same: the texts of the formats, in that arena */
	struct numbered_names formats;
	size_t doubled;      /* ids with two formats, which then have none: it is "" */
	uint64_t doubled_id; /* the first of them */
	uint8_t long_size;   /* bytes of a long of the recorded kernel: 4 or 8 */
	bool swap;           /* they, and raw data of tracepoints, are in the other byte order */
	const char *printk;  /* texts at addresses of the kernel, in the parsed bytes; NULL: none */
	size_t printk_size;  /* bytes; not terminated */
	const char *kallsyms; /* the recorded /proc/kallsyms, in the parsed bytes; NULL: none */
	size_t kallsyms_size; /* bytes; the text is not terminated */
};

/*
 * c is over the data; its byte order is in them. False with the cursor's error set if they end too
 * early or memory is refused; what was found before stays valid. tracing_data_release() must be
 * called in any case.
 */
bool tracing_data_parse(struct tracing_data *tracing, struct cursor c, struct arena *arena);
void tracing_data_release(struct tracing_data *tracing);

/*
 * Whether raw data of tracepoints are in the other byte order: the tracing data name it. On a real
 * machine it is that of the records, which is used where there are none.
 */
static inline bool tracing_data_swap(const struct tracing_data *tracing,
                                     const struct session *session)
{
	return tracing->version ? tracing->swap : session->swap;
}

/*
 * The same for the tracing data of the session, from its feature or its record. If there is none,
 * all fields are 0. Damage is a warning; false with err set only when memory or the system refuses.
 */
bool session_tracing_data(struct session *session, struct tracing_data *tracing, struct err *err);

#endif

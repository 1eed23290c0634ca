/*
 * The handlers that one thread works for: decodes each record once for all of them and calls them in
 * their order.
 */
#ifndef READPERF_PERFFILE_CREW_H
#define READPERF_PERFFILE_CREW_H

#include "perffile/perffile.h"

/*
 * Records to deliver. Those with samples set lie one behind the other in a block, and their times
 * ascend; stretches of them that follow each other may overlap in time, and anything else stands
 * alone, where all before it are older and all behind it younger.
 */
struct stretch {
	const uint8_t *data; /* the first record */
	uint64_t nr;         /* its position in the recording */
	uint64_t time;       /* ns, or TIME_NONE */
	uint64_t last_time;  /* ns, of the last one; of samples */
	uint32_t count;      /* records */
	bool samples;
	struct block *block; /* one use of it ends with this stretch; NULL: none does */
	const struct sample *decoded; /* what the samples say; NULL: that is still to be seen */
};

#define CREW_IDS 64 /* each event has an id per CPU */

/*
 * Stretches that follow each other in time are one chain, as those of a CPU mostly are: there are few
 * chains to choose from, however many stretches lie side by side.
 */
struct chain {
	struct stretch left;    /* of the stretch at work */
	uint32_t next, last;    /* stretches of it: the one behind that, its last one */
};

struct merge {
	struct chain *chains;
	struct chain **heap;    /* of those with something left, the oldest first */
	uint32_t *next;         /* per stretch: the one behind it in its chain */
	size_t count;           /* chains */
	size_t chain_capacity, heap_capacity, next_capacity;
};

struct crew {
	const struct session *session; /* borrowed, as all of these */
	const struct record_handler **handlers;
	size_t count;
	bool ordered;                 /* a handler wants the samples in order */
	bool bulk;                    /* all handlers take samples by the dozen */
	struct read_summary *summary; /* NULL: another crew tells what the records say */
	struct diag *diag;
	struct err *err;
	struct err damage;            /* of the record at work */
	struct {
		uint64_t id;
		uint32_t event;
	} ids[CREW_IDS];              /* ids of samples seen last; 0: not in use */
	struct sample samples[SAMPLES_MOST]; /* decoded, to be brought before anything else */
	size_t sample_count;
	struct merge merge;
};

/* Records in the order of the handlers' wish. False with err set if one fails. */
bool crew_deliver(struct crew *crew, const struct stretch *stretches, size_t count);
/* Samples older than `time` (ns), or as old and not behind position nr. */
struct limit {
	uint64_t time, nr;
};

/*
 * Decodes samples that a stretch begins with and takes them out of it, up to the limit or one that is not
 * plain. Returns how many; samples has room for so many.
 */
uint32_t crew_decode(struct crew *crew, struct stretch *stretch, const struct limit *limit,
                     struct sample *samples, size_t room);
void crew_release(struct crew *crew);

#endif

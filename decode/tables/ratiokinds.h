/*
 * Which ratios the events of a recording define: instructions / cycles and others.
 *
 * In:  the events. Out: for each the ratio of which it is the numerator, if there is one.
 */
#ifndef READPERF_DECODE_TABLES_RATIOKINDS_H
#define READPERF_DECODE_TABLES_RATIOKINDS_H

#include "perffile/perffile.h"

enum ratio_kind {
	RATIO_NONE,
	RATIO_IPC,
	RATIO_BRANCH_MISS,
	RATIO_CACHE_MISS,
	RATIO_L1D_MISS,
	RATIO_LLC_MISS,
	RATIO_DTLB_MISS,
	RATIO_FRONTEND,
	RATIO_BACKEND,
	RATIO_GHZ,
	RATIO_CPUS,
	RATIO_PER_SECOND,
	RATIO_KINDS
};

#define DENOMINATOR_TIME UINT32_MAX /* not an event, but the time that has passed */

struct ratio {
	enum ratio_kind kind;
	uint32_t denominator; /* number of the event, or DENOMINATOR_TIME */
};

/* "ipc", "branch_miss_percent" etc. */
const char *ratio_name(enum ratio_kind kind);
bool ratio_is_percent(enum ratio_kind kind);

/*
 * The ratio of each event as numerator: malloc'd, one for each event of the session. Both sides are
 * of the same PMU and have the same modifiers; of several denominators the one in the numerator's
 * group is taken, else the first one. with_time: also ratios whose denominator is time. NULL with
 * err set when memory is refused.
 */
struct ratio *ratios_of_events(const struct session *session, bool with_time, struct err *err);

#endif

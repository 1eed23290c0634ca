#include "decode/tables/eventsPrinter.h"

#include "decode/tally/buildstat.h"
#include "perffile/session/features.h"

#include <inttypes.h>
#include <stdio.h>

#define BITS_SIZE 400 /* bytes: more than all names together */

static const char *const type_names[] = {
	"hardware", "software", "tracepoint", "hw-cache", "raw", "breakpoint",
};

/* By bit. */
static const char *const sample_bits[] = {
	"IP",
	"TID",
	"TIME",
	"ADDR",
	"READ",
	"CALLCHAIN",
	"ID",
	"CPU",
	"PERIOD",
	"STREAM_ID",
	"RAW",
	"BRANCH_STACK",
	"REGS_USER",
	"STACK_USER",
	"WEIGHT",
	"DATA_SRC",
	"IDENTIFIER",
	"TRANSACTION",
	"REGS_INTR",
	"PHYS_ADDR",
	"AUX",
	"CGROUP",
	"DATA_PAGE_SIZE",
	"CODE_PAGE_SIZE",
	"WEIGHT_STRUCT",
};

static void type_cell(struct csv *csv, uint32_t type, const struct map *pmu_index,
                      const struct pmu_name *pmus)
{
	uint32_t index = map_get(pmu_index, type);

	if (type < ARRAY_SIZE(type_names))
		csv_str(csv, type_names[type]);
	else if (index != MAP_NONE)
		csv_str(csv, pmus[index].name);
	else
		csv_u64(csv, type);
}

static void sample_type_cell(struct csv *csv, uint64_t sample_type)
{
	char text[BITS_SIZE];
	size_t used = 0;
	uint64_t unknown = sample_type & ~(uint64_t)PERF_SAMPLE_KNOWN;

	text[0] = '\0';
	for (unsigned bit = 0; bit < ARRAY_SIZE(sample_bits); bit++)
		if (sample_type >> bit & 1)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
			                         used ? "|" : "", sample_bits[bit]);
	if (unknown)
		snprintf(text + used, sizeof(text) - used, "%s0x%" PRIx64, used ? "|" : "",
		         unknown);
	csv_str(csv, text);
}

static void totals_cells(struct csv *csv, const struct event_totals *totals)
{
	if (totals) {
		csv_u64(csv, totals->samples);
		csv_u64(csv, totals->period);
		csv_u64(csv, totals->lost);
	} else {
		csv_empty(csv);
		csv_empty(csv);
		csv_empty(csv);
	}
}

bool events_print(struct csv *csv, struct session *session, const struct event_totals *totals,
                  struct err *err)
{
	struct pmu_name *pmus;
	struct map pmu_index;
	size_t pmu_count;
	bool ok;

	map_init(&pmu_index);
	ok = features_pmus(session, &pmus, &pmu_count, err);
	for (size_t i = 0; i < pmu_count && ok; i++)
		ok = map_put(&pmu_index, pmus[i].type, (uint32_t)i, err);
	for (size_t i = 0; i < session->event_count && ok; i++) {
		const struct event *event = &session->events[i];
		bool frequency = attr_flag(&event->attr, PERF_FLAG_FREQ);

		csv_str(csv, event->name);
		type_cell(csv, event->attr.type, &pmu_index, pmus);
		csv_hex(csv, event->attr.config);
		if (frequency)
			csv_empty(csv);
		csv_u64(csv, event->attr.sample_period);
		if (!frequency)
			csv_empty(csv);
		sample_type_cell(csv, event->attr.sample_type);
		csv_u64(csv, event->id_count);
		totals_cells(csv, totals ? &totals[i] : NULL);
		csv_end(csv);
	}
	map_release(&pmu_index);
	return ok;
}

#include "decode/spe/source.h"

#include "util/errhandler.h"
#include "util/origperf.h"

/* Where data came from, as Arm's processors number it, and what perf says of that. */
enum common_source {
	COMMON_L1 = 0x0,
	COMMON_L2 = 0x8,
	COMMON_PEER_CORE = 0x9,
	COMMON_LOCAL_CLUSTER = 0xa,
	COMMON_SYSTEM_CACHE = 0xb,
	COMMON_PEER_CLUSTER = 0xc,
	COMMON_REMOTE = 0xd,
	COMMON_RAM = 0xe
};

static uint64_t common_bits(uint64_t source)
{
	switch (source) {
	case COMMON_L1:
		return PERF_MEM_S(LVL, L1) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVLNUM, L1) |
		       PERF_MEM_S(SNOOP, NONE);
	case COMMON_L2:
		return PERF_MEM_S(LVL, L2) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVLNUM, L2) |
		       PERF_MEM_S(SNOOP, NONE);
	case COMMON_PEER_CORE:
		return PERF_MEM_S(LVL, L2) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVLNUM, L2) |
		       PERF_MEM_S(SNOOPX, PEER);
	case COMMON_LOCAL_CLUSTER: /* whether of L1 or L2 is not told, but from another cache */
	case COMMON_PEER_CLUSTER:
		return PERF_MEM_S(LVL, L3) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVLNUM, L3) |
		       PERF_MEM_S(SNOOPX, PEER);
	case COMMON_SYSTEM_CACHE:
		return PERF_MEM_S(LVL, L3) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVLNUM, L3) |
		       PERF_MEM_S(SNOOP, HIT);
	case COMMON_REMOTE:
		return PERF_MEM_S(LVL, REM_CCE1) | PERF_MEM_S(LVLNUM, ANY_CACHE) |
		       PERF_MEM_S(REMOTE, REMOTE) | PERF_MEM_S(SNOOPX, PEER);
	case COMMON_RAM:
		return PERF_MEM_S(LVL, LOC_RAM) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVLNUM, RAM) |
		       PERF_MEM_S(SNOOP, NONE);
	default:
		return 0;
	}
}

/* AmpereOne numbers them otherwise. */
static uint64_t ampere_bits(uint64_t source)
{
	static const uint8_t common[] = {
		[0] = COMMON_PEER_CORE, [3] = COMMON_SYSTEM_CACHE, [5] = COMMON_REMOTE,
		[7] = COMMON_RAM,       [8] = COMMON_L1,           [9] = COMMON_L2,
	};
	const bool known = source < ARRAY_SIZE(common) && (source == 8 || common[source]);

	return known ? common_bits(common[source]) : 0;
}

/* Implementer and part of MIDR_EL1. */
#define MIDR_MODEL(midr) ((midr) >> 24 << 12 | ((midr) >> 4 & 0xfff))
#define ARM(part) (0x41u << 12 | (part))
#define AMPERE_1A (0xc0u << 12 | 0xac4u)

static bool numbers_as_arm(uint64_t model)
{
	/* Cortex-A720, A725, X1C, X3, X925; Neoverse N1, N2, V1, V2 */
	static const uint32_t models[] = { ARM(0xd81), ARM(0xd87), ARM(0xd4c),
		                           ARM(0xd4e), ARM(0xd85), ARM(0xd0c),
		                           ARM(0xd49), ARM(0xd40), ARM(0xd4f) };

	for (size_t i = 0; i < ARRAY_SIZE(models); i++)
		if (model == models[i])
			return true;
	return false;
}

/* Of other processors: by the events. */
static uint64_t level_by_events(uint64_t events)
{
	uint64_t level = 0;

	if (events & (SPE_LLC_ACCESS | SPE_LLC_MISS))
		level = PERF_MEM_S(LVL, L3) |
		        (events & SPE_LLC_MISS ? PERF_MEM_S(LVL, MISS) : PERF_MEM_S(LVL, HIT));
	else if (events & (SPE_L1D_ACCESS | SPE_L1D_MISS))
		level = PERF_MEM_S(LVL, L1) |
		        (events & SPE_L1D_MISS ? PERF_MEM_S(LVL, MISS) : PERF_MEM_S(LVL, HIT));
	if (events & SPE_REMOTE_ACCESS)
		level |= PERF_MEM_S(LVL, REM_CCE1);
	return level;
}

static uint64_t level_of(const struct spe_record *record, uint64_t midr)
{
	const uint64_t model = MIDR_MODEL(midr);
	const bool as_arm = numbers_as_arm(model);

	if (!as_arm && model != AMPERE_1A)
		return level_by_events(record->events);
	/* these say nothing of stores */
	if (record->kind == SPE_STORE)
		return PERF_MEM_S(LVL, NA) | PERF_MEM_S(LVLNUM, NA) | PERF_MEM_S(SNOOP, NA);
	return as_arm ? common_bits(record->source) : ampere_bits(record->source);
}

uint64_t spe_data_source(const struct spe_record *record, uint64_t midr)
{
	uint64_t source;

	if (record->kind != SPE_LOAD && record->kind != SPE_STORE)
		return 0;
	source = (record->kind == SPE_LOAD ? PERF_MEM_S(OP, LOAD) : PERF_MEM_S(OP, STORE)) |
	         level_of(record, midr);
	if (record->events & SPE_TLB_MISS)
		source |= PERF_MEM_S(TLB, WK) | PERF_MEM_S(TLB, MISS);
	else if (record->events & SPE_TLB_ACCESS)
		source |= PERF_MEM_S(TLB, WK) | PERF_MEM_S(TLB, HIT);
	return source;
}

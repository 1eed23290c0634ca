#include "decode/spe/source.h"

#include "util/errhandler.h"

/* The first bits of the parts of a data source. */
enum { LEVEL = 5, SNOOP = 19, TLB = 26, LEVEL_NUMBER = 33, REMOTE = 37, SNOOP_MORE = 38 };

enum { OP_LOAD = 2, OP_STORE = 4 };
enum {
	LEVEL_NA = 1,
	LEVEL_HIT = 1 << 1,
	LEVEL_MISS = 1 << 2,
	LEVEL_L1 = 1 << 3,
	LEVEL_L2 = 1 << 5,
	LEVEL_L3 = 1 << 6,
	LEVEL_RAM = 1 << 7,
	LEVEL_REMOTE_CACHE = 1 << 10
};
enum { NUMBER_L1 = 1, NUMBER_L2, NUMBER_L3, NUMBER_ANY = 11, NUMBER_RAM = 13, NUMBER_NA = 15 };
enum { SNOOP_NA = 1, SNOOP_NONE = 2, SNOOP_HIT = 4, SNOOPX_PEER = 2 };
enum { TLB_HIT = 1 << 1, TLB_MISS = 1 << 2, TLB_WALKER = 1 << 5 };

#define AT(value, part) ((uint64_t)(value) << (part))

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
		return AT(LEVEL_L1 | LEVEL_HIT, LEVEL) | AT(NUMBER_L1, LEVEL_NUMBER) |
		       AT(SNOOP_NONE, SNOOP);
	case COMMON_L2:
		return AT(LEVEL_L2 | LEVEL_HIT, LEVEL) | AT(NUMBER_L2, LEVEL_NUMBER) |
		       AT(SNOOP_NONE, SNOOP);
	case COMMON_PEER_CORE:
		return AT(LEVEL_L2 | LEVEL_HIT, LEVEL) | AT(NUMBER_L2, LEVEL_NUMBER) |
		       AT(SNOOPX_PEER, SNOOP_MORE);
	case COMMON_LOCAL_CLUSTER: /* whether of L1 or L2 is not told, but from another cache */
	case COMMON_PEER_CLUSTER:
		return AT(LEVEL_L3 | LEVEL_HIT, LEVEL) | AT(NUMBER_L3, LEVEL_NUMBER) |
		       AT(SNOOPX_PEER, SNOOP_MORE);
	case COMMON_SYSTEM_CACHE:
		return AT(LEVEL_L3 | LEVEL_HIT, LEVEL) | AT(NUMBER_L3, LEVEL_NUMBER) |
		       AT(SNOOP_HIT, SNOOP);
	case COMMON_REMOTE:
		return AT(LEVEL_REMOTE_CACHE, LEVEL) | AT(NUMBER_ANY, LEVEL_NUMBER) |
		       AT(1, REMOTE) | AT(SNOOPX_PEER, SNOOP_MORE);
	case COMMON_RAM:
		return AT(LEVEL_RAM | LEVEL_HIT, LEVEL) | AT(NUMBER_RAM, LEVEL_NUMBER) |
		       AT(SNOOP_NONE, SNOOP);
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
		level = LEVEL_L3 | (events & SPE_LLC_MISS ? LEVEL_MISS : LEVEL_HIT);
	else if (events & (SPE_L1D_ACCESS | SPE_L1D_MISS))
		level = LEVEL_L1 | (events & SPE_L1D_MISS ? LEVEL_MISS : LEVEL_HIT);
	if (events & SPE_REMOTE_ACCESS)
		level |= LEVEL_REMOTE_CACHE;
	return AT(level, LEVEL);
}

static uint64_t level_of(const struct spe_record *record, uint64_t midr)
{
	const uint64_t model = MIDR_MODEL(midr);
	const bool as_arm = numbers_as_arm(model);

	if (!as_arm && model != AMPERE_1A)
		return level_by_events(record->events);
	/* these say nothing of stores */
	if (record->kind == SPE_STORE)
		return AT(LEVEL_NA, LEVEL) | AT(NUMBER_NA, LEVEL_NUMBER) | AT(SNOOP_NA, SNOOP);
	return as_arm ? common_bits(record->source) : ampere_bits(record->source);
}

uint64_t spe_data_source(const struct spe_record *record, uint64_t midr)
{
	uint64_t source;

	if (record->kind != SPE_LOAD && record->kind != SPE_STORE)
		return 0;
	source = (record->kind == SPE_LOAD ? OP_LOAD : OP_STORE) | level_of(record, midr);
	if (record->events & SPE_TLB_MISS)
		source |= AT(TLB_WALKER | TLB_MISS, TLB);
	else if (record->events & SPE_TLB_ACCESS)
		source |= AT(TLB_WALKER | TLB_HIT, TLB);
	return source;
}

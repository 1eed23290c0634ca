#include "perffile/facts/factwork.h"
#include "perffile/session/features.h"

#include <inttypes.h>

#define CACHE_SIZE_MIN 28  /* bytes: four u32 and three texts */
#define NODE_SIZE_MIN 24   /* bytes: u32, two u64, a text */
#define MEMORY_SIZE_MIN 24 /* bytes: node, size, number of bits */
#define DOMAIN_NAMES 17    /* the schedstat version since which domains have names */

/* The number of CPUs in the topology; 0 if the recording does not say. */
static uint32_t available_cpus(struct facts *facts)
{
	uint32_t available, online;

	features_cpus(facts->session, &available, &online, facts->c.err);
	return available;
}

static void cpu_ids(struct facts *facts, struct cursor ids, struct cursor dies, uint32_t cpus)
{
	bool has_dies = cur_left(&dies) > 0;

	for (uint32_t i = 0; i < cpus && facts_fine(facts); i++) {
		uint32_t core = cur_u32(&ids), socket = cur_u32(&ids);

		facts_say(facts, "Core ID %d, ", (int)core);
		if (has_dies)
			facts_say(facts, "Die ID %d, ", (int)cur_u32(&dies));
		facts_say(facts, "Socket ID %d", (int)socket);
		facts_add(facts, "CPU %u", i);
	}
}

/* The dies are recorded last, but printed between sockets and threads. */
void facts_cpu_topology(struct facts *facts)
{
	struct cursor *c = &facts->c;
	struct cursor threads, ids, dies;
	uint32_t cpus = available_cpus(facts), count;

	facts_put_list(facts, "sibling sockets");
	threads = *c;
	count = facts_count(facts, STR_SIZE_MIN);
	for (uint32_t i = 0; i < count && facts_fine(facts); i++)
		cur_take(c, cur_u32(c));
	if (!cur_left(c) || cpus > cur_left(c) / 8)
		cpus = 0;
	ids = cur_sub(c, 8 * (uint64_t)cpus, c->name);
	if (cpus && cur_left(c))
		facts_put_list(facts, "sibling dies");
	dies = *c;
	if (cpus > cur_left(c) / 4)
		dies.pos = dies.end;
	*c = threads;
	facts_put_list(facts, "sibling threads");
	cpu_ids(facts, ids, dies, cpus);
}

void facts_numa_topology(struct facts *facts)
{
	uint32_t count = facts_count(facts, NODE_SIZE_MIN);

	for (uint32_t i = 0; i < count && facts_fine(facts); i++) {
		uint32_t node = cur_u32(&facts->c);
		uint64_t total = cur_u64(&facts->c), unused = cur_u64(&facts->c);

		facts_say(facts, "total = %" PRIu64 " kB, free = %" PRIu64 " kB", total, unused);
		facts_add(facts, "node%u meminfo", node);
		facts_say(facts, "%s", facts_str(facts));
		facts_add(facts, "node%u cpu list", node);
	}
}

void facts_caches(struct facts *facts)
{
	uint32_t version = cur_u32(&facts->c), count;

	if (version != 1) {
		facts_put(facts, "CPU cache", "of an unknown version %u", version);
		return;
	}
	count = facts_count(facts, CACHE_SIZE_MIN);
	for (uint32_t i = 0; i < count && facts_fine(facts); i++) {
		uint32_t level = cur_u32(&facts->c), line = cur_u32(&facts->c);
		uint32_t sets = cur_u32(&facts->c), ways = cur_u32(&facts->c);
		const char *type = facts_str(facts), *size = facts_str(facts),
			   *cpus = facts_str(facts);

		facts_put(facts, "CPU cache", "L%u %s %s [%s]", level, type, size, cpus);
		facts_put(facts, "CPU cache geometry",
		          "L%u %s [%s]: line size %u, sets %u, ways %u", level, type, cpus, line,
		          sets, ways);
	}
}

/* 34359738368 as 32G: whole units, as perf prints them. */
static void say_size(struct facts *facts, uint64_t size)
{
	static const char units[] = "BKMG";
	size_t unit = 0;

	while (size / 1024 && units[unit + 1]) {
		size /= 1024;
		unit++;
	}
	facts_say(facts, "[%" PRIu64 "%c]: ", size, units[unit]);
}

static bool bit_of(const struct cursor *words, uint64_t bit)
{
	return load_u64(words->pos + bit / 64 * 8, words->swap) >> bit % 64 & 1;
}

static uint64_t count_bits(const struct cursor *words, uint64_t bits)
{
	uint64_t count = 0;

	for (uint64_t bit = 0; bit < bits; bit++)
		count += bit_of(words, bit);
	return count;
}

/* The numbers of the bits that are set, as 0-5,7. */
static void say_bits(struct facts *facts, const struct cursor *words, uint64_t bits)
{
	const char *comma = "";

	for (uint64_t bit = 0; bit < bits && facts_fine(facts); bit++) {
		uint64_t first = bit;

		while (bit < bits && bit_of(words, bit))
			bit++;
		if (bit == first)
			continue;
		facts_say(facts, bit - first > 1 ? "%s%" PRIu64 "-%" PRIu64 : "%s%" PRIu64, comma,
		          first, bit - 1);
		comma = ",";
	}
}

void facts_mem_topology(struct facts *facts)
{
	struct cursor *c = &facts->c;
	uint64_t version = cur_u64(c), block = cur_u64(c), count = cur_u64(c);

	if (version != 1 || !cur_fits(c, count, MEMORY_SIZE_MIN, "entries"))
		return;
	facts_put(facts, "memory nodes", "nr %" PRIu64 ", block size 0x%" PRIx64, count, block);
	for (uint64_t i = 0; i < count && facts_fine(facts); i++) {
		uint64_t node = cur_u64(c), size, bits;
		struct cursor words;

		/* the last block's number plus one, which is not the number of blocks */
		cur_u64(c);
		bits = cur_u64(c);
		words = cur_sub(c, (bits / 64 + (bits % 64 != 0)) * 8, c->name);
		if (!facts_fine(facts))
			return;
		if (__builtin_mul_overflow(count_bits(&words, bits), block, &size))
			size = 0;
		say_size(facts, size);
		say_bits(facts, &words, bits);
		facts_add(facts, "memory node %" PRIu64, node);
	}
}

void facts_hybrid_topology(struct facts *facts)
{
	uint32_t count = facts_count(facts, 2 * STR_SIZE_MIN);

	for (uint32_t i = 0; i < count && facts_fine(facts); i++) {
		const char *pmu = facts_str(facts);

		facts_say(facts, "%s", facts_str(facts));
		facts_add(facts, "%s cpu list", pmu);
	}
}

static void cpu_domain(struct facts *facts, uint32_t cpu, uint32_t version)
{
	uint32_t domain = cur_u32(&facts->c);

	if (version >= DOMAIN_NAMES)
		facts_say(facts, "%s: ", facts_str(facts));
	facts_str(facts); /* the same set as a mask; the list is enough */
	facts_say(facts, "%s", facts_str(facts));
	facts_add(facts, "cpu %u domain %u", cpu, domain);
}

void facts_cpu_domains(struct facts *facts)
{
	uint32_t version = cur_u32(&facts->c), most = cur_u32(&facts->c);

	facts_put(facts, "schedstat version", "%u", version);
	facts_put(facts, "Maximum sched domains", "%u", most);
	while (cur_left(&facts->c) && facts_fine(facts)) {
		uint32_t cpu = cur_u32(&facts->c);
		uint32_t count = facts_count(facts, 3 * STR_SIZE_MIN);

		for (uint32_t i = 0; i < count && facts_fine(facts); i++)
			cpu_domain(facts, cpu, version);
	}
}

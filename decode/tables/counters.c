#include "decode/tables/counters.h"

#include "decode/tables/tables.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define CPU_ANY 0xffffu /* any CPU, in a list of CPUs */
#define STAT_CPU_ANY 0xffffffffu
#define TAG_SCALE 2         /* number in STAT_CONFIG */
#define THREAD_NAME_SIZE 16 /* bytes; usually empty */

enum cpu_map_type { CPU_MAP_LIST, CPU_MAP_MASK, CPU_MAP_RANGE };

static bool counters_open(void *kept, const struct session *session, struct err *err)
{
	struct counters *counters = kept;

	(void)err;
	counters->session = session;
	counters->scale = true;
	return true;
}

static void counters_close(void *kept)
{
	struct counters *counters = kept;

	free(counters->items);
	free(counters->threads.items);
	free(counters->cpus.items);
}

static bool append_number(struct number_list *list, int32_t number, struct err *err)
{
	return vec_append(&list->items, &list->count, &list->capacity, &number, sizeof(number),
	                  err);
}

static bool append_cpu(struct counters *counters, int32_t cpu, struct err *err)
{
	if (cpu >= 0 && cpu < COUNTERS_CPUS_MAX)
		counters->cpu_known[cpu / 8] |= (uint8_t)(1 << cpu % 8);
	return append_number(&counters->cpus, cpu, err);
}

static void read_config(struct counters *counters, struct cursor *c)
{
	uint64_t count = cur_u64(c);

	for (uint64_t i = 0; i < count && c->err->code == ERR_NONE; i++) {
		uint64_t tag = cur_u64(c), value = cur_u64(c);

		if (tag == TAG_SCALE && c->err->code == ERR_NONE)
			counters->scale = value != 0;
	}
}

static bool read_threads(struct counters *counters, struct cursor *c, struct err *err)
{
	uint64_t count = cur_u64(c);

	counters->threads.count = 0;
	for (uint64_t i = 0; i < count && c->err->code == ERR_NONE; i++) {
		int32_t tid = (int32_t)cur_u64(c);

		cur_take(c, THREAD_NAME_SIZE);
		if (c->err->code == ERR_NONE && !append_number(&counters->threads, tid, err))
			return false;
	}
	return true;
}

static bool read_cpu_list(struct counters *counters, struct cursor *c, struct err *err)
{
	uint16_t count = cur_u16(c);

	for (uint16_t i = 0; i < count && c->err->code == ERR_NONE; i++) {
		uint16_t cpu = cur_u16(c);

		if (c->err->code == ERR_NONE &&
		    !append_cpu(counters, cpu == CPU_ANY ? -1 : cpu, err))
			return false;
	}
	return true;
}

static bool read_cpu_mask(struct counters *counters, struct cursor *c, struct err *err)
{
	uint16_t words = cur_u16(c), word_size = cur_u16(c);

	if (word_size == sizeof(uint64_t))
		cur_take(c, 4);
	for (uint32_t i = 0; i < words && c->err->code == ERR_NONE; i++) {
		uint64_t word = word_size == sizeof(uint64_t) ? cur_u64(c) : cur_u32(c);

		for (uint32_t bit = 0; bit < 8u * word_size && bit < 64; bit++)
			if (word >> bit & 1 &&
			    !append_cpu(counters, (int32_t)(i * 8u * word_size + bit), err))
				return false;
	}
	return true;
}

static bool read_cpu_range(struct counters *counters, struct cursor *c, struct err *err)
{
	bool any = cur_u8(c);
	uint16_t first, last;

	cur_u8(c);
	first = cur_u16(c);
	last = cur_u16(c);
	if (c->err->code != ERR_NONE)
		return true;
	/* a few bytes can describe all possible CPUs, so a range is kept as such */
	counters->range_first = first;
	counters->range_count = last >= first ? last - first + 1u : 0;
	return !any || append_cpu(counters, -1, err);
}

static bool read_cpus(struct counters *counters, struct cursor *c, struct err *err)
{
	counters->cpus.count = counters->range_count = 0;
	memset(counters->cpu_known, 0, sizeof(counters->cpu_known));
	switch (cur_u16(c)) {
	case CPU_MAP_LIST:
		return read_cpu_list(counters, c, err);
	case CPU_MAP_MASK:
		return read_cpu_mask(counters, c, err);
	case CPU_MAP_RANGE:
		return read_cpu_range(counters, c, err);
	default:
		return true;
	}
}

static bool read_counter(struct counters *counters, struct cursor *c, struct err *err)
{
	struct counter counter = { .time = TIME_NONE, .id = cur_u64(c) };

	counter.cpu = cur_u32(c);
	counter.thread = cur_u32(c);
	counter.value = cur_u64(c);
	counter.enabled = cur_u64(c);
	counter.running = cur_u64(c);
	return c->err->code != ERR_NONE ||
	       vec_append(&counters->items, &counters->count, &counters->capacity, &counter,
	                  sizeof(counter), err);
}

/* STAT_ROUND ends the interval of all counters since the last one. */
static void read_round(struct counters *counters, struct cursor *c)
{
	uint64_t time;

	cur_u64(c); /* whether it is an interval or the end; the counters are the same */
	time = cur_u64(c);
	if (c->err->code != ERR_NONE)
		return;
	while (counters->waiting < counters->count)
		counters->items[counters->waiting++].time = time;
}

static bool read_stat_record(void *context, const struct raw_record *record, struct err *damage,
                             struct err *err)
{
	struct counters *counters = context;
	struct cursor c = cursor_over(record->data, record->size, record->offset, "",
	                              counters->session->swap, damage);

	cur_take(&c, PERF_RECORD_HEADER_SIZE);
	switch (record->type) {
	case PERF_RECORD_STAT_CONFIG:
		c.name = "STAT_CONFIG record";
		read_config(counters, &c);
		return true;
	case PERF_RECORD_THREAD_MAP:
		c.name = "THREAD_MAP record";
		return read_threads(counters, &c, err);
	case PERF_RECORD_CPU_MAP:
		c.name = "CPU_MAP record";
		return read_cpus(counters, &c, err);
	case PERF_RECORD_STAT:
		c.name = "STAT record";
		return read_counter(counters, &c, err);
	case PERF_RECORD_STAT_ROUND:
		c.name = "STAT_ROUND record";
		read_round(counters, &c);
		return true;
	default:
		return true;
	}
}

static struct record_handler counters_handler(void *kept)
{
	return (struct record_handler){ .context = kept, .tool = read_stat_record };
}

const struct collector counters_collector = {
	.size = sizeof(struct counters),
	.open = counters_open,
	.close = counters_close,
	.handler = counters_handler,
};

const struct counters *report_counters(const struct report *report)
{
	return collection_get(report->kept, &counters_collector);
}

/*
 * The CPU of a counter. perf before 5.18 recorded its position in the CPU map, later ones its
 * number; the two differ only if the map is not 0, 1, 2, … A number that is not in the map must be
 * a position.
 */
int64_t counter_cpu(const struct counters *counters, const struct counter *counter)
{
	uint32_t cpu = counter->cpu;

	if (cpu == STAT_CPU_ANY || cpu == CPU_ANY)
		return -1;
	if (cpu >= counters->cpus.count + counters->range_count ||
	    cpu - counters->range_first < counters->range_count ||
	    (cpu < COUNTERS_CPUS_MAX && counters->cpu_known[cpu / 8] >> cpu % 8 & 1))
		return cpu;
	if (cpu >= counters->cpus.count)
		return counters->range_first + (int64_t)(cpu - counters->cpus.count);
	return counters->cpus.items[cpu];
}

uint32_t counter_event(const struct counters *counters, const struct counter *counter)
{
	const struct session *session = counters->session;
	const uint32_t number = map_get(&session->ids, counter->id);

	if (number < session->event_count)
		return number;
	return session->event_count == 1 ? 0 : EVENT_UNKNOWN;
}

uint32_t *counters_previous(const struct counters *counters, struct err *err)
{
	uint32_t *previous = vec_new(counters->count, sizeof(*previous), err);
	const uint64_t seed = hash_seed();
	struct map last = { 0 }; /* hash of id, CPU and thread -> index of the last counter */
	bool ok = previous;

	for (size_t i = 0; ok && i < counters->count; i++) {
		const struct counter *counter = &counters->items[i];
		const uint64_t key = hash_pair(seed, counter->id,
		                               (uint64_t)counter->cpu << 32 | counter->thread);

		previous[i] = map_get(&last, key);
		ok = i >= MAP_NONE || map_put(&last, key, (uint32_t)i, err);
	}
	map_release(&last);
	if (ok)
		return previous;
	free(previous);
	return NULL;
}

struct counter counter_since(const struct counter *counter, const struct counter *previous)
{
	struct counter since = *counter;

	if (!previous)
		return since;
	/* a counter that decreased was restarted */
	if (previous->value > since.value || previous->enabled > since.enabled ||
	    previous->running > since.running)
		return since;
	since.value -= previous->value;
	since.enabled -= previous->enabled;
	since.running -= previous->running;
	return since;
}

/* Dividing by a million is exact, but multiplying by a scale of 1e-6 is not. */
double counter_in_unit(double value, double scale)
{
	double divisor = scale > 1e-15 && scale < 1 ? 1 / scale : 0;
	double whole = (double)(uint64_t)(divisor + 0.5);

	if (whole >= 1 && divisor - whole < 1e-9 * whole && whole - divisor < 1e-9 * whole)
		return value / whole;
	return value * scale;
}

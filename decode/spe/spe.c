#include "decode/spe/spe.h"

#include "decode/spe/source.h"
#include "perffile/session/features.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define AUXTRACE_TYPE_SPE 4
#define AUXTRACE_SIZE 48 /* bytes of the record */
/* The values of AUXTRACE_INFO: PMU and one more, or since 6.13 a header, and a list for each CPU.
 */
#define OLD_VALUES 2

/* Types of branches, as in branch stacks. */
enum { TYPE_COND = 1, TYPE_UNCOND, TYPE_IND, TYPE_CALL, TYPE_IND_CALL, TYPE_RET };

#define COMMON_FIELDS                                                            \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT)
#define MEMORY_FIELDS (PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR)

static const struct {
	const char *event;
	uint64_t fields;
} kinds[SPE_KINDS] = {
	[SPE_LOAD] = { "spe-load", COMMON_FIELDS | MEMORY_FIELDS },
	[SPE_STORE] = { "spe-store", COMMON_FIELDS | MEMORY_FIELDS },
	[SPE_BRANCH] = { "spe-branch", COMMON_FIELDS | PERF_SAMPLE_BRANCH_STACK },
	[SPE_OTHER] = { "spe-other", COMMON_FIELDS },
};

bool spe_in_pipe(struct input *input, bool *found, struct err *err)
{
	return input_announces(input, PERF_RECORD_AUXTRACE_INFO, AUXTRACE_TYPE_SPE, found, err);
}

void spe_init(struct spe *spe, struct session *session)
{
	memset(spe, 0, sizeof(*spe));
	spe->session = session;
}

void spe_release(struct spe *spe)
{
	free(spe->samples);
	map_release(&spe->midrs);
	map_release(&spe->pids);
	map_release(&spe->running);
	spe_init(spe, NULL);
}

/* The models of the processors, which say how they number where data came from. */
static bool read_models(struct spe *spe, struct cursor *c, struct err *err)
{
	const uint64_t header = (cur_u64(c), cur_u64(c)); /* behind the version */
	bool alike = true;

	if (cur_fits(c, header, 8, "values") && header >= 2)
		cur_take(c, 8 * (size_t)(header - 2));
	while (c->err->code == ERR_NONE && cur_left(c)) {
		const uint64_t cpu = (cur_u64(c), cur_u64(c)); /* behind a mark */
		const uint64_t values = cur_u64(c);
		uint64_t midr;

		if (!cur_fits(c, values, 8, "values") || !values)
			break;
		midr = cur_u64(c);
		cur_take(c, 8 * (size_t)(values - 1));
		alike &= !spe->midrs.count || spe->any_midr == (uint32_t)midr;
		spe->any_midr = (uint32_t)midr;
		if (!map_put(&spe->midrs, cpu, (uint32_t)midr, err))
			return false;
	}
	spe->any_midr = alike ? spe->any_midr : 0;
	return true;
}

static bool read_info(struct spe *spe, struct cursor *c, struct err *err)
{
	const char *model;

	spe->traced = cur_u32(c) == AUXTRACE_TYPE_SPE;
	cur_u32(c);
	if (!spe->traced || c->err->code != ERR_NONE)
		return true;
	if (cur_left(c) > 8 * OLD_VALUES)
		return read_models(spe, c, err);
	/* all processors are taken for alike */
	model = feature_text(spe->session, PERF_FEATURE_CPUID);
	spe->any_midr = model ? (uint32_t)strtoull(model, NULL, 16) : 0;
	return true;
}

static void read_clock(struct spe_clock *clock, struct cursor *c)
{
	*clock = (struct spe_clock){ .shift = cur_u64(c) };
	clock->mult = cur_u64(c);
	clock->zero = cur_u64(c);
	clock->known = c->err->code == ERR_NONE && clock->shift < 64;
	if (!cur_left(c))
		return;
	clock->cycles = cur_u64(c);
	clock->mask = cur_u64(c);
	cur_u8(c); /* whether zero is valid; the record is only written if it is */
	clock->short_counter = cur_u8(c) != 0;
	clock->known &= c->err->code == ERR_NONE;
}

static bool on_tool(void *context, const struct raw_record *record, struct err *damage,
                    struct err *err)
{
	struct spe *spe = context;
	struct cursor c = cursor_over(record->data, record->size, record->offset, "",
	                              spe->session->swap, damage);

	cur_take(&c, PERF_RECORD_HEADER_SIZE);
	if (record->type == PERF_RECORD_AUXTRACE_INFO) {
		c.name = "AUXTRACE_INFO record";
		return read_info(spe, &c, err);
	}
	if (record->type == PERF_RECORD_TIME_CONV) {
		c.name = "TIME_CONV record";
		read_clock(&spe->clock, &c);
	}
	return !spe->to.tool || spe->to.tool(spe->to.context, record, damage, err);
}

static uint8_t branch_type(const struct spe_record *record)
{
	if (record->branch == SPE_BRANCH_CALL)
		return record->indirect ? TYPE_IND_CALL : TYPE_CALL;
	if (record->branch == SPE_BRANCH_RETURN)
		return TYPE_RET;
	if (record->indirect)
		return TYPE_IND;
	return record->conditional ? TYPE_COND : TYPE_UNCOND;
}

static uint32_t midr_of(const struct spe *spe, int32_t cpu)
{
	const uint32_t midr = map_get(&spe->midrs, (uint32_t)cpu);

	if (midr != MAP_NONE)
		return midr;
	/* of a thread's trace the CPU is not known; if all are alike, that does not matter */
	return spe->any_midr;
}

static struct spe_sample sample_of(const struct spe *spe, const struct spe_record *record,
                                   int32_t cpu, int32_t tid)
{
	return (struct spe_sample){
		.time = record->time,
		.ip = record->ip,
		.target = record->target,
		.address = record->address,
		.physical = record->physical,
		.source = spe_data_source(record, midr_of(spe, cpu)),
		.latency = record->latency,
		.tid = record->context != SPE_NO_CONTEXT ? (int32_t)record->context : tid,
		.cpu = cpu,
		.kind = (uint8_t)record->kind,
		.branch = branch_type(record),
		.kernel = record->kernel,
		.taken = record->kind == SPE_BRANCH && record->has_target &&
		         !(record->events & SPE_NOT_TAKEN),
		.mispredicted = (record->events & SPE_MISPREDICTED) != 0,
	};
}

static bool on_trace(void *context, const struct raw_record *record, const uint8_t *bytes,
                     size_t size, struct err *err)
{
	struct spe *spe = context;
	const bool swap = spe->session->swap;
	struct spe_trace trace = { .data = bytes, .size = size };
	struct spe_record next;
	int32_t tid, cpu;

	if (record->size < AUXTRACE_SIZE)
		return true;
	trace.start = load_u64(record->data + 16, swap);
	tid = (int32_t)load_u32(record->data + 36, swap);
	cpu = (int32_t)load_u32(record->data + 40, swap);
	while (spe_next(&trace, &next)) {
		const struct spe_sample sample = sample_of(spe, &next, cpu, tid);

		if (!vec_append(&spe->samples, &spe->count, &spe->capacity, &sample, sizeof(sample),
		                err))
			return false;
	}
	spe->skipped += trace.skipped;
	spe->cut += trace.cut;
	return true;
}

static uint64_t ns_of(const struct spe_clock *clock, uint64_t counter)
{
	const uint64_t below = (UINT64_C(1) << clock->shift) - 1;

	if (clock->short_counter)
		counter = clock->cycles + ((counter - clock->cycles) & clock->mask);
	return clock->zero + (counter >> clock->shift) * clock->mult +
	       ((counter & below) * clock->mult >> clock->shift);
}

static int compare_samples(const void *a, const void *b)
{
	const struct spe_sample *x = a, *y = b;
	const int order = u64_order(x->time, y->time);

	return order ? order : u64_order(x->order, y->order);
}

/* Gives the samples their times, and sorts them. */
static void order_samples(struct spe *spe)
{
	for (size_t i = 0; i < spe->count; i++) {
		struct spe_sample *sample = &spe->samples[i];

		sample->order = (uint32_t)i;
		sample->time = spe->clock.known && sample->time != SPE_NO_TIME
		                       ? ns_of(&spe->clock, sample->time)
		                       : TIME_NONE;
		spe->untimed += sample->time == TIME_NONE;
	}
	if (spe->count)
		qsort(spe->samples, spe->count, sizeof(*spe->samples), compare_samples);
}

/* Adds the events of the samples to the session. */
static bool add_events(struct spe *spe, struct err *err)
{
	bool found[SPE_KINDS] = { false };

	for (size_t i = 0; i < spe->count; i++)
		found[spe->samples[i].kind] = true;
	for (size_t i = 0; i < SPE_KINDS; i++) {
		struct event *event;

		if (!found[i])
			continue;
		spe->events[i] = session_add_derived(spe->session, kinds[i].event, err);
		if (spe->events[i] == EVENT_UNKNOWN)
			return false;
		event = &spe->session->events[spe->events[i]];
		event->counted = true;
		event->attr.sample_type = kinds[i].fields;
	}
	return true;
}

static bool on_times(void *context, uint64_t first, uint64_t last, struct err *err)
{
	struct spe *spe = context;
	const size_t timed = (order_samples(spe), spe->count - (size_t)spe->untimed);

	if (timed) {
		first = u64_min(first, spe->samples[0].time);
		last = u64_max(last, spe->samples[timed - 1].time);
	}
	return add_events(spe, err) &&
	       (!spe->to.times || spe->to.times(spe->to.context, first, last, err));
}

/* The flags of an entry of a branch stack. A producer of the other byte order packs from the top.
 */
static uint64_t branch_flags(const struct spe *spe, const struct spe_sample *sample)
{
	if (spe->session->big_endian)
		return (uint64_t)sample->mispredicted << 63 |
		       (uint64_t)!sample->mispredicted << 62 | (uint64_t)sample->branch << 40;
	return (uint64_t)sample->mispredicted | (uint64_t)!sample->mispredicted << 1 |
	       (uint64_t)sample->branch << 20;
}

#define NOBODY (UINT32_MAX - 1) /* it is not known which thread runs */

/* -1: there is none. */
static int32_t number_in(const struct map *map, int32_t key)
{
	const uint32_t number = map_get(map, (uint32_t)key);

	return number >= NOBODY ? -1 : (int32_t)number;
}

static bool pass_sample(struct spe *spe, const struct spe_sample *sample, struct err *err)
{
	const int32_t on_cpu = number_in(&spe->running, sample->cpu);
	const int32_t tid = sample->tid != -1 ? sample->tid : on_cpu;
	const bool has_address = kinds[sample->kind].fields & PERF_SAMPLE_ADDR;
	const uint64_t branch[BRANCH_WORDS] = { sample->ip, sample->target,
		                                branch_flags(spe, sample) };
	const struct record record = {
		.nr = NR_NONE,
		.time = sample->time,
		.type = PERF_RECORD_SAMPLE,
		.misc = sample->kernel ? PERF_CPUMODE_KERNEL : PERF_CPUMODE_USER,
		.pid = tid == -1 ? -1 : number_in(&spe->pids, tid),
		.tid = tid,
		.has_tid = true,
		.has_event = true,
		.cpu = sample->cpu,
		.event = spe->events[sample->kind],
		.sample = {
			.ip = sample->ip,
			.addr = has_address ? sample->address : 0,
			.period = 1,
			.fields = (uint32_t)kinds[sample->kind].fields,
			.has_addr = has_address,
			.branches = { sample->taken ? (const uint8_t *)branch : NULL,
			              sample->taken },
			.weight = sample->latency,
			.data_source = sample->source,
			.physical = sample->physical,
		},
	};

	return !spe->to.record || spe->to.record(spe->to.context, &record, err);
}

/* Passes on the samples that are older than the time. */
static bool pass_until(struct spe *spe, uint64_t time, struct err *err)
{
	while (spe->next < spe->count && spe->samples[spe->next].time < time)
		if (!pass_sample(spe, &spe->samples[spe->next++], err))
			return false;
	return true;
}

/* Whose trace is it? Threads of processes, and who runs on which CPU. */
static bool note_threads(struct spe *spe, const struct record *record, struct err *err)
{
	const bool out = record->misc & PERF_MISC_SWITCH_OUT;
	uint32_t tid = (uint32_t)record->tid;

	if (record->damaged || !record->has_tid)
		return true;
	switch (record->type) {
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
		return record->pid < 0 || map_put(&spe->pids, tid, (uint32_t)record->pid, err);
	case PERF_RECORD_SWITCH:
		tid = out ? NOBODY : tid;
		break;
	case PERF_RECORD_SWITCH_CPU_WIDE:
		if (out)
			tid = load_u32(record->data + 12, record->swap);
		break;
	default:
		return true;
	}
	return map_put(&spe->running, (uint32_t)record->cpu, tid == MAP_NONE ? NOBODY : tid, err);
}

static bool on_record(void *context, const struct record *record, struct err *err)
{
	struct spe *spe = context;

	if (spe->traced && ((record->time != TIME_NONE && !pass_until(spe, record->time, err)) ||
	                    !note_threads(spe, record, err)))
		return false;
	return !spe->to.record || spe->to.record(spe->to.context, record, err);
}

static bool on_samples(void *context, const struct sample *samples, size_t count, struct err *err)
{
	struct spe *spe = context;

	for (size_t i = 0, end; i < count; i = end) {
		end = count;
		if (spe->next < spe->count) {
			if (!pass_until(spe, samples[i].time, err))
				return false;
			for (end = i + 1; end < count && spe->next < spe->count &&
			                  samples[end].time <= spe->samples[spe->next].time;)
				end++;
		}
		if (!spe->to.samples(spe->to.context, samples + i, end - i, err))
			return false;
	}
	return true;
}

struct record_handler spe_handler(struct spe *spe, struct record_handler to)
{
	struct record_handler handler = to;

	spe->to = to;
	handler.context = spe;
	handler.times = on_times;
	handler.record = on_record;
	handler.samples = to.samples ? on_samples : NULL;
	handler.tool = on_tool;
	handler.trace = on_trace;
	handler.takes_trace = &spe->traced;
	return handler;
}

bool spe_finish(struct spe *spe, struct err *err)
{
	struct diag *diag = spe->session->diag;

	while (spe->next < spe->count)
		if (!pass_sample(spe, &spe->samples[spe->next++], err))
			return false;
	if (spe->skipped)
		diag_warn(diag, ERR_NO_OFFSET,
		          "%" PRIu64 " bytes of SPE traces (AUXTRACE) are no packets: skipped",
		          spe->skipped);
	if (spe->untimed)
		diag_warn(diag, ERR_NO_OFFSET,
		          "%" PRIu64 " SPE sample%s no time in the recording's clock%s: counted at "
		          "its end",
		          spe->untimed, spe->untimed == 1 ? " has" : "s have",
		          spe->clock.known ? "" : " (no TIME_CONV record)");
	return true;
}

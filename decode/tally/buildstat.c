#include "decode/tally/buildstat.h"

#include "util/vec.h"
#include "perffile/session/buildid.h"

#include <stdlib.h>
#include <string.h>

static uint32_t special(struct buildstat *stat, const char *name, bool guest, struct err *err)
{
	struct binary binary = { 0 };

	binary.kind = BINARY_SPECIAL;
	binary.guest = guest;
	binary.damaged = !guest;
	binary.name = strings_put_text(stat->strings, name, err);
	return binary.name == STRING_NONE ? UINT32_MAX
	                                  : binaries_put(&stat->binaries, &binary, err);
}

bool buildstat_init(struct buildstat *stat, struct session *session, struct strings *strings,
                    struct err *err)
{
	memset(stat, 0, sizeof(*stat));
	stat->session = session;
	stat->strings = strings;
	stat->seed = hash_seed();
	cells_init(&stat->cells);
	map_init(&stat->reads);
	if (!processes_init(&stat->processes, strings, err) ||
	    !binaries_init(&stat->binaries, strings, err) ||
	    !mappings_init(&stat->mappings, &stat->processes, &stat->binaries, strings, err))
		return false;
	stat->guest_kernel = special(stat, "[guest.kernel]", true, err);
	stat->guest_user = special(stat, "[guest]", true, err);
	stat->hypervisor = special(stat, "[hypervisor]", true, err);
	stat->damaged = special(stat, "[damaged]", false, err);
	return err->code == ERR_NONE;
}

void buildstat_release(struct buildstat *stat)
{
	mappings_release(&stat->mappings);
	processes_release(&stat->processes);
	binaries_release(&stat->binaries);
	cells_release(&stat->cells);
	places_release(&stat->places);
	free(stat->totals);
	free(stat->timed);
	free(stat->read_values);
	map_release(&stat->reads);
	if (stat->stacks)
		stackstat_release(stat->stacks);
	free(stat->stacks);
	stat->stacks = NULL;
	stat->totals = NULL;
	stat->timed = NULL;
	stat->read_values = NULL;
}

const char *buildstat_event_name(const struct session *session, uint32_t event)
{
	if (event >= session->event_count)
		return "[unknown]";
	return session->events[event].name ? session->events[event].name : "[unnamed]";
}

/* The total of an event; attrs may still come, in a pipe. */
static struct event_totals *total_of(struct buildstat *stat, uint32_t event, struct err *err)
{
	size_t wanted = stat->session->event_count;
	struct event_totals *totals;

	if (event == EVENT_UNKNOWN)
		return &stat->unknown;
	if (stat->total_count < wanted) {
		totals = realloc(stat->totals, wanted * sizeof(*totals));
		if (!totals) {
			err_nomem(err, wanted * sizeof(*totals));
			return NULL;
		}
		memset(totals + stat->total_count, 0,
		       (wanted - stat->total_count) * sizeof(*totals));
		stat->totals = totals;
		stat->total_count = wanted;
	}
	return &stat->totals[event];
}

/* Where a sample fell. */
struct placed {
	uint32_t process, binary;
	uint64_t addr; /* in the binary's address space */
};

/* map: what covers the address, or NULL */
static void put_place(struct placed *placed, uint64_t ip, const struct space_map *map)
{
	placed->binary = map ? map->binary : 0;
	placed->addr = ip + (map ? map->pgoff - map->start : 0);
}

/* Where an address of a process lies, as the sample's cpumode tells; format reference, 8.3. */
static inline bool place(struct buildstat *stat, struct placed *placed, uint16_t misc, uint64_t ip,
                         struct err *err)
{
	const struct space_map *map = NULL;
	uint32_t unmapped = 0; /* binary */
	struct space *space;

	switch (misc & PERF_MISC_CPUMODE_MASK) {
	case PERF_CPUMODE_KERNEL:
		if (stat->mappings.kernel_binary == UINT32_MAX &&
		    !mapping_default_kernel(&stat->mappings, err))
			return false;
		map = mapping_kernel_find(&stat->mappings, ip);
		break;
	case PERF_CPUMODE_USER:
		space = stat->processes.items[placed->process].space;
		map = space ? space_find(space, ip) : NULL;
		break;
	case PERF_CPUMODE_GUEST_KERNEL:
		unmapped = stat->guest_kernel;
		break;
	case PERF_CPUMODE_GUEST_USER:
		unmapped = stat->guest_user;
		break;
	case PERF_CPUMODE_HYPERVISOR:
		unmapped = stat->hypervisor;
		break;
	default:
		break;
	}
	put_place(placed, ip, map);
	if (!map)
		placed->binary = unmapped;
	return true;
}

/* The jitdump file of the process that made this binary's code, or MAP_NONE. */
static inline uint32_t dump_of(const struct buildstat *stat, uint32_t binary)
{
	const struct map *dumps = &stat->mappings.jit_dumps;
	const struct binary *item = &stat->binaries.items[binary];

	/* most recordings have none: then nothing is looked at */
	return dumps->count && item->kind == BINARY_JIT ? map_get(dumps, (uint32_t)item->pid)
	                                                : MAP_NONE;
}

static bool keep_timed(struct buildstat *stat, const struct timed_sample *sample, struct err *err)
{
	struct timed_sample *timed = vec_grow(stat->timed, stat->timed_count, &stat->timed_capacity,
	                                      sizeof(*timed), err);

	if (!timed)
		return false;
	stat->timed = timed;
	timed[stat->timed_count++] = *sample;
	return true;
}

/* Counts one sample. */
static bool count(struct buildstat *stat, const struct placed *placed, uint32_t event,
                  uint64_t time, uint64_t period, struct err *err)
{
	uint32_t dump = dump_of(stat, placed->binary), kind;
	struct timed_sample timed = { .time = time,
		                      .addr = placed->addr,
		                      .period = period,
		                      .event = event,
		                      .group = GROUP_ALL,
		                      .binary = placed->binary,
		                      .dump = dump };

	if (!processes_count(&stat->processes, placed->process, event, 1, period, err))
		return false;
	if (dump != MAP_NONE)
		return keep_timed(stat, &timed, err);
	kind = cells_kind(&stat->cells, event, GROUP_ALL, placed->binary, err);
	return kind != MAP_NONE && cells_add(&stat->cells, kind, placed->addr, period, err);
}

/* Whether samples of the event tell how the program came there. */
static bool has_chain(const struct event_attr *attr)
{
	const uint64_t copy = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

	return (attr->sample_type & PERF_SAMPLE_CALLCHAIN) || (attr->sample_type & copy) == copy ||
	       ((attr->sample_type & PERF_SAMPLE_BRANCH_STACK) &&
	        (attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK));
}

static bool make_stacks(struct buildstat *stat, struct err *err)
{
	const struct stack_world world = { .session = stat->session,
		                           .processes = &stat->processes,
		                           .binaries = &stat->binaries,
		                           .mappings = &stat->mappings,
		                           .strings = stat->strings,
		                           .other = { stat->guest_kernel, stat->guest_user,
		                                      stat->hypervisor } };

	stat->stacks = calloc(1, sizeof(*stat->stacks));
	if (!stat->stacks)
		return err_nomem(err, sizeof(*stat->stacks));
	return stackstat_init(stat->stacks, &world, stat->stack_options, err) &&
	       stackstat_import(stat->stacks, &stat->cells, err);
}

bool buildstat_has_chains(const struct buildstat *stat)
{
	for (size_t i = 0; i < stat->session->event_count; i++)
		if (has_chain(&stat->session->events[i].attr))
			return true;
	return false;
}

/* Whether stacks are counted: as soon as an event with call chains is known. False with err set, too. */
static bool counts_stacks(struct buildstat *stat, struct err *err)
{
	const struct session *session = stat->session;

	if (stat->stacks || !stat->stack_options)
		return stat->stacks != NULL;
	if (stat->stack_options->every_sample)
		return make_stacks(stat, err);
	for (; stat->chains_asked < session->event_count; stat->chains_asked++)
		if (has_chain(&session->events[stat->chains_asked].attr))
			return make_stacks(stat, err);
	return false;
}

/* Counts one sample at its place, and at its stack. */
static bool count_record(struct buildstat *stat, const struct record *record,
                         const struct placed *placed, uint32_t event, uint64_t period,
                         struct err *err)
{
	if (counts_stacks(stat, err) &&
	    !stackstat_add(stat->stacks, record, placed->process, event, period, err))
		return false;
	return err->code == ERR_NONE && count(stat, placed, event, record->time, period, err);
}

/* The last value that was seen of an id, and of a thread where each has its own count. */
static uint64_t *last_value(struct buildstat *stat, uint64_t id, int32_t tid, bool inherit,
                            struct err *err)
{
	uint64_t key = inherit ? hash_pair(stat->seed, id, (uint32_t)tid) : id;
	uint32_t at = map_get(&stat->reads, key);
	uint64_t *values;

	if (at == MAP_NONE) {
		at = (uint32_t)stat->read_count;
		values = vec_grow(stat->read_values, at, &stat->read_capacity, sizeof(*values),
		                  err);
		if (!values)
			return NULL;
		stat->read_values = values;
		if (!map_put(&stat->reads, key, at, err))
			return NULL;
		values[at] = 0;
		stat->read_count++;
	}
	return &stat->read_values[at];
}

/*
 * The event of value number i of a sample, and a number for the counter that it is of. A value without an id
 * is known by its place: a group's leader comes first, its members follow it as they do among the events. The
 * counter, one of several for each event, is then told apart by the sample's own id.
 */
static uint32_t counter_of_value(const struct buildstat *stat, const struct record *record,
                                 uint64_t i, uint64_t *id)
{
	const struct record_read *read = &record->sample.read;
	uint64_t own = record->sample.id ? record->sample.id : record->event;

	if (!read->has_id) {
		*id = hash_pair(stat->seed, own, i + 1);
		return i < EVENT_UNKNOWN - record->event ? record->event + (uint32_t)i
		                                         : EVENT_UNKNOWN;
	}
	*id = record_word(record, read->data, i * read->stride + read->id_at);
	/* recordings without ids cannot tell their events apart, and have one mostly */
	return stat->session->ids.count ? map_get(&stat->session->ids, *id) : record->event;
}

/* A sample that read counters: each value is a sample of its own event (format reference, 4.2). */
static bool count_reads(struct buildstat *stat, const struct record *record,
                        const struct placed *placed, struct err *err)
{
	const struct record_read *read = &record->sample.read;

	for (uint64_t i = 0; i < read->count; i++) {
		const uint8_t *entry = read->data + i * read->stride * 8;
		uint64_t value = load_u64(entry, record->swap), *last, period, id;
		uint32_t event = counter_of_value(stat, record, i, &id);
		bool known = event < stat->session->event_count;

		event = known ? event : EVENT_UNKNOWN;
		last = last_value(
			stat, id, record->tid,
			known && attr_flag(&stat->session->events[event].attr, PERF_FLAG_INHERIT),
			err);
		if (!last)
			return false;
		/* one that runs backwards belongs to a new thread that took over the tid */
		period = value >= *last ? value - *last : value;
		*last = value;
		if (period && !count_record(stat, record, placed, event, period, err))
			return false;
	}
	return true;
}

/* Whether samples of the event count 1 each: what they were asked for is a frequency, and they tell no period. */
static bool has_no_period(const struct buildstat *stat, uint32_t event)
{
	const struct event_attr *attr;

	if (event >= stat->session->event_count)
		return false;
	attr = &stat->session->events[event].attr;
	return !(attr->sample_type & PERF_SAMPLE_PERIOD) && attr_flag(attr, PERF_FLAG_FREQ);
}

/* Not even the values that it was to read are there. */
static bool is_lost(const struct record *record)
{
	return record->damaged ||
	       (record->sample.read.data && !record->sample.read.count && record->sample.damaged);
}

/* A sample that is damaged, or reads counters, or whose event is not known. */
static bool on_sample(struct buildstat *stat, const struct record *record, struct err *err)
{
	struct placed placed = { processes_get(&stat->processes, record->pid, record->tid, err),
		                 stat->damaged, 0 };

	if (placed.process == PROCESS_NONE)
		return false;
	if (is_lost(record))
		return (!stat->stacks || stackstat_add_damaged(stat->stacks, record, placed.process,
		                                               stat->damaged, err)) &&
		       count(stat, &placed, record->event, record->time, 0, err);
	if (!place(stat, &placed, record->misc, record->sample.ip, err))
		return false;
	if (record->sample.read.data && record->event != EVENT_UNKNOWN)
		return count_reads(stat, record, &placed, err);
	stat->guessed_period |= has_no_period(stat, record->event);
	return count_record(stat, record, &placed, record->event, record->sample.period, err);
}

/* place() for samples together. */
static bool place_all(struct buildstat *stat, const struct sample *samples, size_t count,
                      struct placed *placed, struct err *err)
{
	uint32_t process = PROCESS_NONE;
	struct space *space = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct sample *sample = &samples[i];
		uint16_t mode = sample->misc & PERF_MISC_CPUMODE_MASK;

		/* no record that changes a process lies between samples */
		if (i == 0 || sample->pid != sample[-1].pid || sample->tid != sample[-1].tid) {
			process = processes_get(&stat->processes, sample->pid, sample->tid, err);
			if (process == PROCESS_NONE)
				return false;
			space = stat->processes.items[process].space;
		}
		placed[i].process = process;
		if (mode == PERF_CPUMODE_KERNEL && stat->mappings.kernel_binary != UINT32_MAX) {
			put_place(&placed[i], sample->ip,
			          mapping_kernel_find(&stat->mappings, sample->ip));
		} else if (mode == PERF_CPUMODE_USER && space &&
		           space_is_at_hint(space, sample->ip)) {
			put_place(&placed[i], sample->ip, &space->hint);
		} else if (!place(stat, &placed[i], sample->misc, sample->ip, err)) {
			return false;
		}
	}
	return true;
}

/* Samples of one process and event, counted together. Returns how many, 0 with err set. */
static size_t count_run(struct buildstat *stat, const struct sample *samples,
                        const struct placed *placed, size_t count, struct err *err)
{
	uint32_t event = samples[0].event, process = placed[0].process;
	uint32_t last = UINT32_MAX, kind = MAP_NONE, dump = MAP_NONE;
	uint64_t sum = 0;
	size_t i;

	stat->guessed_period |= has_no_period(stat, event);
	for (i = 0; i < count && placed[i].process == process && samples[i].event == event; i++) {
		sum += samples[i].period;
		if (placed[i].binary != last) {
			last = placed[i].binary;
			dump = dump_of(stat, last);
			if (dump == MAP_NONE)
				kind = cells_kind(&stat->cells, event, GROUP_ALL, last, err);
			if (dump == MAP_NONE && kind == MAP_NONE)
				return 0;
		}
		if (dump != MAP_NONE) {
			struct timed_sample timed = { .time = samples[i].time,
				                      .addr = placed[i].addr,
				                      .period = samples[i].period,
				                      .event = event,
				                      .group = GROUP_ALL,
				                      .binary = last,
				                      .dump = dump };

			if (!keep_timed(stat, &timed, err))
				return 0;
		} else if (!cells_add(&stat->cells, kind, placed[i].addr, samples[i].period, err)) {
			return 0;
		}
	}
	return processes_count(&stat->processes, process, event, i, sum, err) ? i : 0;
}

/* Counts samples at their stacks: those whose chains were seen before need no more than a lookup. */
static bool count_stacks(struct buildstat *stat, const struct sample *samples,
                         const struct placed *placed, size_t count, struct err *err)
{
	struct stack_lookup lookups[SAMPLES_MOST];
	struct record record;

	if (!counts_stacks(stat, err))
		return err->code == ERR_NONE;
	for (size_t i = 0; i < count; i++)
		stackstat_prepare(stat->stacks, &samples[i], placed[i].process, &lookups[i]);
	for (size_t i = 0; i < count; i++) {
		uint32_t node = stackstat_look(stat->stacks, &lookups[i]);
		bool ok;

		if (node != STACK_NODE_NONE) {
			ok = stackstat_add_at(stat->stacks, &samples[i], placed[i].process, node,
			                      err);
		} else {
			sample_record(&record, stat->session, &samples[i]);
			ok = stackstat_add(stat->stacks, &record, placed[i].process,
			                   samples[i].event, samples[i].period, err);
		}
		if (!ok)
			return false;
	}
	return true;
}

static bool on_samples(void *context, const struct sample *samples, size_t count, struct err *err)
{
	struct placed placed[SAMPLES_MOST];
	struct buildstat *stat = context;
	size_t run;

	if (!place_all(stat, samples, count, placed, err))
		return false;
	if (stat->stack_options && !count_stacks(stat, samples, placed, count, err))
		return false;
	for (size_t i = 0; i < count; i += run) {
		run = count_run(stat, samples + i, placed + i, count - i, err);
		if (!run)
			return false;
	}
	return true;
}

static bool on_lost(struct buildstat *stat, const struct record *record, struct err *err)
{
	struct event_totals *total;

	/* what a filter was asked to drop was not lost */
	if (record->misc & PERF_MISC_LOST_SAMPLES_BPF)
		return true;
	total = total_of(stat, record->event, err);
	if (total)
		total->lost = u64_add_sat(total->lost, record->lost.lost);
	return total != NULL;
}

static bool on_record(void *context, const struct record *record, struct err *err)
{
	struct buildstat *stat = context;

	if (record->type == PERF_RECORD_SAMPLE)
		return on_sample(stat, record, err);
	if (record->damaged)
		return true;
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		if (stat->stacks && (record->misc & PERF_MISC_CPUMODE_MASK) != PERF_CPUMODE_USER)
			stackstat_kernel_changed(stat->stacks);
		return mapping_mmap(&stat->mappings, record, err);
	case PERF_RECORD_COMM:
		return processes_comm(&stat->processes, record, stat->session->comm_exec, err);
	case PERF_RECORD_FORK:
		return processes_fork(&stat->processes, record, err);
	case PERF_RECORD_EXIT:
		return processes_exit(&stat->processes, record, err);
	case PERF_RECORD_KSYMBOL:
		return mapping_ksymbol(&stat->mappings, record, err);
	case PERF_RECORD_CALLCHAIN_DEFERRED:
		return !stat->stacks || stackstat_deferred(stat->stacks, record, err);
	case PERF_RECORD_LOST_SAMPLES:
		return on_lost(stat, record, err);
	default:
		return true;
	}
}

struct record_handler buildstat_handler(struct buildstat *stat)
{
	/* what a sample means depends on the records of other types before it */
	struct record_handler handler = { .context = stat,
		                          .any_sample_order = true,
		                          .record = on_record,
		                          .samples = on_samples };

	return handler;
}

/* What the processes have, per event. */
static bool add_totals(struct buildstat *stat, struct err *err)
{
	if (stat->session->event_count && !total_of(stat, 0, err))
		return false;
	for (size_t i = 0; i < stat->processes.count_count; i++) {
		const struct process_count *counted = &stat->processes.counts[i];
		struct event_totals *total = total_of(stat, counted->event, err);

		total->samples += counted->samples;
		total->period += counted->period;
		total->processes++;
	}
	return true;
}

bool buildstat_finish(struct buildstat *stat, struct err *err)
{
	if (!add_totals(stat, err) || (stat->stacks && !stackstat_finish(stat->stacks, err)))
		return false;
	return session_load_build_ids(stat->session, err) &&
	       mapping_finish(&stat->mappings, stat->session, err);
}

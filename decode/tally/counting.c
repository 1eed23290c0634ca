/* What a record adds to what is counted. */
#include "decode/tally/buildstat.h"

#include "decode/machine/cpumode.h"
#include "decode/select/rawdata.h"

/* The word of a key: a string, or the place of the function whose name is the text. */
static uint64_t key_of_field(struct buildstat *stat, const struct event_fields *fields,
                             unsigned key, const struct raw_data *raw, struct err *err)
{
	struct field_choice *choice = &stat->choice.fields;
	const struct field *field = fields->keys[key];
	uint64_t addr;

	if (!field || !field->is_function)
		return field_choice_key(choice, fields, key, raw, err);
	if (!field_number(field, raw, &addr) || !addr)
		return STRING_EMPTY;
	return FIELD_POINTS | pointed_code_put(&stat->pointed, addr, err);
}

bool buildstat_ask_fields(struct buildstat *stat, const struct sample *sample,
                          const struct record *record, struct counted_sample *counted,
                          struct err *err)
{
	struct field_choice *choice = &stat->choice.fields;
	const struct event_fields *fields = field_choice_event(choice, sample->event, err);
	struct raw_data raw = { .data = NULL };

	if (!fields)
		return err->code == ERR_NONE;
	if (record)
		raw = raw_data_of_record(&choice->formats, record);
	else if (sample->data)
		raw = raw_data_of_sample(&choice->formats, sample);
	if (!field_choice_passes(choice, fields, &raw, err))
		return false;
	for (unsigned i = 0; i < choice->request->key_count; i++)
		counted->fields[i] = key_of_field(stat, fields, i, &raw, err);
	return err->code == ERR_NONE;
}

uint64_t buildstat_weigh(struct buildstat *stat, uint32_t event, uint64_t period,
                         const struct raw_data *raw, struct err *err)
{
	struct field_choice *choice = &stat->choice.fields;
	const struct event_fields *fields = field_choice_event(choice, event, err);

	if (fields && fields->weight)
		return field_choice_weight(choice, fields, raw);
	return parallel_weigh(&stat->parallel, period);
}

/* Copies of samples with their weights as periods. NULL with err set. */
static const struct sample *weigh_samples(struct buildstat *stat, const struct sample *samples,
                                          size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		const struct raw_data raw = raw_data_of_sample(&stat->choice.fields.formats,
		                                               &samples[i]);

		stat->weighted[i] = samples[i];
		stat->weighted[i].period = buildstat_weigh(stat, samples[i].event,
		                                           samples[i].period, &raw, err);
	}
	return err->code == ERR_NONE ? stat->weighted : NULL;
}

/*
 * The group of samples that are equal in everything that is selected by. record: the first of them
 * with all its fields, or NULL. GROUP_OUT: they are not selected, or err is set.
 */
static uint32_t choose_samples(struct buildstat *stat, const struct placed_samples *all,
                               const struct record *record, struct err *err)
{
	const struct sample *samples = all->samples;
	const struct placed *placed = all->placed;
	const size_t count = all->count;
	struct counted_sample counted = { .about = { .count = count,
		                                     .time = samples->time,
		                                     .pid = samples->pid,
		                                     .tid = samples->tid,
		                                     .cpu = samples->cpu,
		                                     .has_tid = samples->has_tid,
		                                     .mode = cpu_mode_of(samples->misc) },
		                          .process = placed->process,
		                          .event = samples->event,
		                          .thread = STRING_NONE,
		                          .cgroup = STRING_NONE,
		                          .parallelism = stat->parallel.now };
	struct event_totals *total = buildstat_total(stat, samples->event, err);

	if (!total)
		return GROUP_OUT;
	for (size_t i = 0; i < count; i++)
		total->wrapped |= __builtin_add_overflow(counted.period, samples[i].period,
		                                         &counted.period);
	total->samples += count;
	total->wrapped |= __builtin_add_overflow(total->period, counted.period, &total->period);
	if (selection_has(&stat->choice.selection, SELECT_EVENT))
		counted.about.event = strings_put_text(
			stat->strings, buildstat_event_name(stat->session, samples->event), err);
	counted.about.comm = stat->processes.items[placed->process].comm;
	counted.about.binary = stat->binaries.items[placed->binary].name;
	if (stat->processes.keep_thread_names)
		counted.thread = processes_thread_name(&stat->processes, placed->process,
		                                       samples->tid);
	if (record)
		counted.cgroup = cgroups_path(&stat->cgroups, record);
	if (err->code != ERR_NONE || !choice_passes(&stat->choice, &counted, err) ||
	    (stat->choice.reads_fields &&
	     !buildstat_ask_fields(stat, samples, record, &counted, err)))
		return GROUP_OUT;
	return err->code == ERR_NONE ? choice_take(&stat->choice, &counted, err) : GROUP_OUT;
}

size_t buildstat_count(struct buildstat *stat, const struct placed_samples *all, uint32_t group,
                       struct err *err)
{
	const struct sample *samples = all->samples;
	const struct placed *placed = all->placed;
	uint32_t event = samples[0].event, process = placed[0].process;
	uint32_t last = UINT32_MAX, kind = MAP_NONE;
	const bool counts = buildstat_counts_places(stat);
	uint64_t sum = 0, next;
	size_t i;

	if (stat->cells.count >= stat->sums.limit &&
	    !group_sums_fold(&stat->sums, &stat->cells, err))
		return 0;
	for (i = 0; i < all->count && placed[i].process == process && samples[i].event == event;
	     i++, sum = next) {
		if (__builtin_add_overflow(sum, samples[i].period, &next))
			break;
		if (!counts)
			continue;
		if (placed[i].binary != last) {
			last = placed[i].binary;
			kind = cells_kind(&stat->cells, event, group, last, err);
			if (kind == MAP_NONE)
				return 0;
		}
		if (!cells_add(&stat->cells, kind, placed[i].addr, samples[i].period, err))
			return 0;
	}
	return sums_add(&stat->process_sums, process, event, i, sum, err) ? i : 0;
}

/* Counts one sample of a group at its stack; a lost sample has none. */
static bool count_stack(struct buildstat *stat, const struct record *record,
                        const struct sample *sample, const struct placed *placed, uint32_t group,
                        struct err *err)
{
	if (!buildstat_counts_stacks(stat, err))
		return err->code == ERR_NONE;
	stat->stacks->choice = group;
	if (placed->binary == DAMAGED_BINARY)
		return stackstat_add_damaged(stat->stacks, record, placed->process, placed->binary,
		                             err);
	return stackstat_add(stat->stacks, record, placed->process, sample->event, sample->period,
	                     err);
}

/* Counts what only whole records have. */
static bool count_details(struct buildstat *stat, const struct record *record,
                          const struct placed *placed, uint32_t group, struct err *err)
{
	return (!stat->counts_branches ||
	        branchstat_add(&stat->branches, record, placed->process,
	                       stat->groups_branches ? group : GROUP_ALL, err)) &&
	       (!stat->counts_memory || memorystat_add(&stat->memory, record, placed, err));
}

/* Counts one event of a record, if it is selected, at its place and at its stack. */
static bool count_record(struct buildstat *stat, const struct record *record,
                         const struct placed *placed, uint32_t event, uint64_t period,
                         struct err *err)
{
	const struct sample sample = { .time = record->time,
		                       .period = period,
		                       .pid = record->pid,
		                       .tid = record->tid,
		                       .cpu = record->cpu,
		                       .event = event,
		                       .misc = record->misc,
		                       .has_tid = record->has_tid };
	const struct placed_samples single = { &sample, placed, 1 };
	uint32_t group = GROUP_ALL;

	if (stat->chosen) {
		group = choose_samples(stat, &single, record->damaged ? NULL : record, err);
		if (group == GROUP_OUT)
			return err->code == ERR_NONE;
	}
	/* of a sample that read counters each value is counted, but its details once */
	if (event == record->event && !record->damaged &&
	    !count_details(stat, record, placed, group, err))
		return false;
	return (!sample_log_is_open(&stat->log) ||
	        sample_log_record(&stat->log, record, placed, event, period, err)) &&
	       (!trace_log_is_open(&stat->trace) ||
	        trace_log_record(&stat->trace, record, placed, event, err)) &&
	       count_stack(stat, record, &sample, placed, group, err) &&
	       buildstat_count(stat, &single, group, err) != 0;
}

/*
 * Whether each sample of the event counts 1: a frequency was asked for, and the samples have no
 * period.
 */
static bool has_no_period(const struct buildstat *stat, uint32_t event)
{
	const struct event_attr *attr;

	if (event >= stat->session->event_count)
		return false;
	attr = &stat->session->events[event].attr;
	return !(attr->sample_type & PERF_SAMPLE_PERIOD) && attr_flag(attr, PERF_FLAG_FREQ);
}

static bool has_details(const struct buildstat *stat, uint32_t event)
{
	return (stat->counts_branches && branchstat_has(stat->session, event)) ||
	       (stat->counts_memory && memorystat_has(stat->session, event));
}

static bool count_all_details(struct buildstat *stat, const struct placed_samples *all,
                              uint32_t group, struct err *err)
{
	struct record record;

	for (size_t i = 0; i < all->count; i++) {
		if (!has_details(stat, all->samples[i].event))
			continue;
		sample_record(&record, stat->session, &all->samples[i]);
		if (!count_details(stat, &record, &all->placed[i], group, err))
			return false;
	}
	return true;
}

/* Counts samples of one group at their places and stacks. */
static bool count_samples(struct buildstat *stat, const struct placed_samples *all, uint32_t group,
                          struct err *err)
{
	size_t run;

	if (sample_log_is_open(&stat->log) && !sample_log_samples(&stat->log, all, err))
		return false;
	if (trace_log_is_open(&stat->trace) && !trace_log_samples(&stat->trace, all, err))
		return false;
	if ((stat->counts_branches || stat->counts_memory) &&
	    !count_all_details(stat, all, group, err))
		return false;
	if (buildstat_counts_stacks(stat, err)) {
		stat->stacks->choice = group;
		if (!stackstat_add_samples(stat->stacks, all, err))
			return false;
	}
	if (err->code != ERR_NONE)
		return false;
	for (size_t i = 0; i < all->count; i += run) {
		const struct placed_samples rest = placed_part(all, i, all->count - i);

		run = buildstat_count(stat, &rest, group, err);
		if (!run)
			return false;
	}
	return true;
}

/* Counts samples that are equal in everything that is selected by, if they are selected. */
static bool count_alike(struct buildstat *stat, const struct placed_samples *all, struct err *err)
{
	const bool by_cgroup = groups_have(&stat->choice.groups, KEY_CGROUP) ||
	                       groups_have(&stat->choice.apart, KEY_CGROUP);
	struct record record;
	uint32_t group;

	if (by_cgroup)
		sample_record(&record, stat->session, all->samples);
	group = choose_samples(stat, all, by_cgroup ? &record : NULL, err);
	return group == GROUP_OUT ? err->code == ERR_NONE : count_samples(stat, all, group, err);
}

/*
 * Counts a sample that read counters: each value is a sample of its own event (format reference,
 * 4.2).
 */
static bool count_reads(struct buildstat *stat, const struct record *record,
                        const struct placed *placed, struct err *err)
{
	for (uint64_t i = 0; i < record->sample.read.count; i++) {
		uint64_t period;
		uint32_t event;

		if (!read_values_take(&stat->reads, stat->session, record, i, &event, &period, err))
			return false;
		if (period && !count_record(stat, record, placed, event, period, err))
			return false;
	}
	return true;
}

/* Whether not even the values that the sample should have read are there. */
static bool is_lost(const struct record *record)
{
	return record->damaged ||
	       (record->sample.read.data && !record->sample.read.count && record->sample.damaged);
}

/* Counts a sample that is damaged, reads counters or has an unknown event. */
static bool on_sample(struct buildstat *stat, const struct record *record, struct err *err)
{
	struct placed placed = { processes_get(&stat->processes, record->pid, record->tid, err),
		                 DAMAGED_BINARY, 0 };
	uint64_t period = record->sample.period;

	if (placed.process == PROCESS_NONE)
		return false;
	if (is_lost(record))
		return count_record(stat, record, &placed, record->event, 0, err);
	if (!placing_find(&stat->mappings, &placed, record->misc, record->sample.ip, err))
		return false;
	if (record->sample.read.data && record->event != EVENT_UNKNOWN)
		return count_reads(stat, record, &placed, err);
	stat->guessed_period |= has_no_period(stat, record->event);
	if (stat->weighted) {
		const struct raw_data raw = raw_data_of_record(&stat->choice.fields.formats,
		                                               record);

		period = buildstat_weigh(stat, record->event, period, &raw, err);
	}
	return count_record(stat, record, &placed, record->event, period, err);
}

/* Counts samples whose fields are asked for, those that are equal together. */
static bool count_together(struct buildstat *stat, const struct placed_samples *all,
                           struct err *err)
{
	struct alike_samples *alike = stat->alike;
	const struct placed_samples ordered = { alike->samples, alike->placed, all->count };
	size_t at = 0;

	if (!alike_order(alike, &stat->choice, all, err))
		return false;
	for (size_t i = 0; i < alike->run_count; at += alike->lengths[i++]) {
		const struct placed_samples run = placed_part(&ordered, at, alike->lengths[i]);

		if (!count_alike(stat, &run, err))
			return false;
	}
	return true;
}

/* Counts samples between which no code is loaded. */
static bool count_all(struct buildstat *stat, const struct sample *samples, size_t count,
                      struct err *err)
{
	struct placed placed[SAMPLES_MOST];
	const struct placed_samples all = { samples, placed, count };

	if (!placing_find_all(&stat->mappings, samples, count, placed, err))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!i || samples[i].event != samples[i - 1].event)
			stat->guessed_period |= has_no_period(stat, samples[i].event);
	if (!stat->chosen)
		return count_samples(stat, &all, GROUP_ALL, err);
	if (stat->alike && !sample_log_is_open(&stat->log) && !trace_log_is_open(&stat->trace))
		return count_together(stat, &all, err);
	for (size_t i = 0; i < count;) {
		struct placed_samples run = placed_part(&all, i, count - i);

		run.count = choice_run(&stat->choice, &run);
		if (!count_alike(stat, &run, err))
			return false;
		i += run.count;
	}
	return true;
}

static bool count_batch(struct buildstat *stat, const struct sample *samples, size_t count,
                        struct err *err)
{
	if (stat->weighted && !(samples = weigh_samples(stat, samples, count, err)))
		return false;
	for (size_t i = 0, end; i < count; i = end) {
		if (!run_time_code_until(&stat->code, samples[i].time, err))
			return false;
		for (end = i + 1; end < count && samples[end].time < stat->code.next_time;)
			end++;
		if (!count_all(stat, samples + i, end - i, err))
			return false;
	}
	return true;
}

static bool on_samples(void *context, const struct sample *samples, size_t count, struct err *err)
{
	struct buildstat *stat = context;

	if (stat->counts_nothing || stat->skips_samples)
		return true;
	if (!stat->parallel.wanted)
		return count_batch(stat, samples, count, err);
	for (size_t i = 0; i < count; i++)
		if (!parallel_sample(&stat->parallel, &samples[i], err) ||
		    !count_batch(stat, &samples[i], 1, err))
			return false;
	return true;
}

static bool on_lost(struct buildstat *stat, const struct record *record, struct err *err)
{
	struct event_totals *total;

	/* samples that a BPF filter dropped on purpose are not lost */
	if (record->misc & PERF_MISC_LOST_SAMPLES_BPF)
		return true;
	total = buildstat_total(stat, record->event, err);
	if (total)
		total->lost = u64_add_sat(total->lost, record->lost);
	return total != NULL;
}

static bool on_record(void *context, const struct record *record, struct err *err)
{
	struct buildstat *stat = context;

	if (!run_time_code_until(&stat->code, record->time, err) ||
	    (stat->parallel.wanted && !parallel_record(&stat->parallel, record, err)))
		return false;
	if (record->type == PERF_RECORD_SAMPLE)
		return on_sample(stat, record, err);
	if (record->damaged)
		return true;
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return mapping_mmap(&stat->mappings, record, err) &&
		       run_time_code_mmap(&stat->code, record, err);
	case PERF_RECORD_CALLCHAIN_DEFERRED:
		return !stat->stacks || stackstat_deferred(stat->stacks, record, err);
	case PERF_RECORD_CGROUP:
		return cgroups_add(&stat->cgroups, record, err);
	case PERF_RECORD_LOST_SAMPLES:
		return on_lost(stat, record, err);
	default:
		return mapping_record(&stat->mappings, record, stat->session->comm_exec, err);
	}
}

static bool on_times(void *context, uint64_t first, uint64_t last, struct err *err)
{
	struct buildstat *stat = context;

	(void)err;
	stat->choice.bounds = (struct time_bounds){ first, last };
	return true;
}

struct record_handler buildstat_handler(struct buildstat *stat)
{
	/* records of other types before a sample change its meaning */
	struct record_handler handler = { .context = stat,
		                          .times = on_times,
		                          .any_sample_order = !stat->in_order &&
		                                              !sample_log_is_open(&stat->log) &&
		                                              !trace_log_is_open(&stat->trace),
		                          .in_order = &stat->code.timed,
		                          .record = on_record,
		                          .samples = on_samples };

	return handler;
}

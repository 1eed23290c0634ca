#include "decode/tally/intervalslot.h"

#include "decode/select/rawdata.h"
#include "util/vec.h"

#include <stdio.h>
#include <string.h>

const struct record *interval_record(struct intervalstat *intervals)
{
	if (!intervals->sample)
		return intervals->record;
	if (!intervals->is_decoded)
		sample_record(&intervals->decoded, intervals->stat->session, intervals->sample);
	intervals->is_decoded = true;
	return &intervals->decoded;
}

uint32_t interval_process(struct intervalstat *intervals, struct err *err)
{
	const struct sample *sample = intervals->sample;
	const struct record *record = intervals->record;

	if (intervals->process == PROCESS_NONE)
		intervals->process = processes_get(&intervals->stat->processes,
		                                   sample ? sample->pid : record->pid,
		                                   sample ? sample->tid : record->tid, err);
	return intervals->process;
}

/* The binary that stands for a state in stacks. UINT32_MAX with err set. */
static uint32_t state_binary(struct intervalstat *intervals, uint32_t word, struct err *err)
{
	struct binary binary = { .kind = BINARY_SPECIAL, .stands_for_state = true };
	size_t at = 0;
	char text[32];

	while (at < intervals->state_count && intervals->states[at].word != word)
		at++;
	if (at < intervals->state_count)
		return intervals->states[at].binary;
	snprintf(text, sizeof(text), "[%s]", strings_get(intervals->stat->strings, word));
	binary.name = strings_put_text(intervals->stat->strings, text, err);
	if (binary.name == STRING_NONE)
		return UINT32_MAX;
	at = at < INTERVAL_STATES ? at : INTERVAL_STATES - 1;
	intervals->states[at].word = word;
	intervals->states[at].binary = binaries_put(&intervals->stat->binaries, &binary, err);
	intervals->state_count = at + 1;
	return intervals->states[at].binary;
}

uint32_t interval_event_name(struct intervalstat *intervals, uint32_t event, struct err *err)
{
	struct buildstat *stat = intervals->stat;

	if (!vec_reserve(&intervals->names, (size_t)event + 1, &intervals->name_room,
	                 sizeof(*intervals->names), err))
		return STRING_NONE;
	while (intervals->name_count <= event)
		intervals->names[intervals->name_count++] = STRING_NONE;
	if (intervals->names[event] == STRING_NONE)
		intervals->names[event] = strings_put_text(
			stat->strings, buildstat_event_name(stat->session, event), err);
	return intervals->names[event];
}

/* Whether intervals of an event may be selected. False also with err set. */
static bool takes_event(struct intervalstat *intervals, uint32_t event, struct err *err)
{
	struct choice *choice = &intervals->stat->choice;
	uint32_t name;

	if (event == EVENT_UNKNOWN || !intervals->stat->chosen ||
	    !selection_has(&choice->selection, SELECT_EVENT))
		return event != EVENT_UNKNOWN;
	name = interval_event_name(intervals, event, err);
	return name != STRING_NONE && selection_takes_event(&choice->selection, name, err);
}

/*
 * The stack of the record at hand, or MAP_NONE with err set. Many samples have the same one, which
 * is then not made again: that saves 11 % of the instructions of `-t intervals` of switches.
 */
static uint32_t hold_stack(struct intervalstat *intervals, uint32_t process,
                           const struct stack_cut *cut, struct err *err)
{
	struct stackstat *stacks = intervals->stat->stacks;
	struct space *space = intervals->stat->processes.items[process].space;
	const uint64_t key = intervals->sample
	                             ? stackhold_key(stacks, intervals->sample, space, cut)
	                             : 0;
	uint32_t held = stackhold_known(stacks, key);

	if (held != MAP_NONE)
		return held;
	held = stackhold_put(stacks, interval_record(intervals), process, cut, err);
	return held != MAP_NONE && stackhold_keep(stacks, key, held, err) ? held : MAP_NONE;
}

/* Whether the stack of a sample is its own address alone, and the same in all processes. */
static bool is_plain(const struct session *session, const struct sample *sample)
{
	const uint64_t more = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_READ | PERF_SAMPLE_BRANCH_STACK |
	                      PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

	return cpu_mode_of(sample->misc) == MODE_KERNEL &&
	       !(session->events[sample->event].attr.sample_type & more);
}

static struct stack_cut cut_of(const struct intervalstat *intervals,
                               const struct interval_begin *begin)
{
	return (struct stack_cut){ .wait = intervals->wait_code,
		                   .kernel = begin->place == PLACE_USER,
		                   .alone = begin->place == PLACE_RECORD,
		                   .has_place = begin->place == PLACE_FUNCTION && begin->function,
		                   .place_returns = begin->returns,
		                   .place = begin->function };
}

/* The stack of the record at hand for what begins with it, or MAP_NONE with err set. */
static uint32_t hold_begin(struct intervalstat *intervals, const struct interval_begin *begin,
                           uint32_t process, struct err *err)
{
	const struct sample *sample = begin->place == PLACE_FUNCTION ? NULL : intervals->sample;
	const uint64_t changes = intervals->stat->mappings.kernel_changes;
	struct plain_stack *plain = NULL;
	struct stack_cut cut;
	uint32_t held;

	if (sample) {
		plain = &intervals->plain[(sample->event * 4 + begin->place) % PLAIN_STACKS];
		if (plain->held && plain->ip == sample->ip && plain->event == sample->event &&
		    plain->misc == sample->misc && plain->place == begin->place &&
		    plain->kernel_changes == changes)
			return plain->held - 1;
	}
	cut = cut_of(intervals, begin);
	held = hold_stack(intervals, process, &cut, err);
	if (plain && is_plain(intervals->stat->session, sample))
		*plain = (struct plain_stack){ .ip = sample->ip,
			                       .kernel_changes = changes,
			                       .event = sample->event,
			                       .misc = sample->misc,
			                       .place = (uint8_t)begin->place,
			                       .held = held + 1 };
	return held;
}

/* The stack of the record at hand with its state in front, for `wall`. */
static uint32_t hold_wall(struct intervalstat *intervals, const struct interval_begin *begin,
                          uint32_t process, struct err *err)
{
	struct stack_cut cut = cut_of(intervals, begin);

	cut.has_state = true;
	cut.state = state_binary(intervals, begin->what, err);
	return cut.state == UINT32_MAX ? MAP_NONE : hold_stack(intervals, process, &cut, err);
}

/* Finds the stacks of an interval that begins, if it may count. */
static bool hold_stacks(struct intervalstat *intervals, const struct interval_begin *begin,
                        struct interval_slot *slot, struct err *err)
{
	struct buildstat *stat = intervals->stat;
	const bool stacks = stat->stacks || buildstat_counts_stacks(stat, err);
	const bool wall = stacks && begin->is_off_cpu &&
	                  intervals->engine.wall_event != EVENT_UNKNOWN;
	uint32_t process;

	slot->held = slot->wall = MAP_NONE;
	slot->mode = 0;
	slot->takes_event = takes_event(intervals, begin->event, err);
	if (!stacks || (!slot->takes_event && !wall))
		return err->code == ERR_NONE;
	process = interval_process(intervals, err);
	if (process == PROCESS_NONE)
		return false;
	slot->held = hold_begin(intervals, begin, process, err);
	if (slot->held == MAP_NONE)
		return false;
	slot->mode = stackhold_at(stat->stacks, slot->held)->mode;
	if (wall)
		slot->wall = hold_wall(intervals, begin, process, err);
	return !wall || slot->wall != MAP_NONE;
}

/* Asks the fields of the record at hand. */
static bool read_fields(struct intervalstat *intervals, struct interval_slot *slot, struct err *err)
{
	struct buildstat *stat = intervals->stat;
	struct counted_sample counted = { .period = 0 };
	const struct record *record = interval_record(intervals);
	const struct sample *sample = intervals->sample;
	struct sample whole;

	memset(slot->fields, 0, sizeof(slot->fields));
	if (record->type != PERF_RECORD_SAMPLE)
		return true;
	whole = (struct sample){ .event = record->event };
	slot->selected = buildstat_ask_fields(stat, sample ? sample : &whole,
	                                      sample ? NULL : record, &counted, err);
	memcpy(slot->fields, counted.fields, sizeof(slot->fields));
	if (stat->choice.options.fields->has_weight) {
		const struct raw_data raw = raw_data_of_record(&stat->choice.fields.formats,
		                                               record);
		const uint64_t none = UINT64_MAX;

		slot->weight = buildstat_weigh(stat, record->event, none, &raw, err);
		slot->has_weight = slot->weight != none;
	}
	return err->code == ERR_NONE;
}

/* What is asked of the fields of the record at hand, if anything is. */
static bool ask_fields(struct intervalstat *intervals, struct interval_slot *slot, struct err *err)
{
	const struct buildstat *stat = intervals->stat;

	slot->selected = true;
	slot->has_weight = false;
	return !stat->chosen || !stat->choice.reads_fields || read_fields(intervals, slot, err);
}

void interval_set_by(struct intervalstat *intervals, struct interval_row *row,
                     const struct sched_thread *by, bool idle)
{
	if (!by && !idle)
		return;
	row->has_by = true;
	row->by_pid = by ? by->pid : 0;
	row->by_tid = by ? sched_thread_number(by) : 0;
	row->by_thread = by ? by->name : intervals->stat->processes.swapper;
}

bool intervals_ask_what_alone(const struct intervalstat *intervals)
{
	const struct buildstat *stat = intervals->stat;
	const struct field_request *fields = stat->choice.options.fields;

	/* a condition about the length is no choice of samples, so that `chosen` does not tell */
	return stat->counts_nothing && !intervals->log.open && intervals->counts_latency &&
	       intervals->engine.wall_event == EVENT_UNKNOWN &&
	       choice_has_what_alone(&stat->choice) && !field_request_asks_length(fields);
}

/* What it is, as the word of KEY_WHAT. */
static bool set_what(struct intervalstat *intervals, const struct interval_begin *begin,
                     struct interval_row *row, struct err *err)
{
	row->what = begin->what;
	if (begin->function)
		row->what = FIELD_POINTS | pointed_code_put(&intervals->stat->pointed,
		                                            begin->function - begin->returns, err);
	return err->code == ERR_NONE;
}

bool interval_begin_what(struct intervalstat *intervals, const struct interval_begin *begin,
                         struct interval_slot *slot, struct err *err)
{
	struct processes *processes = &intervals->stat->processes;
	const struct sched_thread *thread = begin->thread;
	struct interval_row *row = &slot->row;

	row->time = begin->time;
	row->nr = intervals->nr;
	row->event = begin->event;
	row->thread = thread ? thread->name : processes->swapper;
	row->pid = thread ? thread->pid : 0;
	row->tid = thread ? sched_thread_number(thread) : 0;
	row->result_kind = RESULT_NONE;
	slot->held = slot->wall = MAP_NONE;
	/* threads.csv has the name that it has then */
	slot->process = processes_get(processes, row->pid, row->tid, err);
	return slot->process != PROCESS_NONE && set_what(intervals, begin, row, err);
}

/* All that the begin says, as far as the record does. */
static bool fill_slot(struct intervalstat *intervals, const struct interval_begin *begin,
                      struct interval_slot *slot, struct err *err)
{
	struct interval_row *row = &slot->row;

	*row = (struct interval_row){
		.end_nr = UINT64_MAX, .result_text = begin->result, .cpu = begin->cpu, .end_cpu = -1
	};
	if (!interval_begin_what(intervals, begin, slot, err))
		return false;
	if (begin->result != STRING_EMPTY)
		row->result_kind = RESULT_TEXT;
	row->comm = intervals->stat->processes.items[slot->process].comm;
	interval_set_by(intervals, row, begin->by, begin->by_idle);
	return true;
}

static bool flush_rows(void *context, struct err *err)
{
	struct intervalstat *intervals = context;

	return interval_log_flush(&intervals->log, err);
}

bool interval_reserve_row(struct intervalstat *intervals, uint64_t *number, struct err *err)
{
	struct stackstat *stacks = intervals->stat->stacks;

	if (!intervals->log.open)
		return true;
	intervals->log.cells = stacks ? &stacks->interval_log : NULL;
	if (stacks) {
		stacks->flush_intervals = flush_rows;
		stacks->flush_context = intervals;
	}
	return interval_log_begin(&intervals->log, number, err);
}

/* Numbers the rows of an interval that begins. */
static bool reserve_rows(struct intervalstat *intervals, struct interval_slot *slot,
                         struct err *err)
{
	return interval_reserve_row(intervals, &slot->row.number, err) &&
	       (slot->wall == MAP_NONE || interval_reserve_row(intervals, &slot->wall_number, err));
}

bool interval_begin_slot(struct intervalstat *intervals, const struct interval_begin *begin,
                         struct interval_slot *slot, struct err *err)
{
	return fill_slot(intervals, begin, slot, err) && ask_fields(intervals, slot, err) &&
	       hold_stacks(intervals, begin, slot, err) && reserve_rows(intervals, slot, err);
}

bool interval_begin_alone(struct intervalstat *intervals, const struct interval_begin *begin,
                          struct interval_slot *slot, struct err *err)
{
	*slot = (struct interval_slot){ .selected = true };
	return fill_slot(intervals, begin, slot, err) && hold_stacks(intervals, begin, slot, err) &&
	       reserve_rows(intervals, slot, err);
}

#include "decode/tally/intervalstat.h"

#include "util/digits.h"
#include "util/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Counts an interval at the place of its stack, where no row finds it by its stack alone. */
static bool count_place(struct intervalstat *intervals, const struct interval_slot *slot,
                        const struct counted_sample *counted, uint32_t held, uint32_t group,
                        struct err *err)
{
	struct buildstat *stat = intervals->stat;
	const struct sample sample = { .event = counted->event, .period = counted->period };
	struct placed placed = { slot->process, UNKNOWN_BINARY, 0 };

	if (held != MAP_NONE) {
		placed.binary = stackhold_at(stat->stacks, held)->binary;
		placed.addr = stackhold_at(stat->stacks, held)->addr;
	}
	return buildstat_count(stat, &(struct placed_samples){ &sample, &placed, 1 }, group, err);
}

/* Counts an interval that has ended; cell: of its stack, or MAP_NONE. */
static bool count_sample(struct intervalstat *intervals, const struct interval_slot *slot,
                         const struct counted_sample *counted, uint32_t event, uint32_t held,
                         uint32_t *cell, struct err *err)
{
	struct buildstat *stat = intervals->stat;
	const struct interval_row *row = &slot->row;
	uint32_t group = GROUP_ALL, stack_group;

	if (stat->counts_nothing)
		return true;
	if (stat->chosen) {
		group = choice_take(&stat->choice, counted, err);
		if (group == GROUP_OUT)
			return false;
	}
	if (held != MAP_NONE) {
		stat->stacks->choice = group;
		stack_group = stackstat_find_group(stat->stacks, event, row->pid, row->tid,
		                                   row->comm, err);
		*cell = stack_group == MAP_NONE ? MAP_NONE
		                                : stackhold_count(stat->stacks, held, stack_group,
		                                                  1, counted->period, err);
		if (*cell == MAP_NONE)
			return false;
	}
	return stat->skips_samples || count_place(intervals, slot, counted, held, group, err);
}

/* All that groups and selections ask of an interval. */
static bool fill_counted(struct intervalstat *intervals, const struct interval_slot *slot,
                         struct counted_sample *counted, struct err *err)
{
	struct buildstat *stat = intervals->stat;
	const struct interval_row *row = &slot->row;
	char text[CALL_NAME_SIZE];
	const char *result;

	*counted = (struct counted_sample){ .about = { .count = 1,
		                                       .time = row->time,
		                                       .pid = row->pid,
		                                       .tid = row->tid,
		                                       .cpu = row->cpu,
		                                       .has_tid = true,
		                                       .comm = row->comm,
		                                       .mode = (enum cpu_mode)slot->mode },
		                            .process = slot->process,
		                            .event = row->event,
		                            .thread = row->thread,
		                            .cgroup = STRING_NONE,
		                            .has_duration = row->state == INTERVAL_ENDED,
		                            .duration = row->duration,
		                            .what = row->what,
		                            .result = row->result_text,
		                            .waker = row->has_by ? row->by_thread : STRING_EMPTY,
		                            .period = row->duration };
	memcpy(counted->fields, slot->fields, sizeof(counted->fields));
	if (row->result_kind != RESULT_TEXT && choice_has_key(&stat->choice, KEY_RESULT)) {
		result = interval_result_text(stat->strings, row, text);
		counted->result = result ? strings_put_text(stat->strings, result, err)
		                         : STRING_EMPTY;
	}
	if (slot->held != MAP_NONE)
		counted->about.binary =
			stat->binaries.items[stackhold_at(stat->stacks, slot->held)->binary].name;
	return counted->result != STRING_NONE;
}

/* Whether anything is asked of intervals but their periods. */
static bool asks_of_samples(const struct intervalstat *intervals)
{
	return intervals->stat->chosen || intervals->counts_latency;
}

/* Whether an interval is selected as samples of an event. False also with err set. */
static bool is_selected(struct intervalstat *intervals, const struct interval_slot *slot,
                        struct counted_sample *counted, uint32_t event, struct err *err)
{
	struct buildstat *stat = intervals->stat;

	counted->event = event;
	if (event == EVENT_UNKNOWN)
		return false;
	if (!stat->chosen)
		return true;
	if (selection_has(&stat->choice.selection, SELECT_EVENT))
		counted->about.event = interval_event_name(intervals, event, err);
	return slot->selected && err->code == ERR_NONE &&
	       choice_passes(&stat->choice, counted, err);
}

static bool count_total(struct intervalstat *intervals, uint32_t event, uint64_t period,
                        struct err *err)
{
	struct event_totals *total;

	if (event == EVENT_UNKNOWN || !intervals->stat->chosen)
		return true;
	total = buildstat_total(intervals->stat, event, err);
	if (!total)
		return false;
	total->samples++;
	total->wrapped |= __builtin_add_overflow(total->period, period, &total->period);
	return true;
}

/* Asks for the number of an event and `what`, and keeps it. */
static uint32_t find_number(struct intervalstat *intervals, uint32_t event, uint64_t what,
                            struct latency_recent *recent, struct err *err)
{
	struct latency_key key = { .event = event };
	uint32_t number;

	key.group = choice_what(&intervals->stat->choice, what, err);
	if (key.group == MAP_NONE)
		return MAP_NONE;
	number = latencystat_number(&intervals->latency, &key, err);
	if (number != MAP_NONE)
		*recent = (struct latency_recent){ what, event, number + 1 };
	return number;
}

/* The number of an event and `what` in latency.csv, if it has no other keys. */
static inline uint32_t number_of_what(struct intervalstat *intervals, uint32_t event, uint64_t what,
                                      struct err *err)
{
	/* strings of one kind mostly have numbers in a row, and events too */
	const uint64_t at = (what ^ what >> 5) * 8 + event;
	struct latency_recent *recent = &intervals->recent[at % WHAT_RECENT];

	return recent->number && recent->event == event && recent->what == what
	               ? recent->number - 1
	               : find_number(intervals, event, what, recent, err);
}

/* The number of an interval in latency.csv, by all keys that are asked for. */
static uint32_t number_of_keys(struct intervalstat *intervals, const struct interval_slot *slot,
                               const struct counted_sample *counted, struct err *err)
{
	struct choice *choice = &intervals->stat->choice;
	struct latency_key key = { .event = slot->row.event };

	if (choice_has_what_alone(choice) && !intervals->latency_places)
		return number_of_what(intervals, slot->row.event, slot->row.what, err);
	key.group = choice_latency(choice, counted, err);
	if (key.group == MAP_NONE)
		return MAP_NONE;
	if (intervals->latency_places && slot->held != MAP_NONE) {
		const struct held_stack *stack = stackhold_at(intervals->stat->stacks, slot->held);

		key.binary = stack->binary;
		key.addr = stack->addr;
	}
	return latencystat_number(&intervals->latency, &key, err);
}

static bool count_latency(struct intervalstat *intervals, const struct interval_row *row,
                          uint32_t number, bool error, struct err *err)
{
	if (number == MAP_NONE)
		return false;
	if (row->state == INTERVAL_ENDED)
		return latencystat_add(&intervals->latency, number, row, error, err);
	latencystat_add_unfinished(&intervals->latency, number);
	return true;
}

/* Counts an interval of which nothing is asked but how long its `what` takes. */
static bool count_what(struct intervalstat *intervals, const struct interval_row *row, bool error,
                       struct err *err)
{
	return row->event == EVENT_UNKNOWN ||
	       count_latency(intervals, row, number_of_what(intervals, row->event, row->what, err),
	                     error, err);
}

/* An interval without an end, or without a begin, is in no sum, but its stack is named. */
static bool find_cell(struct intervalstat *intervals, const struct interval_slot *slot,
                      uint32_t *cell, struct err *err)
{
	struct stackstat *stacks = intervals->stat->stacks;
	uint32_t group;

	*cell = MAP_NONE;
	if (!intervals->log.open || slot->held == MAP_NONE)
		return true;
	group = stackstat_find_group(stacks, slot->row.event, slot->row.pid, slot->row.tid,
	                             slot->row.comm, err);
	*cell = group == MAP_NONE ? MAP_NONE
	                          : stackhold_count(stacks, slot->held, group, 0, 0, err);
	return *cell != MAP_NONE;
}

/* Counts what has ended as a part of `wall`, with that stack, and keeps it. */
static bool count_wall_part(struct intervalstat *intervals, const struct interval_slot *slot,
                            struct counted_sample *counted, uint32_t held, struct err *err)
{
	const uint32_t wall = intervals->engine.wall_event;
	struct interval_row row = slot->row;
	uint32_t cell = MAP_NONE;

	if (!count_total(intervals, wall, counted->period, err))
		return false;
	if (!is_selected(intervals, slot, counted, wall, err))
		return err->code == ERR_NONE;
	if (!count_sample(intervals, slot, counted, wall, held, &cell, err))
		return false;
	row.event = wall;
	row.number = slot->wall_number;
	row.state = INTERVAL_ENDED;
	row.weight = counted->period;
	row.counts = true;
	return !intervals->log.open || interval_log_put(&intervals->log, &row, cell, err);
}

/* Counts an interval whose row is complete. */
static bool count_interval(struct intervalstat *intervals, struct interval_slot *slot,
                           struct err *err)
{
	const struct field_request *fields = intervals->stat->choice.options.fields;
	const bool ended = slot->row.state == INTERVAL_ENDED;
	const bool counts = fields && fields->unfinished ? !ended && slot->has_weight : ended;
	struct counted_sample counted;
	uint32_t cell = MAP_NONE;
	bool selected;

	/* the parts of `wall` are no events of their own then */
	if (slot->has_weight && slot->row.event != EVENT_UNKNOWN)
		intervals->stat->session->events[slot->row.event].weighted = true;
	if (!slot->takes_event && slot->wall == MAP_NONE)
		return !counts ||
		       count_total(intervals, slot->row.event,
		                   slot->has_weight ? slot->weight : slot->row.duration, err);
	counted.period = slot->row.duration;
	if (asks_of_samples(intervals) && !fill_counted(intervals, slot, &counted, err))
		return false;
	if (slot->has_weight)
		counted.period = slot->weight;
	if (counts && !count_total(intervals, slot->row.event, counted.period, err))
		return false;
	selected = is_selected(intervals, slot, &counted, slot->row.event, err) &&
	           field_request_has_duration(fields, ended, slot->row.duration);
	if (err->code != ERR_NONE)
		return false;
	if (selected && counts &&
	    !count_sample(intervals, slot, &counted, slot->row.event, slot->held, &cell, err))
		return false;
	if (selected && !counts && !find_cell(intervals, slot, &cell, err))
		return false;
	intervals->lists_only |= selected && !counts;
	slot->row.weight = counted.period;
	slot->row.counts = counts;
	if (selected && intervals->counts_latency &&
	    !count_latency(intervals, &slot->row, number_of_keys(intervals, slot, &counted, err),
	                   slot->row.result_kind == RESULT_ERROR, err))
		return false;
	if (selected && intervals->log.open &&
	    !interval_log_put(&intervals->log, &slot->row, cell, err))
		return false;
	if (!ended || slot->wall == MAP_NONE)
		return err->code == ERR_NONE;
	counted.period = slot->row.duration;
	return count_wall_part(intervals, slot, &counted, slot->wall, err);
}

/* A number for an interval that is open, whose slot is to be filled; MAP_NONE with err set. */
static uint32_t take_slot(struct intervalstat *intervals, struct err *err)
{
	static const struct interval_slot none;
	const uint32_t number = intervals->free;

	if (number != MAP_NONE) {
		intervals->free = intervals->slots[number].next;
		return number;
	}
	return vec_append(&intervals->slots, &intervals->slot_count, &intervals->slot_capacity,
	                  &none, sizeof(none), err)
	               ? (uint32_t)intervals->slot_count - 1
	               : MAP_NONE;
}

static void free_slot(struct intervalstat *intervals, uint32_t number)
{
	intervals->slots[number].next = intervals->free;
	intervals->free = number;
}

static bool on_begin(void *context, const struct interval_begin *begin, uint32_t *token,
                     struct err *err)
{
	struct intervalstat *intervals = context;
	struct interval_slot *slot;

	*token = take_slot(intervals, err);
	if (*token == MAP_NONE)
		return false;
	slot = &intervals->slots[*token];
	return intervals->asks_what_alone ? interval_begin_what(intervals, begin, slot, err)
	                                  : interval_begin_slot(intervals, begin, slot, err);
}

static void set_end(struct intervalstat *intervals, struct interval_row *row,
                    const struct interval_end *end)
{
	row->end_cpu = end->cpu;
	row->end_nr = end->earlier ? end->nr : intervals->nr;
	if (end->kind != RESULT_NONE) {
		row->result_kind = (uint8_t)end->kind;
		row->result = end->value;
		row->result_text = end->kind == RESULT_TEXT ? end->text : STRING_EMPTY;
	}
	interval_set_by(intervals, row, end->by, end->by_idle);
}

/* Inside containers only a thread's own records tell its number there, and its process. */
static bool name_late(struct intervalstat *intervals, struct interval_slot *slot,
                      const struct sched_thread *thread, struct err *err)
{
	struct processes *processes = &intervals->stat->processes;
	struct interval_row *row = &slot->row;

	if (row->pid >= 0 || !thread || thread->pid < 0)
		return true;
	row->pid = thread->pid;
	row->tid = sched_thread_number(thread);
	slot->process = processes_get(processes, row->pid, row->tid, err);
	if (slot->process == PROCESS_NONE)
		return false;
	row->comm = processes->items[slot->process].comm;
	return true;
}

static bool on_end(void *context, uint32_t token, const struct interval_end *end, struct err *err)
{
	struct intervalstat *intervals = context;
	struct interval_slot *slot = &intervals->slots[token];

	slot->row.duration = end->time - slot->row.time;
	slot->row.state = INTERVAL_ENDED;
	free_slot(intervals, token);
	if (!name_late(intervals, slot, end->thread, err))
		return false;
	if (intervals->asks_what_alone)
		return count_what(intervals, &slot->row, end->kind == RESULT_ERROR, err);
	set_end(intervals, &slot->row, end);
	return count_interval(intervals, slot, err);
}

static bool on_unfinished(void *context, uint32_t token, struct err *err)
{
	struct intervalstat *intervals = context;
	struct interval_slot *slot = &intervals->slots[token];

	slot->row.state = INTERVAL_UNFINISHED;
	free_slot(intervals, token);
	return intervals->asks_what_alone ? count_what(intervals, &slot->row, false, err)
	                                  : count_interval(intervals, slot, err);
}

static void on_cancel(void *context, uint32_t token)
{
	free_slot(context, token);
}

static bool on_no_begin(void *context, const struct interval_begin *begin,
                        const struct interval_end *end, struct err *err)
{
	struct intervalstat *intervals = context;
	struct interval_slot slot;

	if (!interval_begin_alone(intervals, begin, &slot, err))
		return false;
	set_end(intervals, &slot.row, end);
	slot.row.nr = UINT64_MAX;
	slot.row.cpu = -1;
	slot.row.state = INTERVAL_UNFINISHED;
	return intervals->asks_what_alone ? count_what(intervals, &slot.row, false, err)
	                                  : count_interval(intervals, &slot, err);
}

bool intervalstat_init(struct intervalstat *intervals, struct buildstat *stat,
                       const struct interval_request *request, struct err *err)
{
	const struct interval_sink sink = { .context = intervals,
		                            .begin = on_begin,
		                            .end = on_end,
		                            .unfinished = on_unfinished,
		                            .cancel = on_cancel,
		                            .no_begin = on_no_begin };

	*intervals = (struct intervalstat){ .stat = stat, .free = MAP_NONE, .nr = UINT64_MAX };
	latencystat_init(&intervals->latency);
	stat->in_order = true;
	return engine_init(&intervals->engine, request, stat->session, stat->strings, &sink, err);
}

void intervalstat_release(struct intervalstat *intervals)
{
	if (!intervals->stat)
		return;
	engine_release(&intervals->engine);
	latencystat_release(&intervals->latency);
	interval_log_close(&intervals->log);
	free(intervals->slots);
	free(intervals->names);
}

bool intervalstat_keep(struct intervalstat *intervals, const char *dir, struct err *err)
{
	return interval_log_open(&intervals->log, dir, INTERVALS_WAITING, err);
}

static bool on_times(void *context, uint64_t first, uint64_t last, struct err *err)
{
	struct intervalstat *intervals = context;

	(void)first;
	(void)last;
	if (!engine_begin(&intervals->engine, err))
		return false;
	intervals->asks_what_alone = intervals_ask_what_alone(intervals);
	return true;
}

static bool is_in_wall(const struct intervalstat *intervals, uint32_t event)
{
	const struct session *session = intervals->stat->session;

	return intervals->engine.wall_event != EVENT_UNKNOWN && event < session->event_count &&
	       attr_is_clock(&session->events[event].attr);
}

/* Counts the record at hand, a sample of a clock, as a part of `wall`. */
static bool count_wall(struct intervalstat *intervals, uint64_t period, struct err *err)
{
	static const struct stack_cut whole = { .kernel = false };
	struct buildstat *stat = intervals->stat;
	const uint32_t wall = intervals->engine.wall_event;
	const struct record *record;
	struct interval_slot slot = { .held = MAP_NONE, .selected = true };
	struct counted_sample counted;

	record = interval_record(intervals);
	slot.process = interval_process(intervals, err);
	if (slot.process == PROCESS_NONE)
		return false;
	slot.row = (struct interval_row){ .time = record->time,
		                          .duration = period,
		                          .event = wall,
		                          .nr = intervals->nr,
		                          .end_nr = UINT64_MAX,
		                          .end_cpu = -1,
		                          .comm = stat->processes.items[slot.process].comm,
		                          .pid = record->pid,
		                          .tid = record->tid,
		                          .cpu = record->cpu };
	slot.row.thread = stat->processes.keep_thread_names
	                          ? processes_thread_name(&stat->processes, slot.process,
	                                                  record->tid)
	                          : STRING_EMPTY;
	slot.mode = (uint8_t)cpu_mode_of(record->misc);
	if (buildstat_counts_stacks(stat, err))
		slot.held = stackhold_put(stat->stacks, record, slot.process, &whole, err);
	return err->code == ERR_NONE && interval_reserve_row(intervals, &slot.wall_number, err) &&
	       fill_counted(intervals, &slot, &counted, err) &&
	       count_wall_part(intervals, &slot, &counted, slot.held, err);
}

static bool on_samples(void *context, const struct sample *samples, size_t count, struct err *err)
{
	struct intervalstat *intervals = context;

	intervals->record = NULL;
	for (size_t i = 0; i < count; i++) {
		intervals->sample = &samples[i];
		intervals->nr = samples[i].nr;
		intervals->is_decoded = false;
		intervals->process = PROCESS_NONE;
		if (!engine_sample(&intervals->engine, &samples[i], err) ||
		    (is_in_wall(intervals, samples[i].event) &&
		     !count_wall(intervals, samples[i].period, err)))
			return false;
	}
	intervals->sample = NULL;
	intervals->nr = UINT64_MAX;
	return true;
}

static bool on_record(void *context, const struct record *record, struct err *err)
{
	struct intervalstat *intervals = context;
	bool ok;

	intervals->record = record;
	intervals->nr = record->nr;
	intervals->process = PROCESS_NONE;
	ok = engine_record(&intervals->engine, record, err) &&
	     (record->type != PERF_RECORD_SAMPLE || record->damaged ||
	      !is_in_wall(intervals, record->event) ||
	      count_wall(intervals, record->sample.period, err));
	intervals->record = NULL;
	intervals->nr = UINT64_MAX;
	return ok;
}

struct record_handler intervalstat_handler(struct intervalstat *intervals)
{
	return (struct record_handler){
		.context = intervals, .times = on_times, .record = on_record, .samples = on_samples
	};
}

bool intervalstat_finish(struct intervalstat *intervals, struct diag *diag, struct err *err)
{
	if (!intervals->stat)
		return true;
	return engine_finish(&intervals->engine, diag, err) &&
	       latencystat_finish(&intervals->latency, err) &&
	       (!intervals->log.open || interval_log_finish(&intervals->log, err));
}

const char *interval_result_text(const struct strings *strings, const struct interval_row *row,
                                 char out[CALL_NAME_SIZE])
{
	const bool negative = row->result < 0;
	const uint64_t number = negative ? -(uint64_t)row->result : (uint64_t)row->result;
	const char *name = negative && number <= 4095 ? error_name(number) : NULL;
	char *end = out;

	if (row->result_kind == RESULT_NONE)
		return NULL;
	if (row->result_kind == RESULT_TEXT)
		return strings_get(strings, row->result_text);
	if (negative)
		*end++ = '-';
	end = format_u64(end, number);
	*end = '\0';
	if (name)
		snprintf(end, (size_t)(out + CALL_NAME_SIZE - end), " %s", name);
	return out;
}

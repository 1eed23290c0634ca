#include "decode/intervals/engine.h"

#include "decode/intervals/schedcpus.h"
#include "perffile/session/features.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sample of an event that has roles. */
struct role_sample {
	const struct sample *sample; /* its fixed fields */
	struct raw_data raw;
	uint32_t writer;
};

void engine_release(struct interval_engine *engine)
{
	sched_reader_release(&engine->reader);
	formats_release(&engine->formats);
	pairings_release(&engine->pairings);
	opens_release(&engine->opens);
	call_abis_release(&engine->calls);
	free(engine->text);
}

static const struct sched_thread *thread_at(const struct interval_engine *engine, uint32_t number)
{
	return sched_is_thread(number) ? &engine->reader.sched.threads.items[number] : NULL;
}

/* Where the string of a value of a field is kept. */
static struct kept_word *kept_word(struct interval_engine *engine, const void *of, uint64_t value)
{
	return &engine->kept[(value ^ value >> 10 ^ (uintptr_t)of >> 3) % WORDS_KEPT];
}

/* The flags of contention_begin (include/trace/events/lock.h, LCB_F_...). */
enum {
	LOCK_SPIN = 1,
	LOCK_READ = 2,
	LOCK_WRITE = 4,
	LOCK_RT = 8,
	LOCK_PERCPU = 16,
	LOCK_MUTEX = 32
};

/* Whether the print format knows mutexes: without a flag it is a semaphore then, else either. */
static bool knows_mutex(const struct field *flags, char text[FIELD_TEXT_ROOM])
{
	if (!flags->names)
		return false;
	value_names_text(flags->names, LOCK_MUTEX, 0, text);
	return strcmp(text, "MUTEX") == 0;
}

static const char *lock_kind(uint64_t flags)
{
	const bool read = (flags & LOCK_READ) != 0, write = (flags & LOCK_WRITE) != 0;

	if (flags & LOCK_MUTEX || !flags)
		return "mutex";
	if (flags & LOCK_PERCPU)
		return write ? "percpu-rwsem:W" : "percpu-rwsem:R";
	if (flags & LOCK_RT)
		return read ? "rtmutex:R" : write ? "rtmutex:W" : "rtmutex";
	if (flags & LOCK_SPIN)
		return read ? "rwlock:R" : write ? "rwlock:W" : "spinlock";
	return write ? "rwsem:W" : "rwsem:R";
}

/* The text of a number that `what` shows. STRING_NONE with err set. */
static uint32_t number_word(struct interval_engine *engine, const struct pairing *pairing,
                            const struct field *field, const struct call_names *calls,
                            uint64_t value, struct err *err)
{
	char text[CALL_NAME_SIZE];

	switch (pairing->what) {
	case WHAT_SYSCALL:
		call_name(calls, value, text);
		return strings_put_text(engine->strings, text, err);
	case WHAT_LOCK:
		return strings_put_text(
			engine->strings,
			!value && knows_mutex(field, engine->text) ? "semaphore" : lock_kind(value),
			err);
	case WHAT_ORDER:
		snprintf(text, sizeof(text), "order %" PRIu64, value);
		return strings_put_text(engine->strings, text, err);
	default:
		return STRING_EMPTY;
	}
}

static uint32_t field_word(struct interval_engine *engine, const struct field *field,
                           const struct role_sample *at, struct err *err)
{
	if (!formats_field_text(&engine->formats, field, &at->raw, engine->text, err))
		return err->code == ERR_NONE ? STRING_EMPTY : STRING_NONE;
	/* a string ends at its first NUL */
	return strings_put(engine->strings, engine->text, strlen(engine->text), err);
}

static inline bool number_of(const struct field *field, const struct role_sample *at,
                             uint64_t *value)
{
	return field && field_is_number(field) && field_number(field, &at->raw, value);
}

/* Sets what is shown of a begin. False with err set. */
static bool set_what(struct interval_engine *engine, const struct pairing *pairing,
                     const struct pairing_role *role, const struct role_sample *at,
                     struct interval_begin *begin, struct err *err)
{
	const struct call_names *calls = pairing->what == WHAT_SYSCALL
	                                         ? call_abis_of(&engine->calls, at->sample->pid)
	                                         : NULL;
	const void *of = calls ? calls : (const void *)role->what;
	struct kept_word *kept;
	uint64_t value;

	begin->what = STRING_EMPTY;
	if (!role->what || pairing->what == WHAT_NOTHING)
		return true;
	if (!number_of(role->what, at, &value) ||
	    (pairing->what == WHAT_FIELD && role->what->decider)) {
		begin->what = pairing->what == WHAT_FIELD ? field_word(engine, role->what, at, err)
		                                          : STRING_EMPTY;
		return begin->what != STRING_NONE;
	}
	if (pairing->what == WHAT_FUNCTION) {
		begin->function = value;
		begin->returns = pairing->list == LIST_MEMORY;
		return true;
	}
	kept = kept_word(engine, of, value);
	if (kept->of != of || kept->value != value)
		*kept = (struct kept_word){ of, value,
			                    pairing->what == WHAT_FIELD
			                            ? field_word(engine, role->what, at, err)
			                            : number_word(engine, pairing, role->what,
			                                          calls, value, err) };
	begin->what = kept->string;
	return begin->what != STRING_NONE;
}

static uint64_t thread_key(const struct role_sample *at)
{
	return at->writer == SCHED_IDLER ? (uint64_t)SCHED_IDLER << 32 | (uint32_t)at->sample->cpu
	                                 : at->writer;
}

/* Adds what stands in fields to a key. False: the record lacks one of them. */
static bool add_keys(const struct interval_engine *engine, const struct pairing_role *role,
                     const struct role_sample *at, uint64_t *key)
{
	for (unsigned i = 0; i < role->key_count; i++) {
		const struct role_key *part = &role->keys[i];
		struct raw_data bytes;
		uint64_t value;

		if (part->is_cpu) {
			value = (uint32_t)at->sample->cpu;
		} else if (part->is_thread) {
			if (at->writer == SCHED_NO_THREAD)
				return false;
			value = thread_key(at);
		} else if (!number_of(part->field, at, &value)) {
			bytes = field_bytes(part->field, &at->raw);
			if (!bytes.data)
				return false;
			value = hash_bytes(engine->seed, bytes.data,
			                   strnlen((const char *)bytes.data, bytes.size));
		}
		*key = hash_pair(engine->seed, *key, value);
	}
	return true;
}

/* The key of an interval; false if the record lacks a field of it. */
static inline bool make_key(const struct interval_engine *engine, const struct pairing_role *role,
                            const struct role_sample *at, uint64_t *key)
{
	const struct pairing *pairing = &engine->pairings.items[role->pairing];

	*key = role->pairing;
	if (pairing->scope == JOINED_BY_THREAD) {
		if (at->writer == SCHED_NO_THREAD)
			return false;
		*key = hash_pair(engine->seed, *key, thread_key(at));
	} else if (pairing->scope == JOINED_BY_CPU) {
		*key = hash_pair(engine->seed, *key, (uint32_t)at->sample->cpu);
	}
	return !role->key_count || add_keys(engine, role, at, key);
}

/* Its end is missing. */
static bool drop_open(struct interval_engine *engine, uint32_t number, struct err *err)
{
	const uint32_t token = engine->opens.items[number].token;

	opens_remove(&engine->opens, number);
	return token == INTERVAL_NO_TOKEN ||
	       engine->sink.unfinished(engine->sink.context, token, err);
}

/* The names of syscalls that differ from others; false with err set. */
static bool know_calls(struct interval_engine *engine, struct err *err)
{
	static const char *const no_return[ODD_CALLS] = { "exit", "exit_group", "rt_sigreturn",
		                                          "sigreturn" };
	static const char *const makes[ODD_CALLS] = { "clone", "clone3", "fork", "vfork" };

	for (size_t i = 0; i < ODD_CALLS; i++) {
		engine->no_return[i] = strings_put_text(engine->strings, no_return[i], err);
		engine->makes_thread[i] = strings_put_text(engine->strings, makes[i], err);
	}
	return err->code == ERR_NONE;
}

static bool is_call_of(const uint32_t calls[ODD_CALLS], uint32_t call)
{
	for (size_t i = 0; i < ODD_CALLS; i++)
		if (calls[i] == call)
			return true;
	return false;
}

static struct interval_begin begin_of(struct interval_engine *engine,
                                      const struct pairing_role *role, const struct role_sample *at)
{
	const struct pairing *pairing = &engine->pairings.items[role->pairing];

	return (struct interval_begin){ .event = pairing->number,
		                        .time = at->sample->time,
		                        .cpu = at->sample->cpu,
		                        .thread = thread_at(engine, at->writer),
		                        .what = STRING_EMPTY,
		                        .result = STRING_EMPTY,
		                        .place = pairing->place };
}

/* Notes that a thread makes syscalls; whether this is its first record of one. */
static bool calls_first(struct interval_engine *engine, const struct pairing_role *role,
                        uint32_t writer)
{
	struct sched_thread *thread;

	if (engine->pairings.items[role->pairing].what != WHAT_SYSCALL || !sched_is_thread(writer))
		return false;
	thread = &engine->reader.sched.threads.items[writer];
	if (thread->called)
		return false;
	thread->called = true;
	return true;
}

static bool begin_interval(struct interval_engine *engine, const struct pairing_role *role,
                           const struct role_sample *at, struct err *err)
{
	const struct pairing *pairing = &engine->pairings.items[role->pairing];
	struct interval_begin begin = begin_of(engine, role, at);
	struct open_begin open = { .time = begin.time,
		                   .seq = engine->reader.sched.seq,
		                   .cpu = begin.cpu,
		                   .pairing = role->pairing };
	uint32_t known;

	calls_first(engine, role, at->writer);
	if (!make_key(engine, role, at, &open.key))
		return true;
	known = pairing->second == SECOND_NESTS ? OPEN_NONE : opens_find(&engine->opens, open.key);
	if (known != OPEN_NONE && pairing->second == SECOND_IGNORED)
		return true;
	if (known != OPEN_NONE && !drop_open(engine, known, err))
		return false;
	if (!set_what(engine, pairing, role, at, &begin, err))
		return false;
	if (pairing->what == WHAT_SYSCALL && is_call_of(engine->no_return, begin.what))
		return true;
	number_of(role->number, at, &open.number);
	if (opens_are_full(&engine->opens)) {
		engine->given_up++;
		if (!drop_open(engine, engine->opens.oldest, err))
			return false;
	}
	return engine->sink.begin(engine->sink.context, &begin, &open.token, err) &&
	       opens_add(&engine->opens, &open, err);
}

/* What the end says of the result. */
static struct interval_end end_of(struct interval_engine *engine, const struct pairing_role *role,
                                  const struct role_sample *at)
{
	const struct pairing *pairing = &engine->pairings.items[role->pairing];
	struct interval_end end = { .time = at->sample->time, .cpu = at->sample->cpu };
	uint64_t value;

	if (pairing->scope != JOINED_BY_THREAD) {
		end.by = thread_at(engine, at->writer);
		end.by_idle = at->writer == SCHED_IDLER;
	}
	if (!number_of(role->result, at, &value))
		return end;
	if (role->result->kind != FIELD_SIGNED && role->result->width == 4)
		value = (uint64_t)(int32_t)value;
	end.value = (int64_t)value;
	end.kind = end.value < 0 && call_is_error(end.value) ? RESULT_ERROR : RESULT_VALUE;
	return end;
}

/* An end whose begin is not recorded, unless nothing could have begun. */
static bool end_alone(struct interval_engine *engine, const struct pairing_role *role,
                      const struct role_sample *at, const struct interval_end *end, bool first,
                      struct err *err)
{
	const struct pairing *pairing = &engine->pairings.items[role->pairing];
	struct interval_begin begin = begin_of(engine, role, at);
	uint64_t value;

	if (pairing->list == LIST_MEMORY && number_of(role->keys[0].field, at, &value) && !value)
		return true; /* kfree(NULL) */
	if (!set_what(engine, pairing, role, at, &begin, err))
		return false;
	if (pairing->what == WHAT_SYSCALL &&
	    ((first && is_call_of(engine->makes_thread, begin.what)) ||
	     is_call_of(engine->no_return, begin.what) ||
	     (number_of(role->number, at, &value) && (int64_t)value < 0)))
		return true;
	begin.time = TIME_NONE;
	begin.place = PLACE_RECORD;
	return engine->sink.no_begin(engine->sink.context, &begin, end, err);
}

static bool end_interval(struct interval_engine *engine, const struct pairing_role *role,
                         const struct role_sample *at, struct err *err)
{
	const struct interval_end end = end_of(engine, role, at);
	const struct open_begin *open;
	struct sched_mark mark;
	const bool first = calls_first(engine, role, at->writer);
	const struct pairing *pairing = &engine->pairings.items[role->pairing];
	uint64_t key, value = 0;
	uint32_t number, token;

	if (!make_key(engine, role, at, &key))
		return true;
	number = opens_find(&engine->opens, key);
	if (number == OPEN_NONE)
		return end_alone(engine, role, at, &end, first, err);
	open = &engine->opens.items[number];
	number_of(role->number, at, &value);
	if (open->number != value &&
	    !(pairing->what == WHAT_SYSCALL &&
	      call_abis_joined(&engine->calls, at->sample->pid, open->number, value)))
		return drop_open(engine, number, err) &&
		       end_alone(engine, role, at, &end, first, err);
	mark = (struct sched_mark){ open->time, open->seq, open->cpu, open->token };
	/* in a damaged recording time may run backwards */
	if (sched_lost_since(&engine->reader.sched, &mark, at->sample->cpu) ||
	    at->sample->time < open->time)
		return drop_open(engine, number, err);
	if (pairing->cpu_time && !sched_add_irq(&engine->reader.sched, at->sample->cpu,
	                                        pairing->cpu_time == CPU_TIME_SOFTIRQ,
	                                        at->sample->time - open->time, err))
		return false;
	token = open->token;
	opens_remove(&engine->opens, number);
	return token == INTERVAL_NO_TOKEN ||
	       engine->sink.end(engine->sink.context, token, &end, err);
}

/* The roles of the sample that the reader has read: first it ends, then it begins. */
static bool play_roles(struct interval_engine *engine, const struct sample *sample, struct err *err)
{
	const struct pairings *pairings = &engine->pairings;
	const struct pairing_role *role = &pairings->roles[pairings->first[sample->event]];
	const struct pairing_role *end = &pairings->roles[pairings->first[sample->event + 1]];
	const struct role_sample at = { .sample = sample,
		                        .raw = engine->reader.raw,
		                        .writer = engine->reader.writer };

	for (; role < end; role++)
		if (!(role->ends ? end_interval(engine, role, &at, err)
		                 : begin_interval(engine, role, &at, err)))
			return false;
	return true;
}

static bool has_roles(const struct interval_engine *engine, uint32_t event)
{
	const struct pairings *pairings = &engine->pairings;

	return event < pairings->event_count && pairings->first[event] < pairings->first[event + 1];
}

bool engine_sample(struct interval_engine *engine, const struct sample *sample, struct err *err)
{
	if (!sched_reader_sample(&engine->reader, sample, err))
		return false;
	return !has_roles(engine, sample->event) || sample->time == TIME_NONE ||
	       play_roles(engine, sample, err);
}

bool engine_record(struct interval_engine *engine, const struct record *record, struct err *err)
{
	const struct sample sample = { .nr = record->nr,
		                       .time = record->time,
		                       .pid = record->pid,
		                       .tid = record->tid,
		                       .cpu = record->cpu,
		                       .event = record->event,
		                       .has_tid = record->has_tid };

	if (!call_abis_record(&engine->calls, record, err) ||
	    !sched_reader_record(&engine->reader, record, err))
		return false;
	return record->type != PERF_RECORD_SAMPLE || record->damaged ||
	       record->time >= TIME_OFF_CPU || !has_roles(engine, record->event) ||
	       play_roles(engine, &sample, err);
}

/* Gives all that are open with a key another one; in the reverse order. */
static bool change_key(struct opens *opens, uint64_t from, uint64_t to, struct err *err)
{
	uint32_t number;

	while ((number = opens_find(opens, from)) != OPEN_NONE) {
		struct open_begin moved = opens->items[number];

		opens_remove(opens, number);
		moved.key = to;
		if (!opens_add(opens, &moved, err))
			return false;
	}
	return true;
}

/* exec by another thread than the first: what it has begun goes on under the other number. */
static bool move_opens(void *context, uint32_t from, uint32_t to, struct err *err)
{
	struct interval_engine *engine = context;

	for (uint32_t i = 0; i < engine->pairings.count; i++) {
		const uint64_t old = hash_pair(engine->seed, i, from);
		const uint64_t new = hash_pair(engine->seed, i, to);

		/* each time the innermost one becomes the outermost */
		if (engine->pairings.items[i].scope == JOINED_BY_THREAD &&
		    (!change_key(&engine->opens, old, ~old, err) ||
		     !change_key(&engine->opens, ~old, new, err)))
			return false;
	}
	return true;
}

bool engine_init(struct interval_engine *engine, const struct interval_request *request,
                 struct session *session, struct strings *strings, const struct interval_sink *sink,
                 struct err *err)
{
	const bool makes = request->lists & (1u << LIST_SCHED | 1u << LIST_WALL);

	*engine = (struct interval_engine){ .request = request,
		                            .session = session,
		                            .strings = strings,
		                            .sink = *sink,
		                            .seed = hash_seed(),
		                            .wall_event = EVENT_UNKNOWN };
	opens_init(&engine->opens);
	engine->text = vec_new(FIELD_TEXT_ROOM, 1, err);
	if (!engine->text || !know_calls(engine, err) ||
	    !formats_init(&engine->formats, session, err) ||
	    !sched_reader_init(&engine->reader, session, strings, makes ? sink : NULL, err))
		return false;
	engine->reader.sched.on_move = (struct sched_on_move){ engine, move_opens };
	return true;
}

static bool has_clock(const struct session *session)
{
	for (size_t i = 0; i < session->event_count; i++)
		if (attr_is_clock(&session->events[i].attr))
			return true;
	return false;
}

bool engine_begin(struct interval_engine *engine, struct err *err)
{
	static const char *const names[SCHED_EVENTS] = { "off-cpu", "wait", "on-cpu", "idle" };
	struct session *session = engine->session;
	uint32_t *events = engine->reader.sched.events;
	const bool switches = sched_is_recorded(session), clock = has_clock(session);
	const unsigned lists = engine->request->lists;

	for (int i = 0; i < SCHED_EVENTS && switches && lists >> LIST_SCHED & 1; i++) {
		events[i] = session_add_derived(session, names[i], err);
		if (events[i] == EVENT_UNKNOWN)
			return false;
	}
	if (switches && clock && lists >> LIST_WALL & 1) {
		engine->wall_event = session_add_derived(session, "wall", err);
		if (engine->wall_event == EVENT_UNKNOWN)
			return false;
	}
	if (lists >> LIST_SYSCALLS & 1)
		call_abis_init(&engine->calls, feature_text(session, PERF_FEATURE_ARCH));
	if (!pairings_find(&engine->pairings, engine->request, &engine->formats, err))
		return false;
	for (size_t i = 0; i < engine->pairings.count; i++) {
		const enum pairing_cpu_time kind = engine->pairings.items[i].cpu_time;

		engine->reader.sched.has_irq |= kind == CPU_TIME_IRQ;
		engine->reader.sched.has_softirq |= kind == CPU_TIME_SOFTIRQ;
	}
	return true;
}

bool engine_finish(struct interval_engine *engine, struct diag *diag, struct err *err)
{
	const struct interval_request *request = engine->request;
	const unsigned sched = 1u << LIST_SCHED | 1u << LIST_WALL;

	while (engine->opens.oldest != OPEN_NONE)
		if (!drop_open(engine, engine->opens.oldest, err))
			return false;
	if (engine->given_up)
		diag_warn(diag, ERR_NO_OFFSET,
		          "more than %" PRIu32 " intervals are open at one time: the %" PRIu64
		          " oldest count as unfinished",
		          OPENS_MOST, engine->given_up);
	if (request->lists >> LIST_WALL & 1 && engine->wall_event == EVENT_UNKNOWN && !request->all)
		diag_warn(
			diag, ERR_NO_OFFSET,
			"--intervals=wall needs samples of a clock and all switches: record with "
			"perf record -e cpu-clock/freq=999/ -e sched:sched_switch --switch-events -g");
	pairings_report(&engine->pairings, request, diag);
	return sched_reader_finish(&engine->reader, !request->all && request->lists & sched, diag,
	                           err);
}

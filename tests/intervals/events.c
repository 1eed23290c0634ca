/*
 * Prints the intervals that the scheduler's state machine makes of a recording, as CSV: events
 * FILE. tests/intervals/run compares them with those of sched.py.
 */
#include "decode/intervals/schedreader.h"
#include "perffile/perffile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct open_interval {
	const char *event;
	uint32_t what, result; /* strings */
	uint64_t time;
	int32_t cpu;
	uint32_t thread, by; /* numbers; the numbers of threads are only known at the end */
};

struct printed {
	struct open_interval begin;
	uint64_t end; /* TIME_NONE: unfinished */
	int32_t end_cpu;
};

struct events {
	struct sched_reader *reader;
	struct printed *items;
	size_t count, capacity;
};

static uint32_t number_of(const struct events *events, const struct sched_thread *thread, bool idle)
{
	return idle     ? SCHED_IDLER
	       : thread ? (uint32_t)(thread - events->reader->sched.threads.items)
	                : SCHED_NO_THREAD;
}

static bool begin_interval(void *context, const struct interval_begin *begin, uint32_t *token,
                           struct err *err)
{
	static const char *const names[] = { "off-cpu", "wait", "on-cpu", "idle" };
	struct events *events = context;
	struct printed item = { .begin = { .event = names[begin->event],
		                           .what = begin->what,
		                           .result = begin->result,
		                           .time = begin->time,
		                           .cpu = begin->cpu },
		                .end = TIME_NONE,
		                .end_cpu = -1 };

	item.begin.thread = number_of(events, begin->thread, !begin->thread);
	item.begin.by = number_of(events, begin->by, begin->by_idle);
	*token = (uint32_t)events->count;
	if (events->count == events->capacity) {
		events->capacity = 2 * events->capacity + 1000;
		events->items = realloc(events->items, events->capacity * sizeof(item));
		if (!events->items)
			return err_nomem(err, events->capacity * sizeof(item));
	}
	events->items[events->count++] = item;
	return true;
}

static bool end_interval(void *context, uint32_t token, const struct interval_end *end,
                         struct err *err)
{
	struct events *events = context;
	struct printed *item = &events->items[token];

	(void)err;
	item->end = end->time;
	item->end_cpu = end->cpu;
	if (end->kind == RESULT_TEXT)
		item->begin.result = end->text;
	if (end->by || end->by_idle)
		item->begin.by = number_of(events, end->by, end->by_idle);
	return true;
}

static bool leave_open(void *context, uint32_t token, struct err *err)
{
	(void)context, (void)token, (void)err;
	return true;
}

static void cancel_interval(void *context, uint32_t token)
{
	((struct events *)context)->items[token].begin.event = NULL;
}

static void print_number(const struct events *events, uint32_t thread)
{
	if (thread == SCHED_IDLER)
		printf("0");
	else if (thread != SCHED_NO_THREAD)
		printf("%d", sched_thread_number(&events->reader->sched.threads.items[thread]));
}

static void print_all(const struct events *events)
{
	const struct strings *strings = events->reader->sched.threads.strings;

	printf("event,time,duration,tid,cpu,end_cpu,what,result,by_tid\n");
	for (size_t i = 0; i < events->count; i++) {
		const struct printed *item = &events->items[i];

		if (!item->begin.event)
			continue;
		printf("%s,%" PRIu64 ",", item->begin.event, item->begin.time);
		if (item->end != TIME_NONE)
			printf("%" PRIu64, item->end - item->begin.time);
		printf(",");
		print_number(events, item->begin.thread);
		printf(",%d,", item->begin.cpu);
		if (item->end != TIME_NONE)
			printf("%d", item->end_cpu);
		printf(",%s,%s,", strings_get(strings, item->begin.what),
		       strings_get(strings, item->begin.result));
		print_number(events, item->begin.by);
		printf("\n");
	}
}

static bool read_file(const char *path, struct err *err)
{
	static struct input input;
	static struct session session;
	static struct strings strings;
	static struct sched_reader reader;
	struct diag diag;
	struct read_summary summary = { 0 };
	struct events events = { .reader = &reader };
	const struct interval_sink sink = { .context = &events,
		                         .begin = begin_interval,
		                         .end = end_interval,
		                         .unfinished = leave_open,
		                         .cancel = cancel_interval };
	struct record_handler handler;
	bool ok;

	diag_init(&diag, NULL, NULL);
	session_init(&session, &diag);
	ok = input_open(&input, path, "/tmp", &diag, err) && session_open(&session, &input, err) &&
	     strings_init(&strings, err) &&
	     sched_reader_init(&reader, &session, &strings, &sink, err);
	for (uint32_t i = 0; i < SCHED_EVENTS; i++)
		reader.sched.events[i] = i;
	handler = sched_reader_handler(&reader);
	ok = ok && perffile_read(&session, &handler, 1, NULL, &summary, err) &&
	     sched_reader_finish(&reader, true, &diag, err);
	if (ok)
		print_all(&events);
	free(events.items);
	read_summary_release(&summary);
	sched_reader_release(&reader);
	strings_release(&strings);
	session_release(&session);
	input_close(&input);
	diag_release(&diag);
	return ok;
}

int main(int argc, char **argv)
{
	struct err err = { .code = ERR_NONE };

	if (argc == 2 && read_file(argv[1], &err))
		return 0;
	fprintf(stderr, "events: %s\n", argc == 2 ? err.text : "expected a file");
	return 1;
}

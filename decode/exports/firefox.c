/*
 * profile.json.gz: the samples of an event as profiler.firefox.com and Perfetto read them (format
 * of processed profiles, version 60).
 *
 *   meta     what was recorded, the categories, what markers consist of
 *   libs     the binaries
 *   threads  -> samples   time, stack, weight
 *            -> markers   what happened to the thread: decode/tally/moments.h, and intervals
 *   shared   stackTable   a frame, and the stack of its caller: nodes of the call tree
 *            frameTable   a function in a category; here each function has one frame
 *            funcTable    its name, binary (resource), source file and line
 *            stringArray  texts
 */
#define _GNU_SOURCE /* qsort_r() */
#include "decode/exports/firefox.h"

#include "decode/exports/headline.h"
#include "decode/exports/intervalreader.h"

#include "decode/select/request.h"
#include "perffile/facts/facts.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HZ_TO_MS 1000.0

static int compare_samples(const void *first, const void *second)
{
	const struct firefox_sample *a = first, *b = second;
	int order = u64_order(a->thread, b->thread);

	if (!order)
		order = u64_order(a->time, b->time);
	return order ? order : u64_order(a->number, b->number);
}

/* Those of --off-cpu have a time that is no clock's. */
static bool is_timed(uint64_t time)
{
	return time < TIME_OFF_CPU;
}

static bool add_sample(struct firefox *firefox, const struct logged_sample *sample, uint32_t cell)
{
	const struct report *report = firefox->report;
	struct firefox_sample added = { .time = is_timed(sample->time) ? sample->time : 0,
		                        .period = sample->period,
		                        .stack = STACK_NULL,
		                        .number = firefox->sample_count };

	if (call_event_of(report->session, sample->task->event) != firefox->event)
		return true;
	if (cell != MAP_NONE) {
		const uint32_t node = report->calls->node_of_cell[cell];

		if (!report->stat->stacks->cells.items[cell].samples)
			return true; /* not a selected function */
		added.stack = node == CALL_NODE_NONE ? STACK_NULL : firefox->stack_of[node];
	}
	added.thread = thread_list_count(&firefox->threads, sample, firefox->err);
	if (is_timed(sample->time)) {
		firefox->first = u64_min(firefox->first, sample->time);
		firefox->last = u64_max(firefox->last, sample->time);
	}
	return added.thread != MAP_NONE &&
	       vec_append(&firefox->samples, &firefox->sample_count, &firefox->sample_capacity,
	                  &added, sizeof(added), firefox->err);
}

static bool take_recorded(struct firefox *firefox)
{
	struct sample_reader reader;
	struct logged_sample sample;
	uint32_t cell;
	bool ok = sample_reader_open(&reader, firefox->report->stat, firefox->err);

	while (ok && sample_reader_has_next(&reader))
		ok = sample_reader_next(&reader, &sample, &cell, firefox->err) &&
		     add_sample(firefox, &sample, cell);
	sample_reader_close(&reader);
	return ok;
}

/* An interval as a sample of the event: at its begin, with its length. */
static bool add_interval(struct firefox *firefox, const struct interval_reader *reader)
{
	const struct interval_row *row = reader->row;
	const struct firefox_sample added = { .time = row->time,
		                              .period = row->weight,
		                              .stack = firefox->stack_of[reader->node],
		                              .number = firefox->sample_count,
		                              .thread = thread_list_put(&firefox->threads, row->pid,
		                                                        row->tid, firefox->err) };

	if (added.thread == MAP_NONE)
		return false;
	firefox->threads.items[added.thread].process = row->comm;
	firefox->first = u64_min(firefox->first, row->time);
	firefox->last = u64_max(firefox->last, row->time);
	return vec_append(&firefox->samples, &firefox->sample_count, &firefox->sample_capacity,
	                  &added, sizeof(added), firefox->err);
}

static bool take_intervals(struct firefox *firefox)
{
	struct interval_reader reader;
	bool ok = interval_reader_open(&reader, firefox->report, firefox->err);

	while (ok && reader.row) {
		const bool taken = reader.row->event == firefox->event &&
		                   interval_reader_is_selected(&reader);

		ok = (!taken || add_interval(firefox, &reader)) &&
		     interval_reader_next(&reader, firefox->err);
	}
	interval_reader_close(&reader);
	return ok;
}

static bool take_samples(struct firefox *firefox)
{
	const bool ok = take_recorded(firefox) && take_intervals(firefox);

	if (ok && firefox->sample_count)
		qsort(firefox->samples, firefox->sample_count, sizeof(*firefox->samples),
		      compare_samples);
	return ok;
}

/* The page cannot open a profile without threads. */
static bool put_thread(struct firefox *firefox)
{
	return firefox->threads.count ||
	       thread_list_put(&firefox->threads, -1, -1, firefox->err) != MAP_NONE;
}

static void print_pair(FILE *out, const char *key, const char *text)
{
	fprintf(out, ",\"%s\":", key);
	print_json_shown(out, text);
}

static void print_stacks(const struct firefox *firefox, const struct firefox_sample *samples,
                         size_t count)
{
	firefox_begin_list(firefox->out, "stack");
	for (size_t i = 0; i < count; i++)
		if (samples[i].stack == STACK_NULL)
			fputs(i ? ",null" : "null", firefox->out);
		else
			fprintf(firefox->out, i ? ",%" PRIu32 : "%" PRIu32, samples[i].stack);
	fputc(']', firefox->out);
}

static void print_times(const struct firefox *firefox, const struct firefox_sample *samples,
                        size_t count)
{
	firefox_begin_list(firefox->out, "time");
	for (size_t i = 0; i < count; i++) {
		fputs(i ? "," : "", firefox->out);
		firefox_print_time(firefox, samples[i].time);
	}
	fputc(']', firefox->out);
}

/* Whether the thread ran for the period of a sample, before it. */
static bool has_cpu_time(const struct firefox *firefox)
{
	return firefox->clock && !firefox->is_interval &&
	       !firefox_event_waits(report_event_name(firefox->report, firefox->event));
}

/*
 * The weight of a clock's sample is its period, in ms; that is the time for which the thread ran
 * since the sample before, so the page can tell a thread that slept from one that was busy.
 */
static void print_weights(const struct firefox *firefox, const struct firefox_sample *samples,
                          size_t count)
{
	firefox_begin_list(firefox->out, "weight");
	for (size_t i = 0; i < count; i++) {
		fputs(i ? "," : "", firefox->out);
		if (firefox->clock)
			firefox_print_ms(firefox->out, samples[i].period);
		else
			fprintf(firefox->out, "%" PRIu64, samples[i].period);
	}
	fprintf(firefox->out, "],\"weightType\":\"%s\"", firefox->clock ? "tracing-ms" : "samples");
	if (!has_cpu_time(firefox))
		return;
	firefox_begin_list(firefox->out, "threadCPUDelta");
	for (size_t i = 0; i < count; i++)
		fprintf(firefox->out, i ? ",%" PRIu64 : "%" PRIu64, samples[i].period);
	fputc(']', firefox->out);
}

/* Prints a thread, given its samples and markers. */
static void print_thread(const struct firefox *firefox, const struct listed_thread *thread,
                         const struct firefox_sample *samples, size_t sample_count,
                         const struct firefox_marker *markers, size_t marker_count)
{
	FILE *out = firefox->out;

	fputs("{\"processType\":\"default\"", out);
	print_pair(out, "processName", listed_process_name(firefox->report, thread));
	fputs(",\"processStartupTime\":0,\"processShutdownTime\":null,\"registerTime\":0,"
	      "\"unregisterTime\":null,\"pausedRanges\":[]",
	      out);
	print_pair(out, "name", listed_thread_name(firefox->report, thread));
	fprintf(out,
	        ",\"isMainThread\":%s,\"pid\":\"%" PRId32 "\",\"tid\":%" PRId32
	        ",\"showMarkersInTimeline\":true,\"samples\":{\"length\":%zu",
	        thread->pid == thread->tid ? "true" : "false", thread->pid, thread->tid,
	        sample_count);
	print_stacks(firefox, samples, sample_count);
	print_times(firefox, samples, sample_count);
	print_weights(firefox, samples, sample_count);
	fputs("},", out);
	firefox_print_markers(firefox, markers, marker_count);
	fputc('}', out);
}

static int compare_threads(const struct thread_list *list, uint32_t a, uint32_t b)
{
	const struct listed_thread *x = &list->items[a], *y = &list->items[b];

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	/* the main thread first */
	if ((x->tid == x->pid) != (y->tid == y->pid))
		return x->tid == x->pid ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static int compare_spans(const void *first, const void *second, void *context)
{
	const struct thread_span *a = first, *b = second;

	return compare_threads(context, a->thread, b->thread);
}

/* Finds the samples and markers of each thread, which lie together, and puts threads in order. */
static struct thread_span *find_spans(struct firefox *firefox)
{
	const size_t count = firefox->threads.count;
	struct thread_span *spans = vec_new(count, sizeof(*spans), firefox->err);
	size_t sample = 0, marker = 0;

	for (uint32_t i = 0; spans && i < count; i++) {
		spans[i] = (struct thread_span){ .thread = i,
			                         .first_sample = sample,
			                         .first_marker = marker };
		while (sample < firefox->sample_count && firefox->samples[sample].thread == i)
			sample++;
		while (marker < firefox->marker_count && firefox->markers[marker].thread == i)
			marker++;
		spans[i].samples = sample - spans[i].first_sample;
		spans[i].markers = marker - spans[i].first_marker;
	}
	if (spans && count)
		qsort_r(spans, count, sizeof(*spans), compare_spans, &firefox->threads);
	return spans;
}

static bool print_threads(struct firefox *firefox)
{
	struct thread_span *spans = find_spans(firefox);

	if (!spans)
		return false;
	fputs(",\n\"threads\":[", firefox->out);
	for (size_t i = 0; i < firefox->threads.count; i++) {
		const struct thread_span *span = &spans[i];

		fputs(i ? ",\n" : "\n", firefox->out);
		print_thread(firefox, &firefox->threads.items[span->thread],
		             firefox->samples + span->first_sample, span->samples,
		             firefox->markers + span->first_marker, span->markers);
	}
	fputc(']', firefox->out);
	free(spans);
	return true;
}

/* In the order of enum firefox_category; the page wants one that is grey. */
static const char categories[] =
	"\"categories\":[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
	"{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
	"{\"name\":\"Kernel\",\"color\":\"blue\",\"subcategories\":[\"Other\"]},"
	"{\"name\":\"JIT\",\"color\":\"green\",\"subcategories\":[\"Other\"]},"
	"{\"name\":\"Waiting\",\"color\":\"orange\",\"subcategories\":[\"Other\"]}]";

/* The time between two samples of a busy thread in ms, as far as the event tells it. */
static double interval_of(const struct firefox *firefox)
{
	const struct session *session = firefox->report->session;
	const struct event_attr *attr;

	if (firefox->event >= session->event_count)
		return 1;
	attr = &session->events[firefox->event].attr;
	if (attr_flag(attr, PERF_FLAG_FREQ))
		return attr->sample_period ? HZ_TO_MS / (double)attr->sample_period : 1;
	return firefox->clock && attr->sample_period ? (double)attr->sample_period / 1e6 : 1;
}

/* The time of the beginning in ms since 1970; 0: not known. */
static double start_time(const struct firefox *firefox)
{
	struct clock_data clock;

	if (!features_clock_data(firefox->report->session, &clock, firefox->err) ||
	    !clock.present || firefox->first == TIME_NONE)
		return 0;
	return (double)(clock.wall_time + (firefox->first - clock.clock_time)) / 1e6;
}

/* Prints a fact for the page's list of facts, if it is known. */
static void print_fact(const struct firefox *firefox, const char *label, const char *value)
{
	if (!value)
		return;
	fprintf(firefox->out, ",{\"label\":\"%s\",\"format\":\"string\",\"value\":", label);
	print_json_shown(firefox->out, value);
	fputc('}', firefox->out);
}

static void print_meta(const struct firefox *firefox)
{
	const struct facts *facts = firefox->report->facts;
	const char *event = headline_event(firefox->report, firefox->event);
	const char *release = facts_value(facts, PERF_FEATURE_OSRELEASE);
	FILE *out = firefox->out;

	fprintf(out,
	        "{\"meta\":{\"interval\":%g,\"startTime\":%.3f,\"processType\":0,\"stackwalk\":1,"
	        "\"debug\":false,\"version\":24,\"preprocessedProfileVersion\":60,"
	        "\"symbolicated\":true,\"importedFrom\":\"readperf\"",
	        interval_of(firefox), start_time(firefox));
	print_pair(out, "product", event);
	print_pair(out, "platform", "Linux");
	print_pair(out, "oscpu", release ? release : "Linux");
	if (has_cpu_time(firefox))
		fputs(",\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\","
		      "\"threadCPUDelta\":\"ns\"}",
		      out);
	fprintf(out, ",\n%s,\n%s,\n\"extra\":[{\"label\":\"Recording\",\"entries\":[", categories,
	        firefox_marker_schema);
	fputs("{\"label\":\"Event\",\"format\":\"string\",\"value\":", out);
	print_json_shown(out, event);
	fputc('}', out);
	print_fact(firefox, "Host", facts_value(facts, PERF_FEATURE_HOSTNAME));
	print_fact(firefox, "Command", facts_value(facts, PERF_FEATURE_CMDLINE));
	print_fact(firefox, "CPU", facts_value(facts, PERF_FEATURE_CPUDESC));
	fputs("]}]}", out);
}

static void release_lists(struct firefox *firefox)
{
	strings_release(&firefox->texts);
	thread_list_release(&firefox->threads);
	free(firefox->stack_of);
	free(firefox->samples);
	free(firefox->markers);
}

static bool event_is_interval(const struct report *report, size_t event)
{
	return event < report->session->event_count && report->session->events[event].derived;
}

static bool write_profile(FILE *out, const struct report *report, size_t event, struct err *err)
{
	struct firefox firefox = { .report = report,
		                   .moments = collection_get(report->kept, &moments_collector),
		                   .event = event,
		                   .out = out,
		                   .clock = report_event_is_clock(report, event),
		                   .is_interval = event_is_interval(report, event),
		                   .first = TIME_NONE,
		                   .err = err };
	struct firefox_tables shared = { .count = 0 };
	bool ok = strings_init(&firefox.texts, err) && firefox_tables_make(&shared, &firefox) &&
	          take_samples(&firefox) && firefox_take_markers(&firefox) && put_thread(&firefox);

	if (ok) {
		print_meta(&firefox);
		firefox_print_libs(&shared, &firefox);
		ok = print_threads(&firefox);
		firefox_print_shared(&shared, &firefox);
		fputs("}\n", out);
	}
	firefox_tables_release(&shared);
	release_lists(&firefox);
	return ok && err->code == ERR_NONE;
}

/* With "all", no profile is written if this build cannot pack it. */
static bool can_write_profile(const struct report *report)
{
	struct err ignored = { 0 };

	return report_has_places(report) && pack_check(PACK_GZIP, &ignored);
}

const struct table firefox_table = {
	.format = FORMAT_OF_FILE("firefox"),
	.file = "profile.json.gz",
	.content =
		"samples, stacks and markers for profiler.firefox.com and Perfetto; of further events profile-EVENT.json.gz",
	.needs = NEEDS_NAMES | NEEDS_STACKS | NEEDS_EVERY_STACK | NEEDS_ENTRY_LINES |
	         NEEDS_SAMPLES | NEEDS_THREAD_NAMES | NEEDS_INTERVALS,
	.collects = &moments_collector,
	.can_fill = can_write_profile,
	.write_event = write_profile,
};

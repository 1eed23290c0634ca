/* The markers of a processed profile, which are moments and intervals: see firefox.c. */
#include "decode/exports/firefox.h"
#include "decode/exports/intervalreader.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * What is said of each kind of moment; the names of the fields are in firefox_marker_schema. The
 * number of a thread is a text, because the profiler writes an integer as a count: 24,173.
 */
enum moment_value { VALUE_COUNT, VALUE_TEXT, VALUE_THREAD };

static const struct {
	const char *name, *field;
	enum moment_value value;
} moment_kinds[MOMENT_KINDS] = {
	[MOMENT_NAME] = { "comm", "name", VALUE_TEXT },
	[MOMENT_EXEC] = { "exec", "name", VALUE_TEXT },
	[MOMENT_FORK] = { "fork", "thread", VALUE_THREAD },
	[MOMENT_EXIT] = { .name = "exit" },
	[MOMENT_LOST] = { "lost", "lost", VALUE_COUNT },
};

#define SHOWN "\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],"

const char firefox_marker_schema[] =
	"\"markerSchema\":["
	"{\"name\":\"comm\"," SHOWN
	"\"chartLabel\":\"{marker.data.name}\",\"tableLabel\":\"{marker.data.name}\","
	"\"fields\":[{\"key\":\"name\",\"label\":\"New name\",\"format\":\"string\"}]},"
	"{\"name\":\"exec\"," SHOWN
	"\"chartLabel\":\"{marker.data.name}\",\"tableLabel\":\"{marker.data.name}\","
	"\"fields\":[{\"key\":\"name\",\"label\":\"Program\",\"format\":\"string\"}]},"
	"{\"name\":\"fork\"," SHOWN
	"\"chartLabel\":\"{marker.data.thread}\",\"tableLabel\":\"{marker.data.thread}\","
	"\"fields\":[{\"key\":\"thread\",\"label\":\"New thread\",\"format\":\"string\"}]},"
	"{\"name\":\"exit\"," SHOWN "\"fields\":[]},"
	"{\"name\":\"lost\"," SHOWN
	"\"chartLabel\":\"{marker.data.lost}\",\"tableLabel\":\"{marker.data.lost} lost\","
	"\"fields\":[{\"key\":\"lost\",\"label\":\"Lost records\",\"format\":\"integer\"}]},"
	"{\"name\":\"interval\"," SHOWN
	"\"chartLabel\":\"{marker.data.what}\",\"tableLabel\":\"{marker.data.what} {marker.data.function}\","
	"\"fields\":[{\"key\":\"what\",\"label\":\"What\",\"format\":\"unique-string\"},"
	"{\"key\":\"function\",\"label\":\"Function\",\"format\":\"unique-string\"},"
	"{\"key\":\"result\",\"label\":\"Result\",\"format\":\"unique-string\"},"
	"{\"key\":\"by\",\"label\":\"Ended or woken by\",\"format\":\"unique-string\"},"
	"{\"key\":\"cpu\",\"label\":\"CPU\",\"format\":\"integer\"}]}]";

static int compare_markers(const void *first, const void *second)
{
	const struct firefox_marker *a = first, *b = second;
	int order = u64_order(a->thread, b->thread);

	if (!order)
		order = u64_order(a->start, b->start);
	return order ? order : u64_order(a->number, b->number);
}

static bool selects_samples(const struct report *report)
{
	return report->stat->chosen &&
	       !select_request_is_empty(report->stat->choice.selection.request);
}

static bool append_marker(struct firefox *firefox, const struct firefox_marker *marker)
{
	return vec_append(&firefox->markers, &firefox->marker_count, &firefox->marker_capacity,
	                  marker, sizeof(*marker), firefox->err);
}

/*
 * A selection shows moments between its first and its last sample, of threads with samples, so that
 * one thread of thousands does not bring along the others.
 */
static bool add_moment(struct firefox *firefox, const struct moment *moment, bool selects)
{
	struct firefox_marker added = { .start = moment->time,
		                        .end = TIME_NONE,
		                        .moment = moment,
		                        .number = firefox->marker_count,
		                        .category = CATEGORY_OTHER };

	if (selects && (moment->time < firefox->first || moment->time > firefox->last))
		return true;
	added.thread = selects ? thread_list_find(&firefox->threads, moment->pid, moment->tid)
	                       : thread_list_put(&firefox->threads, moment->pid, moment->tid,
	                                         firefox->err);
	if (added.thread == MAP_NONE)
		return firefox->err->code == ERR_NONE;
	added.name = strings_put_text(&firefox->texts, moment_kinds[moment->kind].name,
	                              firefox->err);
	return added.name != STRING_NONE && append_marker(firefox, &added);
}

static bool add_moments(struct firefox *firefox)
{
	const struct moments *moments = firefox->moments;
	const bool selects = selects_samples(firefox->report);

	for (size_t i = 0; i < moments->count; i++)
		if (!add_moment(firefox, &moments->items[i], selects))
			return false;
	return true;
}

/*
 * Perfetto drops a marker that overlaps one of its thread and name; so those of thread 0, which is
 * on every CPU, are named after the CPU, too.
 */
static uint32_t name_interval(struct firefox *firefox, const struct interval_row *row)
{
	const char *event = report_event_name(firefox->report, row->event);
	char text[200];

	if (row->tid || row->cpu < 0)
		return strings_put_text(&firefox->texts, event, firefox->err);
	snprintf(text, sizeof(text), "%s, CPU %" PRId32, event, row->cpu);
	return strings_put_text(&firefox->texts, text, firefox->err);
}

/* The thread that ended it, or STRING_NONE. */
static uint32_t name_other(struct firefox *firefox, const struct interval_row *row)
{
	char text[200];

	if (!row->has_by)
		return STRING_NONE;
	snprintf(text, sizeof(text), "%s, thread %" PRId32,
	         strings_get(firefox->report->stat->strings, row->by_thread), row->by_tid);
	return strings_put_text(&firefox->texts, text, firefox->err);
}

static bool add_interval(struct firefox *firefox, const struct interval_reader *reader)
{
	const struct report *report = firefox->report;
	const struct strings *strings = report->stat->strings;
	const struct interval_row *row = reader->row;
	char text[CALL_NAME_SIZE];
	const char *result = interval_result_text(strings, row, text);
	struct err *err = firefox->err;
	struct firefox_marker added = { .start = row->time,
		                        .end = row->time + row->duration,
		                        .number = firefox->marker_count,
		                        .name = name_interval(firefox, row),
		                        .by = name_other(firefox, row),
		                        .result = STRING_NONE,
		                        .cpu = row->cpu,
		                        .category = CATEGORY_OTHER };

	added.thread = thread_list_put(&firefox->threads, row->pid, row->tid, err);
	if (added.thread != MAP_NONE)
		firefox->threads.items[added.thread].name = row->thread;
	if (firefox_event_waits(report_event_name(report, row->event)))
		added.category = CATEGORY_WAITING;
	added.what = strings_put_text(&firefox->texts, strings_get(strings, reader->what), err);
	added.function = strings_put_text(
		&firefox->texts, strings_get(strings, report->calls->nodes[reader->node].name),
		err);
	if (result)
		added.result = strings_put_text(&firefox->texts, result, err);
	return err->code == ERR_NONE && append_marker(firefox, &added);
}

/*
 * An event that was recorded shows all intervals, one that is made of intervals its own. `wall` is
 * made of others.
 */
static bool shows_interval(const struct firefox *firefox, const struct interval_reader *reader)
{
	const struct report *report = firefox->report;
	const struct interval_row *row = reader->row;

	return row->state == INTERVAL_ENDED && row->event != report->intervals->engine.wall_event &&
	       interval_reader_is_selected(reader) &&
	       (row->event == firefox->event || !firefox->is_interval);
}

static bool add_intervals(struct firefox *firefox)
{
	struct interval_reader reader;
	bool ok = interval_reader_open(&reader, firefox->report, firefox->err);

	while (ok && reader.row)
		ok = (!shows_interval(firefox, &reader) || add_interval(firefox, &reader)) &&
		     interval_reader_next(&reader, firefox->err);
	interval_reader_close(&reader);
	return ok;
}

bool firefox_take_markers(struct firefox *firefox)
{
	if (!add_moments(firefox) || !add_intervals(firefox))
		return false;
	if (firefox->marker_count)
		qsort(firefox->markers, firefox->marker_count, sizeof(*firefox->markers),
		      compare_markers);
	for (size_t i = 0; i < firefox->marker_count; i++)
		firefox->first = u64_min(firefox->first, firefox->markers[i].start);
	return true;
}

static void print_moment(const struct firefox *firefox, const struct moment *moment)
{
	const char *field = moment_kinds[moment->kind].field;
	FILE *out = firefox->out;

	fprintf(out, "{\"type\":\"%s\"", moment_kinds[moment->kind].name);
	if (field)
		fprintf(out, ",\"%s\":", field);
	if (field && moment_kinds[moment->kind].value == VALUE_TEXT)
		print_json_shown(out,
		                 strings_get(&firefox->moments->names, (uint32_t)moment->what));
	else if (field)
		fprintf(out,
		        moment_kinds[moment->kind].value == VALUE_THREAD ? "\"%" PRIu64 "\""
		                                                         : "%" PRIu64,
		        moment->what);
	fputc('}', out);
}

static void print_interval(FILE *out, const struct firefox_marker *marker)
{
	fprintf(out, "{\"type\":\"interval\",\"what\":%" PRIu32 ",\"function\":%" PRIu32,
	        marker->what, marker->function);
	if (marker->result != STRING_NONE)
		fprintf(out, ",\"result\":%" PRIu32, marker->result);
	if (marker->by != STRING_NONE)
		fprintf(out, ",\"by\":%" PRIu32, marker->by);
	if (marker->cpu >= 0)
		fprintf(out, ",\"cpu\":%" PRId32, marker->cpu);
	fputc('}', out);
}

static void print_data(const struct firefox *firefox, const struct firefox_marker *markers,
                       size_t count)
{
	firefox_begin_list(firefox->out, "data");
	for (size_t i = 0; i < count; i++) {
		fputs(i ? "," : "", firefox->out);
		if (markers[i].moment)
			print_moment(firefox, markers[i].moment);
		else
			print_interval(firefox->out, &markers[i]);
	}
	fputc(']', firefox->out);
}

static void print_times(const struct firefox *firefox, const struct firefox_marker *markers,
                        size_t count)
{
	FILE *out = firefox->out;

	firefox_begin_list(out, "startTime");
	for (size_t i = 0; i < count; i++) {
		fputs(i ? "," : "", out);
		firefox_print_time(firefox, markers[i].start);
	}
	fputc(']', out);
	firefox_begin_list(out, "endTime");
	for (size_t i = 0; i < count; i++) {
		fputs(i ? "," : "", out);
		if (markers[i].end == TIME_NONE)
			fputs("null", out);
		else
			firefox_print_time(firefox, markers[i].end);
	}
	fputc(']', out);
}

/* A marker with an end is an interval. */
void firefox_print_markers(const struct firefox *firefox, const struct firefox_marker *markers,
                           size_t count)
{
	FILE *out = firefox->out;

	fprintf(out, "\"markers\":{\"length\":%zu", count);
	firefox_begin_list(out, "name");
	for (size_t i = 0; i < count; i++)
		fprintf(out, i ? ",%" PRIu32 : "%" PRIu32, markers[i].name);
	fputc(']', out);
	print_times(firefox, markers, count);
	firefox_begin_list(out, "phase");
	for (size_t i = 0; i < count; i++)
		fprintf(out, i ? ",%d" : "%d", markers[i].end != TIME_NONE);
	fputc(']', out);
	firefox_begin_list(out, "category");
	for (size_t i = 0; i < count; i++)
		fprintf(out, i ? ",%d" : "%d", (int)markers[i].category);
	fputc(']', out);
	print_data(firefox, markers, count);
	fputc('}', out);
}

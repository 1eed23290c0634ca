#define _GNU_SOURCE /* fopencookie() */

#include "decode/tables/eventfile.h"

#include "decode/compare/comparison.h"
#include "decode/compare/mergedcalls.h"
#include "util/digits.h"
#include "util/pack.h"
#include "util/text.h"
#include "util/wholeio.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#define NAME_MOST 120 /* bytes of a file's name */
#define EVENT_MOST 81 /* bytes of an event's name in it */

const char *report_event_name(const struct report *report, size_t event)
{
	const struct comparison *comparison = report->comparison;

	if (comparison)
		return strings_get(comparison->strings, comparison->events[event].name);
	return buildstat_event_name(report->session, (uint32_t)event);
}

bool report_event_is_clock(const struct report *report, size_t event)
{
	if (report->comparison)
		return report->comparison->events[event].is_time;
	return buildstat_event_is_clock(report->session, (uint32_t)event);
}

bool report_has_chains(const struct report *report)
{
	if (report->comparison)
		return merged_calls_complete(report->comparison->options.calls);
	return report->totals->chains;
}

bool report_has_places(const struct report *report)
{
	return report->stat->cells.count != 0;
}

bool report_has_processes(const struct report *report)
{
	return !report->comparison || !report->comparison->options.calls->without_processes;
}

static size_t count_events(const struct report *report)
{
	return report->comparison ? report->comparison->event_count
	                          : report->session->event_count + 1;
}

static bool has_samples(const struct report *report, size_t event)
{
	const struct comparison *comparison = report->comparison;
	const struct buildstat *stat = report->stat;

	if (comparison)
		return compare_event_has_samples(&comparison->events[event]);
	return buildstat_totals(stat, event)->selected_samples != 0;
}

/* A file, or what packs it; neither belongs to the stream. */
struct event_stream {
	int fd;
	struct packer *packer; /* NULL: it is not packed */
};

static ssize_t write_stream(void *context, const char *data, size_t size)
{
	const struct event_stream *stream = context;
	int failed;

	if (!stream->packer)
		return write_whole(stream->fd, data, size) ? (ssize_t)size : 0;
	failed = packer_write(stream->packer, data, size);
	if (failed)
		errno = failed;
	return failed ? 0 : (ssize_t)size;
}

static int end_stream(void *context)
{
	const struct event_stream *stream = context;
	const int failed = stream->packer ? packer_end(stream->packer) : 0;

	if (failed)
		errno = failed;
	return failed ? EOF : 0;
}

bool report_file_write(const struct report *report, const char *name, event_writer *writer,
                       size_t event, struct err *err)
{
	const cookie_io_functions_t functions = { .write = write_stream, .close = end_stream };
	struct event_stream stream = { .packer = NULL };
	FILE *out;
	bool ok;

	stream.fd = report->files->open(report->files->context, name, &stream.packer, err);
	if (stream.fd < 0)
		return false;
	out = fopencookie(&stream, "w", functions);
	if (!out)
		return err_errno(err, "%s: cannot write", name);
	errno = 0;
	ok = writer(out, report, event, err);
	if (ferror(out) && ok)
		ok = err_errno(err, "%s: cannot write", name);
	if (fclose(out) != 0 && ok)
		ok = err_errno(err, "%s: cannot write", name);
	return ok;
}

/*
 * An event's name in the name of a file: with only those characters that every file system and
 * archive accepts; FAT and Windows accept no colon.
 */
static void spell_event(char text[EVENT_MOST], const struct report *report, size_t event)
{
	const char *allowed =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+@,=-";

	snprintf(text, EVENT_MOST, "%s", report_event_name(report, event));
	for (; *text; text++)
		if (!strchr(allowed, *text))
			*text = '_';
}

/* Without the ".gz" that is added to the name of a packed file when it is opened. */
static int unpacked_length(const char *name)
{
	return (int)(strlen(name) - (text_ends(name, ".gz") ? strlen(".gz") : 0));
}

/* Writes the name of the file for an event, which is not the first one. */
static void name_file(char file[NAME_MOST], const struct report *report, const struct table *table,
                      size_t event)
{
	const size_t length = strcspn(table->file, "."); /* without the extension */
	const char *extension = table->file + length;
	char text[EVENT_MOST], other[EVENT_MOST], number[24] = "";
	size_t namesakes = 0; /* earlier events with this name where case makes no difference */

	spell_event(text, report, event);
	for (size_t i = 0; i < event; i++) {
		spell_event(other, report, i);
		namesakes += !strcasecmp(text, other);
	}
	/* an event "2-x" must not look like the second one of the name "x" */
	if (namesakes || is_digit(*text))
		snprintf(number, sizeof(number), "-%zu", namesakes + 1);
	snprintf(file, NAME_MOST, "%.*s%s-%s%.*s", (int)length, table->file, number, text,
	         unpacked_length(extension), extension);
}

bool event_files_write(const struct report *report, const struct table *table, struct err *err)
{
	const size_t count = count_events(report);
	char file[NAME_MOST] = "";

	for (size_t event = 0; event < count; event++) {
		const bool first = !*file;

		/* for a recording without samples, one file says so */
		if (!has_samples(report, event) && !(first && event + 1 == count))
			continue;
		if (first)
			snprintf(file, sizeof(file), "%.*s", unpacked_length(table->file),
			         table->file);
		else
			name_file(file, report, table, event);
		if (!report_file_write(report, file, table->write_event, event, err))
			return false;
	}
	return true;
}

#include "decode/tables/schema.h"

#include "decode/tables/buildidsPrinter.h"
#include "decode/tables/counters.h"
#include "decode/tables/eventsPrinter.h"
#include "decode/tables/funcPrinter.h"
#include "decode/tables/headerPrinter.h"
#include "decode/tables/processPrinter.h"
#include "perffile/overview/overviewPrinter.h"

#include <stdio.h>

const struct table tables[TABLE_COUNT] = {
	[TABLE_STAT] = { "stat", STAT_CSV_HEADER },
	[TABLE_OVERVIEW] = { "overview", OVERVIEW_CSV_HEADER },
	[TABLE_PROCESSES] = { "processes", PROCESSES_CSV_HEADER },
	[TABLE_RESULTS] = { "results", RESULTS_CSV_HEADER },
	[TABLE_HEADER] = { "header", HEADER_CSV_HEADER },
	[TABLE_EVENTS] = { "events", EVENTS_CSV_HEADER },
	[TABLE_BUILDIDS] = { "buildids", BUILDIDS_CSV_HEADER },
	[TABLE_LINES] = { "lines", LINES_CSV_HEADER },
	[TABLE_ADDRESSES] = { "addresses", ADDRESSES_CSV_HEADER },
	[TABLE_COUNTERS] = { "counters", COUNTERS_CSV_HEADER },
};

struct column {
	enum table_id table;
	const char *name, *type, *unit, *meaning;
};

/* In the order of the tables and of their columns. */
static const struct column columns[] = {
	{ TABLE_STAT, "record", "text", "", "record type; UNKNOWN_n for one without a name" },
	{ TABLE_STAT, "count", "integer", "records", "how many the recording holds" },
	{ TABLE_STAT, "bytes", "integer", "bytes", "their size, headers included" },
	{ TABLE_OVERVIEW, "nr", "integer", "",
	  "position in the file, from 0, after decompression" },
	{ TABLE_OVERVIEW, "type", "text", "", "record type" },
	{ TABLE_OVERVIEW, "pid", "integer", "",
	  "process; the record's own, else of its sample id" },
	{ TABLE_OVERVIEW, "tid", "integer", "", "thread, likewise" },
	{ TABLE_OVERVIEW, "time", "integer", "ns", "of the recording's clock" },
	{ TABLE_OVERVIEW, "info", "text", "",
	  "depends on the type: a file, a name, an address, a count" },
	{ TABLE_OVERVIEW, "address", "address", "",
	  "start of the mapping, or data address of the sample" },
	{ TABLE_OVERVIEW, "size", "integer", "bytes", "length of the mapping or of the data" },
	{ TABLE_OVERVIEW, "offset", "integer", "bytes",
	  "of the mapping in its file, or of the data" },
	{ TABLE_OVERVIEW, "period", "integer", "events",
	  "that the sample stands for, or value read" },
	{ TABLE_OVERVIEW, "cpu", "integer", "", "where it happened" },
	{ TABLE_OVERVIEW, "event", "text", "", "as the recording names it" },
	{ TABLE_PROCESSES, "pid", "integer", "", "process; -1 holds the kernel's maps" },
	{ TABLE_PROCESSES, "comm", "text", "", "its last name" },
	{ TABLE_PROCESSES, "mmaps", "integer", "records", "its MMAP and MMAP2 records" },
	{ TABLE_PROCESSES, "fork", "integer", "ns", "when it was forked, if recorded" },
	{ TABLE_PROCESSES, "exit", "integer", "ns", "when it exited, if recorded" },
	{ TABLE_PROCESSES, "samples", "integer", "samples", "of the event" },
	{ TABLE_PROCESSES, "period", "integer", "events", "that its samples stand for" },
	{ TABLE_PROCESSES, "event", "text", "", "empty for a process without samples" },
	{ TABLE_PROCESSES, "ppid", "integer", "", "its parent, if recorded" },
	{ TABLE_PROCESSES, "threads", "integer", "threads", "that were seen" },
	{ TABLE_RESULTS, "period", "integer", "events", "that the function's samples stand for" },
	{ TABLE_RESULTS, "samples", "integer", "samples", "in the function" },
	{ TABLE_RESULTS, "source_file", "path", "", "where the function is defined" },
	{ TABLE_RESULTS, "function", "text", "", "its name, or [unknown]" },
	{ TABLE_RESULTS, "binary", "path", "", "as recorded, or [kernel.kallsyms] and the like" },
	{ TABLE_RESULTS, "event", "text", "", "as the recording names it" },
	{ TABLE_RESULTS, "percent", "decimal", "percent", "of the event's whole period" },
	{ TABLE_RESULTS, "symbols", "text", "", "where the name came from, or why there is none" },
	{ TABLE_HEADER, "key", "text", "", "what is told" },
	{ TABLE_HEADER, "value", "text", "", "what the recording says" },
	{ TABLE_EVENTS, "event", "text", "", "as the recording names it" },
	{ TABLE_EVENTS, "type", "text", "", "kind of event, or number of its PMU" },
	{ TABLE_EVENTS, "config", "address", "", "the event's number within its type" },
	{ TABLE_EVENTS, "period", "integer", "events", "between samples, if fixed" },
	{ TABLE_EVENTS, "frequency", "integer", "Hz", "of samples, if that was asked for" },
	{ TABLE_EVENTS, "sample_type", "text", "", "what each sample holds" },
	{ TABLE_EVENTS, "ids", "integer", "", "how many ids it has, one per CPU and thread" },
	{ TABLE_EVENTS, "samples", "integer", "samples", "that were counted for it" },
	{ TABLE_EVENTS, "total_period", "integer", "events", "that these stand for" },
	{ TABLE_EVENTS, "lost", "integer", "samples", "that the recording says were lost" },
	{ TABLE_BUILDIDS, "build_id", "text", "", "lower-case hex" },
	{ TABLE_BUILDIDS, "binary", "path", "", "as recorded" },
	{ TABLE_BUILDIDS, "mode", "text", "", "kernel, user, guest-kernel or guest-user" },
	{ TABLE_LINES, "period", "integer", "events", "that the line's samples stand for" },
	{ TABLE_LINES, "samples", "integer", "samples", "on the line" },
	{ TABLE_LINES, "percent", "decimal", "percent", "of the event's whole period" },
	{ TABLE_LINES, "source_file", "path", "", "that the line is in" },
	{ TABLE_LINES, "line", "integer", "", "its number, from 1" },
	{ TABLE_LINES, "function", "text", "", "its name, or [unknown]" },
	{ TABLE_LINES, "binary", "path", "", "as recorded" },
	{ TABLE_LINES, "event", "text", "", "as the recording names it" },
	{ TABLE_ADDRESSES, "period", "integer", "events", "that the address's samples stand for" },
	{ TABLE_ADDRESSES, "samples", "integer", "samples", "at the address" },
	{ TABLE_ADDRESSES, "percent", "decimal", "percent", "of the event's whole period" },
	{ TABLE_ADDRESSES, "address", "address", "", "as objdump prints it" },
	{ TABLE_ADDRESSES, "function", "text", "", "its name, or [unknown]" },
	{ TABLE_ADDRESSES, "source_file", "path", "", "of the address's line" },
	{ TABLE_ADDRESSES, "line", "integer", "", "its number, from 1" },
	{ TABLE_ADDRESSES, "binary", "path", "", "as recorded" },
	{ TABLE_ADDRESSES, "event", "text", "", "as the recording names it" },
	{ TABLE_COUNTERS, "time", "integer", "ns",
	  "end of the interval; empty in the totals at the end" },
	{ TABLE_COUNTERS, "event", "text", "", "as the recording names it" },
	{ TABLE_COUNTERS, "cpu", "integer", "", "that was counted on" },
	{ TABLE_COUNTERS, "thread", "integer", "", "tid that was counted" },
	{ TABLE_COUNTERS, "value", "integer", "events", "as counted" },
	{ TABLE_COUNTERS, "enabled", "integer", "ns", "that the counter was asked to run" },
	{ TABLE_COUNTERS, "running", "integer", "ns", "that it did run" },
	{ TABLE_COUNTERS, "unit", "text", "", "of the scaled value" },
	{ TABLE_COUNTERS, "scaled", "decimal", "unit",
	  "what the interval added, had it run all the time, in its unit; empty in the totals" },
};

void schema_print(struct csv *csv)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		char file[40];

		snprintf(file, sizeof(file), "%s.csv", tables[columns[i].table].name);
		csv_str(csv, file);
		csv_str(csv, columns[i].name);
		csv_str(csv, columns[i].type);
		csv_str(csv, columns[i].unit);
		csv_str(csv, columns[i].meaning);
		csv_end(csv);
	}
}

/* stat.csv: how many records of each type. */
#include "perffile/overview/overviewPrinter.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const names[PERF_RECORD_TOOL_END] = {
	[PERF_RECORD_MMAP] = "MMAP",
	[PERF_RECORD_LOST] = "LOST",
	[PERF_RECORD_COMM] = "COMM",
	[PERF_RECORD_EXIT] = "EXIT",
	[PERF_RECORD_THROTTLE] = "THROTTLE",
	[PERF_RECORD_UNTHROTTLE] = "UNTHROTTLE",
	[PERF_RECORD_FORK] = "FORK",
	[PERF_RECORD_READ] = "READ",
	[PERF_RECORD_SAMPLE] = "SAMPLE",
	[PERF_RECORD_MMAP2] = "MMAP2",
	[PERF_RECORD_AUX] = "AUX",
	[PERF_RECORD_ITRACE_START] = "ITRACE_START",
	[PERF_RECORD_LOST_SAMPLES] = "LOST_SAMPLES",
	[PERF_RECORD_SWITCH] = "SWITCH",
	[PERF_RECORD_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE",
	[PERF_RECORD_NAMESPACES] = "NAMESPACES",
	[PERF_RECORD_KSYMBOL] = "KSYMBOL",
	[PERF_RECORD_BPF_EVENT] = "BPF_EVENT",
	[PERF_RECORD_CGROUP] = "CGROUP",
	[PERF_RECORD_TEXT_POKE] = "TEXT_POKE",
	[PERF_RECORD_AUX_OUTPUT_HW_ID] = "AUX_OUTPUT_HW_ID",
	[PERF_RECORD_CALLCHAIN_DEFERRED] = "CALLCHAIN_DEFERRED",
	[PERF_RECORD_HEADER_ATTR] = "HEADER_ATTR",
	[PERF_RECORD_HEADER_EVENT_TYPE] = "HEADER_EVENT_TYPE",
	[PERF_RECORD_HEADER_TRACING_DATA] = "HEADER_TRACING_DATA",
	[PERF_RECORD_HEADER_BUILD_ID] = "HEADER_BUILD_ID",
	[PERF_RECORD_FINISHED_ROUND] = "FINISHED_ROUND",
	[PERF_RECORD_ID_INDEX] = "ID_INDEX",
	[PERF_RECORD_AUXTRACE_INFO] = "AUXTRACE_INFO",
	[PERF_RECORD_AUXTRACE] = "AUXTRACE",
	[PERF_RECORD_AUXTRACE_ERROR] = "AUXTRACE_ERROR",
	[PERF_RECORD_THREAD_MAP] = "THREAD_MAP",
	[PERF_RECORD_CPU_MAP] = "CPU_MAP",
	[PERF_RECORD_STAT_CONFIG] = "STAT_CONFIG",
	[PERF_RECORD_STAT] = "STAT",
	[PERF_RECORD_STAT_ROUND] = "STAT_ROUND",
	[PERF_RECORD_EVENT_UPDATE] = "EVENT_UPDATE",
	[PERF_RECORD_TIME_CONV] = "TIME_CONV",
	[PERF_RECORD_HEADER_FEATURE] = "HEADER_FEATURE",
	[PERF_RECORD_COMPRESSED] = "COMPRESSED",
	[PERF_RECORD_FINISHED_INIT] = "FINISHED_INIT",
	[PERF_RECORD_COMPRESSED2] = "COMPRESSED2",
	[PERF_RECORD_BPF_METADATA] = "BPF_METADATA",
	[PERF_RECORD_SCHEDSTAT_CPU] = "SCHEDSTAT_CPU",
	[PERF_RECORD_SCHEDSTAT_DOMAIN] = "SCHEDSTAT_DOMAIN",
};

const char *record_type_name(uint32_t type)
{
	return type < PERF_RECORD_TOOL_END ? names[type] : NULL;
}

static void print_count(struct csv *csv, const struct record_count *count)
{
	char name[32];

	snprintf(name, sizeof(name), "UNKNOWN_%" PRIu32, count->type);
	csv_str(csv, record_type_name(count->type) ? record_type_name(count->type) : name);
	csv_u64(csv, count->count);
	csv_u64(csv, count->bytes);
	csv_end(csv);
}

void stat_print(struct csv *csv, const struct read_summary *summary)
{
	for (uint32_t type = 0; type < RECORD_TYPES; type++)
		if (record_type_name(type))
			print_count(csv, &summary->types[type]);
	for (uint32_t type = 0; type < RECORD_TYPES; type++)
		if (!record_type_name(type) && summary->types[type].count)
			print_count(csv, &summary->types[type]);
	for (size_t i = 0; i < summary->other_count; i++)
		print_count(csv, &summary->others[i]);
}

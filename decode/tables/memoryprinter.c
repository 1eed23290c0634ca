/* memory.csv, cachelines.csv, cacheoffsets.csv: accesses to memory. */
#include "decode/naming/memoryrows.h"
#include "decode/tables/tables.h"

/* A row of one of the tables. */
struct shown {
	const struct report *report;
	const struct memory_row *memory;
	const struct line_row *line;
};

static const struct shown *shown_of(const void *row)
{
	return row;
}

static struct value string(const void *row, uint32_t number)
{
	return value_str(strings_get(shown_of(row)->report->stat->strings, number));
}

static struct value event_name(const void *row, uint32_t event)
{
	return value_str(buildstat_event_name(shown_of(row)->report->session, event));
}

#define MEMORY_TEXT(name, member)                                  \
	static struct value memory_##name(const void *row)         \
	{                                                          \
		return string(row, shown_of(row)->memory->member); \
	}
#define MEMORY_SUM(name, member)                                     \
	static struct value memory_##name(const void *row)           \
	{                                                            \
		return value_u64(shown_of(row)->memory->sum.member); \
	}

MEMORY_TEXT(function, function)
MEMORY_TEXT(binary, binary)
MEMORY_TEXT(data_symbol, data_symbol)
MEMORY_TEXT(data_binary, data_binary)
MEMORY_TEXT(operation, words[DATA_OPERATION])
MEMORY_TEXT(level, words[DATA_LEVEL])
MEMORY_TEXT(snoop, words[DATA_SNOOP])
MEMORY_TEXT(tlb, words[DATA_TLB])
MEMORY_TEXT(locked, words[DATA_LOCKED])
MEMORY_TEXT(blocked, words[DATA_BLOCKED])
MEMORY_SUM(period, period)
MEMORY_SUM(samples, samples)
MEMORY_SUM(weight, weight)
MEMORY_SUM(weight_max, weight_max)

VALUE(shown, memory_event, event_name(row, row->memory->event));

static bool has_parts(const void *row)
{
	return memorystat_has_parts(shown_of(row)->report->session, shown_of(row)->memory->event);
}

VALUE(shown, memory_latency_cache, value_if(has_parts(row), value_u64(row->memory->sum.second)));
VALUE(shown, memory_latency_tlb, value_if(has_parts(row), value_u64(row->memory->sum.third)));

static bool print_memory(struct table_writer *out, const struct report *report, struct err *err)
{
	const struct memory_rows *rows = report->memory;

	(void)err;
	for (size_t i = 0; i < rows->row_count; i++)
		table_row(out, &(struct shown){ .report = report, .memory = &rows->rows[i] });
	return true;
}

static bool has_accesses(const struct report *report)
{
	return report->stat->memory.accesses.count != 0;
}

static const struct column memory_columns[] = {
	{ "function", COLUMN_TEXT, "", "that accesses the data, or [unknown]", 4, memory_function },
	{ "binary", COLUMN_PATH, "", "as recorded", 15, memory_binary },
	{ "data_symbol", COLUMN_TEXT, "",
	  "object that is accessed, or [heap], [stack], [anon], [file], [unknown]", 3,
	  memory_data_symbol },
	{ "data_binary", COLUMN_PATH, "", "that the data is in", 16, memory_data_binary },
	{ "operation", COLUMN_TEXT, "", "load, store, prefetch, exec", 5, memory_operation },
	{ "level", COLUMN_TEXT, "", "of memory, where the data was: L1, RAM and others", 6,
	  memory_level },
	{ "snoop", COLUMN_TEXT, "", "in other caches: none, hit, miss, hitm, fwd, peer", 7,
	  memory_snoop },
	{ "tlb", COLUMN_TEXT, "", "that had the address: L1, L2, walker, fault", 8, memory_tlb },
	{ "locked", COLUMN_TEXT, "", "yes or no: an atomic operation", 9, memory_locked },
	{ "blocked", COLUMN_TEXT, "", "why the load had to wait: data, address", 10,
	  memory_blocked },
	{ "event", COLUMN_TEXT, "", "as the recording names it", 17, memory_event },
	{ "period", COLUMN_INTEGER, "events", "that the samples stand for", 14, memory_period },
	{ "samples", COLUMN_INTEGER, "samples", "of these accesses", 2, memory_samples },
	{ "weight", COLUMN_INTEGER, "", "sum over the samples, mostly cycles", 1, memory_weight },
	{ "weight_max", COLUMN_INTEGER, "", "the largest of a sample", 11, memory_weight_max },
	{ "latency_cache", COLUMN_INTEGER, "", "sum of the second part of weights that have three",
	  12, memory_latency_cache },
	{ "latency_tlb", COLUMN_INTEGER, "", "sum of the third part of weights that have three", 13,
	  memory_latency_tlb },
};

const struct table memory_table = {
	.format = FORMAT_OF("memory", memory_columns),
	.needs = NEEDS_NAMES | NEEDS_MEMORY,
	.can_fill = has_accesses,
	.print = print_memory,
};

#define LINE_COUNT(name, member)                               \
	static struct value line_##name(const void *row)       \
	{                                                      \
		return value_u64(shown_of(row)->line->member); \
	}

LINE_COUNT(samples, counts.samples)
LINE_COUNT(loads, counts.loads)
LINE_COUNT(stores, counts.stores)
LINE_COUNT(local_hitm, counts.local_hitm)
LINE_COUNT(remote_hitm, counts.remote_hitm)
LINE_COUNT(local_peer, counts.local_peer)
LINE_COUNT(remote_peer, counts.remote_peer)
LINE_COUNT(l1, counts.l1)
LINE_COUNT(lfb, counts.lfb)
LINE_COUNT(l2, counts.l2)
LINE_COUNT(llc, counts.llc)
LINE_COUNT(local_dram, counts.local_dram)
LINE_COUNT(remote_dram, counts.remote_dram)
LINE_COUNT(threads, threads)
LINE_COUNT(functions, functions)
LINE_COUNT(offsets, offsets)
LINE_COUNT(weight, weight)
LINE_COUNT(offset, offset)

VALUE(shown, line_cpus, value_if(row->line->cpus != 0, value_u64(row->line->cpus)));

static struct value line_pid(const void *row)
{
	const struct line_row *line = shown_of(row)->line;

	return value_if(line->pid >= 0, value_i64(line->pid));
}

VALUE(shown, line_address, value_address(row->line->line));

static struct value line_physical(const void *row)
{
	const uint64_t physical = shown_of(row)->line->physical;

	return value_if(physical != 0, value_address(physical));
}

static struct value line_nodes(const void *row)
{
	const uint32_t nodes = shown_of(row)->line->nodes;

	return value_if(nodes != 0, value_u64(nodes));
}

VALUE(shown, line_data_symbol, string(row, row->line->data_symbol));
VALUE(shown, line_data_binary, string(row, row->line->data_binary));
VALUE(shown, line_function, string(row, row->line->function));
VALUE(shown, line_binary, string(row, row->line->binary));
VALUE(shown, line_event, event_name(row, row->line->event));

static void print_line_rows(struct table_writer *out, const struct report *report,
                            const struct line_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		table_row(out, &(struct shown){ .report = report, .line = &rows[i] });
}

static bool print_lines(struct table_writer *out, const struct report *report, struct err *err)
{
	(void)err;
	print_line_rows(out, report, report->memory->lines, report->memory->line_count);
	return true;
}

static bool print_offsets(struct table_writer *out, const struct report *report, struct err *err)
{
	const struct memory_rows *memory = report->memory;

	(void)err;
	for (size_t i = 0; i < memory->line_count; i++)
		print_line_rows(out, report, &memory->offsets[memory->lines[i].first_row],
		                memory->lines[i].row_count);
	return true;
}

static const struct column cachelines_columns[] = {
	{ "pid", COLUMN_INTEGER, "", "process; empty: of the kernel, or of several that share it",
	  4, line_pid },
	{ "cache_line", COLUMN_ADDRESS, "", "address of the line", 5, line_address },
	{ "physical", COLUMN_ADDRESS, "", "its physical address, if recorded", 0, line_physical },
	{ "data_symbol", COLUMN_TEXT, "", "object with most weight in it", 6, line_data_symbol },
	{ "data_binary", COLUMN_PATH, "", "that the data is in", 0, line_data_binary },
	{ "event", COLUMN_TEXT, "", "as the recording names it", 0, line_event },
	{ "samples", COLUMN_INTEGER, "samples", "that access the line", 3, line_samples },
	{ "loads", COLUMN_INTEGER, "samples", "that load from it", 9, line_loads },
	{ "stores", COLUMN_INTEGER, "samples", "that store to it", 10, line_stores },
	{ "local_hitm", COLUMN_INTEGER, "samples",
	  "loads of what another core of the node had modified", 1, line_local_hitm },
	{ "remote_hitm", COLUMN_INTEGER, "samples", "loads of what another node had modified", 2,
	  line_remote_hitm },
	{ "local_peer", COLUMN_INTEGER, "samples", "loads from a cache of a peer in the node", 0,
	  line_local_peer },
	{ "remote_peer", COLUMN_INTEGER, "samples", "loads from a cache of a peer elsewhere", 0,
	  line_remote_peer },
	{ "l1", COLUMN_INTEGER, "samples", "loads that hit L1", 0, line_l1 },
	{ "lfb", COLUMN_INTEGER, "samples", "loads that hit the line fill buffer", 0, line_lfb },
	{ "l2", COLUMN_INTEGER, "samples", "loads that hit L2", 0, line_l2 },
	{ "llc", COLUMN_INTEGER, "samples", "loads that hit L3, not modified by others", 0,
	  line_llc },
	{ "local_dram", COLUMN_INTEGER, "samples", "loads from memory of the node", 0,
	  line_local_dram },
	{ "remote_dram", COLUMN_INTEGER, "samples", "loads from memory of another node", 0,
	  line_remote_dram },
	{ "threads", COLUMN_INTEGER, "", "how many threads access it", 7, line_threads },
	{ "cpus", COLUMN_INTEGER, "", "how many CPUs do, if recorded", 0, line_cpus },
	{ "nodes", COLUMN_INTEGER, "", "how many NUMA nodes these are in, if recorded", 0,
	  line_nodes },
	{ "functions", COLUMN_INTEGER, "", "how many functions do", 0, line_functions },
	{ "offsets", COLUMN_INTEGER, "", "how many different offsets are accessed", 8,
	  line_offsets },
	{ "weight", COLUMN_INTEGER, "", "sum over the samples, mostly cycles", 0, line_weight },
};

const struct table cachelines_table = {
	.format = FORMAT_OF("cachelines", cachelines_columns),
	.needs = NEEDS_NAMES | NEEDS_MEMORY,
	.can_fill = has_accesses,
	.print = print_lines,
};

static const struct column cacheoffsets_columns[] = {
	{ "pid", COLUMN_INTEGER, "", "process; empty: of the kernel", 0, line_pid },
	{ "cache_line", COLUMN_ADDRESS, "", "address of the line", 0, line_address },
	{ "offset", COLUMN_INTEGER, "bytes", "in the line", 0, line_offset },
	{ "function", COLUMN_TEXT, "", "that accesses it, or [unknown]", 0, line_function },
	{ "binary", COLUMN_PATH, "", "as recorded", 0, line_binary },
	{ "event", COLUMN_TEXT, "", "as the recording names it", 0, line_event },
	{ "loads", COLUMN_INTEGER, "samples", "that load from it", 0, line_loads },
	{ "stores", COLUMN_INTEGER, "samples", "that store to it", 0, line_stores },
	{ "local_hitm", COLUMN_INTEGER, "samples",
	  "loads of what another core of the node had modified", 0, line_local_hitm },
	{ "remote_hitm", COLUMN_INTEGER, "samples", "loads of what another node had modified", 0,
	  line_remote_hitm },
	{ "threads", COLUMN_INTEGER, "", "how many threads access it", 0, line_threads },
	{ "cpus", COLUMN_INTEGER, "", "how many CPUs do, if recorded", 0, line_cpus },
	{ "weight", COLUMN_INTEGER, "", "sum over the samples, mostly cycles", 0, line_weight },
};

const struct table cacheoffsets_table = {
	.format = FORMAT_OF("cacheoffsets", cacheoffsets_columns),
	.needs = NEEDS_NAMES | NEEDS_MEMORY,
	.can_fill = has_accesses,
	.print = print_offsets,
};

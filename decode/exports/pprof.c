/*
 * profile.pb.gz: all events in pprof's format (profile.proto of github.com/google/pprof).
 *
 *   Profile -> Sample   a stack of a thread: numbers of Locations, the innermost first; the
 *                       number of samples, and a period per event
 *           -> Location a place: its Mapping (binary), its Lines, the innermost function first
 *           -> Function, string_table
 */
#define _GNU_SOURCE /* qsort_r() */
#include "decode/exports/protobuf.h"
#include "decode/exports/stackranks.h"
#include "decode/tables/eventfile.h"
#include "perffile/session/features.h"
#include "util/pack.h"
#include "util/path.h"
#include "util/text.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of fields: those of the messages in profile.proto. */
enum profile_field {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING_TABLE = 6,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_DEFAULT_SAMPLE_TYPE = 14,
};
enum value_type_field { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT = 2 };
enum sample_field { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum label_field { LABEL_KEY = 1, LABEL_STR = 2, LABEL_NUM = 3 };
enum mapping_field {
	MAPPING_ID = 1,
	MAPPING_MEMORY_LIMIT = 3,
	MAPPING_FILENAME = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7,
};
enum location_field {
	LOCATION_ID = 1,
	LOCATION_MAPPING_ID = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
};
enum line_field { LINE_FUNCTION_ID = 1, LINE_LINE = 2 };
enum function_field { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_FILENAME = 4 };

struct profile {
	const struct report *report;
	FILE *out;
	struct strings strings; /* string_table: number 0 is "" */
	struct map locations;   /* numbers of those put together so far, see is_first() */
	struct map functions;
	struct protobuf fields;  /* those of the profile itself that are not written yet */
	struct protobuf message; /* one of them; empty between uses, as those below */
	struct protobuf part;    /* a part of it, or a function that it needs */
	struct protobuf list;    /* of a sample's locations or values */
	uint32_t *ranks;         /* see stack_ranks() */
	char *text;              /* buffer for an escaped text */
	size_t text_size;
	struct err *err; /* once it is set, what is written does not matter */
};

/* The index of a text in the string table; 0 with err set when memory is refused. */
static uint64_t text_index(struct profile *profile, const char *text)
{
	size_t length = strlen(text);
	uint32_t number;

	if (!vec_reserve(&profile->text, 4 * length + 1, &profile->text_size, 1, profile->err))
		return 0;
	length = (size_t)(format_shown(profile->text, text, length) - profile->text);
	number = strings_put(&profile->strings, profile->text, length, profile->err);
	return number == STRING_NONE ? 0 : number;
}

static uint64_t string_index(struct profile *profile, uint32_t string)
{
	return text_index(profile, strings_get(profile->report->stat->strings, string));
}

/* Writes what has been put together so far. */
static void write_fields(struct profile *profile)
{
	fwrite(profile->fields.bytes, 1, profile->fields.count, profile->out);
	profile->fields.count = 0;
}

static void write_value_type(struct profile *profile, unsigned field, const char *type,
                             const char *unit)
{
	protobuf_put_number(&profile->message, VALUE_TYPE_TYPE, text_index(profile, type));
	protobuf_put_number(&profile->message, VALUE_TYPE_UNIT, text_index(profile, unit));
	protobuf_put_part(&profile->fields, field, &profile->message);
}

static const char *unit_of(const struct report *report, size_t event)
{
	return report_event_is_clock(report, event) ? "nanoseconds" : "count";
}

/*
 * The number of sample types besides samples: the period of each event; the last one is for an
 * unknown event.
 */
static size_t count_events(const struct report *report)
{
	const size_t known = report->totals->event_count - 1;

	return known + (buildstat_totals(report->stat, EVENT_UNKNOWN)->samples != 0);
}

static void write_types(struct profile *profile)
{
	const struct report *report = profile->report;

	write_value_type(profile, PROFILE_SAMPLE_TYPE, "samples", "count");
	for (size_t event = 0; event < count_events(report); event++)
		write_value_type(profile, PROFILE_SAMPLE_TYPE, report_event_name(report, event),
		                 unit_of(report, event));
}

/* The process that has most samples, or NULL. */
static const struct process *busiest_process(const struct buildstat *stat)
{
	const struct sums *sums = &stat->process_sums;
	const struct sum *most = NULL;

	for (size_t i = 0; i < sums->count; i++)
		if (!most || sums->items[i].samples > most->samples)
			most = &sums->items[i];
	return most ? &stat->processes.items[most->number] : NULL;
}

/* Whether the file has the name of a process, which the kernel cuts after 15 bytes. */
static bool is_named_like(const struct buildstat *stat, const struct binary *binary,
                          const struct process *process)
{
	const char *name = path_base(strings_get(stat->strings, binary->name));

	return process && !strncmp(name, strings_get(stat->strings, process->comm), 15);
}

/*
 * The number of the program's file, which pprof calls the profile by: of the files, the one with
 * the name of the process that has most samples; else the one with most samples. 0: none.
 */
static size_t find_program(const struct buildstat *stat, struct err *err)
{
	const struct process *process = busiest_process(stat);
	uint64_t *samples = vec_new(stat->binaries.count, sizeof(*samples), err);
	size_t best = 0;
	bool best_is_named = false;

	if (!samples)
		return 0;
	for (size_t i = 0; i < stat->cells.count; i++) {
		uint32_t place = cell_place(&stat->cells.items[i]);

		samples[stat->places.ranges[places_range(&stat->places, place)].binary] +=
			stat->cells.items[i].samples;
	}
	for (size_t i = 1; i < stat->binaries.count; i++) {
		const bool named = is_named_like(stat, &stat->binaries.items[i], process);

		if (stat->binaries.items[i].kind != BINARY_FILE)
			continue;
		if (named == best_is_named ? samples[i] > samples[best] : named) {
			best = i;
			best_is_named = named;
		}
	}
	free(samples);
	return best;
}

static void write_mapping(struct profile *profile, size_t number)
{
	const struct binary *binary = &profile->report->stat->binaries.items[number];
	struct protobuf *message = &profile->message;
	char hex[2 * PERF_BUILD_ID_SIZE + 1];

	build_id_format(&binary->build_id, hex);
	protobuf_put_number(message, MAPPING_ID, number);
	protobuf_put_number(message, MAPPING_MEMORY_LIMIT, UINT64_MAX);
	protobuf_put_number(message, MAPPING_FILENAME, string_index(profile, binary->name));
	if (binary->build_id.size)
		protobuf_put_number(message, MAPPING_BUILD_ID, text_index(profile, hex));
	protobuf_put_number(message, MAPPING_HAS_FUNCTIONS, 1);
	protobuf_put_part(&profile->fields, PROFILE_MAPPING, message);
}

/* A mapping for each binary: its number, from 1 on, as binary 0 is none. The program is first. */
static void write_mappings(struct profile *profile)
{
	const struct buildstat *stat = profile->report->stat;
	const size_t program = find_program(stat, profile->err);

	if (program)
		write_mapping(profile, program);
	for (size_t i = 1; i < stat->binaries.count; i++)
		if (i != program)
			write_mapping(profile, i);
}

/* Whether the location or function with that number is used for the first time. */
static bool is_first(struct profile *profile, struct map *used, uint64_t id)
{
	return map_get(used, id) == MAP_NONE && map_put(used, id, 0, profile->err);
}

/*
 * Adds to a location a line of a function, which is written to the profile at its first use. id:
 * the function's number; name, file: strings of the recording. The field for the linker's name
 * stays empty: if it had the same name, pprof would take that for one to be shortened, and merge
 * the instances of a template.
 */
static void put_line(struct profile *profile, uint64_t id, uint32_t name, uint32_t file,
                     uint32_t line)
{
	if (is_first(profile, &profile->functions, id)) {
		protobuf_put_number(&profile->part, FUNCTION_ID, id);
		protobuf_put_number(&profile->part, FUNCTION_NAME, string_index(profile, name));
		protobuf_put_number(&profile->part, FUNCTION_FILENAME, string_index(profile, file));
		protobuf_put_part(&profile->fields, PROFILE_FUNCTION, &profile->part);
	}
	protobuf_put_number(&profile->part, LINE_FUNCTION_ID, id);
	protobuf_put_number(&profile->part, LINE_LINE, line);
	protobuf_put_part(&profile->message, LOCATION_LINE, &profile->part);
}

static void put_place_line(struct profile *profile, uint32_t function, uint32_t line)
{
	const struct function_name *functions = profile->report->names->functions;
	const uint32_t alike = functions[function].alike;

	put_line(profile, (uint64_t)alike + 1, functions[alike].name, functions[alike].file, line);
}

/* The number of the location for a place: that of the place plus one. */
static uint64_t write_place(struct profile *profile, uint32_t number)
{
	const struct place_names *names = profile->report->names;
	const struct places *places = &profile->report->stat->places;
	const struct place_name *place = &names->places[number];
	uint64_t id = (uint64_t)number + 1;

	if (!is_first(profile, &profile->locations, id))
		return id;
	protobuf_put_number(&profile->message, LOCATION_ID, id);
	protobuf_put_number(&profile->message, LOCATION_MAPPING_ID,
	                    places->ranges[places_range(places, number)].binary);
	protobuf_put_number(&profile->message, LOCATION_ADDRESS, place->link_addr);
	if (place->frames == PLACE_NO_FRAMES)
		put_place_line(profile, place->function, place->line);
	for (uint32_t i = place->frames; i != PLACE_NO_FRAMES; i++) {
		put_place_line(profile, names->frames[i].function, names->frames[i].line);
		if (names->frames[i].outermost)
			break;
	}
	protobuf_put_part(&profile->fields, PROFILE_LOCATION, &profile->message);
	return id;
}

/* The same for a remark such as "[cut]". */
static uint64_t write_remark(struct profile *profile, uint32_t name)
{
	/* above those of places, and the same however many strings the recording has */
	const uint64_t id = (uint64_t)1 << 40 | string_index(profile, name);

	if (!is_first(profile, &profile->locations, id))
		return id;
	protobuf_put_number(&profile->message, LOCATION_ID, id);
	put_line(profile, id, name, STRING_EMPTY, 0);
	protobuf_put_part(&profile->fields, PROFILE_LOCATION, &profile->message);
	return id;
}

static void put_frame(struct profile *profile, uint32_t frame)
{
	const struct stackstat *stacks = profile->report->stat->stacks;
	const uint32_t binary = stacks->tree.frames[frame].binary;

	if (binary == stacks->tree.folded)
		protobuf_put_varint(
			&profile->list,
			write_remark(profile, profile->report->stat->binaries.items[binary].name));
	else if (stacks->places[frame] != PLACE_NONE)
		protobuf_put_varint(&profile->list, write_place(profile, stacks->places[frame]));
}

/* Lists the numbers of a stack's locations, the innermost first. */
static void put_locations(struct profile *profile, const struct stack_cell *cell)
{
	const struct stackstat *stacks = profile->report->stat->stacks;
	const struct call_tree *calls = profile->report->calls;
	struct stack_walk walk = stack_walk_from(&stacks->tree, cell->callers);
	uint32_t frame, root;

	protobuf_put_varint(&profile->list, write_place(profile, stack_cell_place(cell)));
	while (stack_walk_next(&walk, &frame))
		put_frame(profile, frame);
	root = calls->node_of_end[walk.node];
	if (root != CALL_NODE_NONE)
		protobuf_put_varint(&profile->list, write_remark(profile, calls->nodes[root].name));
}

static void put_label(struct profile *profile, const char *key, uint64_t text, int32_t number)
{
	protobuf_put_number(&profile->part, LABEL_KEY, text_index(profile, key));
	protobuf_put_number(&profile->part, LABEL_STR, text);
	protobuf_put_number(&profile->part, LABEL_NUM, (uint64_t)(int64_t)number);
	protobuf_put_part(&profile->message, SAMPLE_LABEL, &profile->part);
}

/* Cells of the same sample become neighbours. */
static int compare_profile_cells(const void *first, const void *second, void *context)
{
	const struct profile *profile = context;
	const struct buildstat *stat = profile->report->stat;
	const struct stack_cell *a = *(const struct stack_cell *const *)first;
	const struct stack_cell *b = *(const struct stack_cell *const *)second;
	const struct stack_group *x = stackstat_group(stat->stacks, a);
	const struct stack_group *y = stackstat_group(stat->stacks, b);
	int order = u64_order(profile->ranks[a->callers], profile->ranks[b->callers]);

	if (!order)
		order = u64_order(stack_cell_place(a), stack_cell_place(b));
	if (order)
		return order;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return strcmp(strings_get(stat->strings, x->comm), strings_get(stat->strings, y->comm));
}

/* values: the number of samples, then the period of each event. */
static void write_sample(struct profile *profile, const struct stack_cell *cell,
                         const uint64_t *values)
{
	const struct stack_group *group = stackstat_group(profile->report->stat->stacks, cell);
	const size_t value_count = count_events(profile->report) + 1;

	put_locations(profile, cell);
	protobuf_put_part(&profile->message, SAMPLE_LOCATION_ID, &profile->list);
	for (size_t i = 0; i < value_count; i++)
		protobuf_put_varint(&profile->list, values[i]);
	protobuf_put_part(&profile->message, SAMPLE_VALUE, &profile->list);
	put_label(profile, "comm", string_index(profile, group->comm), 0);
	put_label(profile, "pid", 0, group->pid);
	put_label(profile, "tid", 0, group->tid);
	protobuf_put_part(&profile->fields, PROFILE_SAMPLE, &profile->message);
	write_fields(profile);
}

static void write_samples(struct profile *profile)
{
	const struct stackstat *stacks = profile->report->stat->stacks;
	const size_t events = profile->report->totals->event_count;
	const struct stack_cells *cells = &stacks->cells;
	const struct stack_cell **sorted = vec_new(cells->count, sizeof(*sorted), profile->err);
	uint64_t *values = vec_new(events + 1, sizeof(*values), profile->err);
	size_t count = 0;

	profile->ranks = stack_ranks(&stacks->tree, profile->err);
	for (size_t i = 0; profile->err->code == ERR_NONE && i < cells->count; i++)
		if (cells->items[i].samples)
			sorted[count++] = &cells->items[i];
	if (count)
		qsort_r(sorted, count, sizeof(*sorted), compare_profile_cells, profile);
	for (size_t i = 0; profile->err->code == ERR_NONE && i < count; i++) {
		const struct stack_cell *cell = sorted[i];
		size_t event = call_event_of(profile->report->session,
		                             stackstat_group(stacks, cell)->event);

		values[0] += cell->samples;
		values[1 + event] += cell->period;
		if (i + 1 < count && !compare_profile_cells(&sorted[i], &sorted[i + 1], profile))
			continue;
		write_sample(profile, cell, values);
		memset(values, 0, (events + 1) * sizeof(*values));
	}
	free(sorted);
	free(values);
}

/* The first event with samples. */
static size_t default_event(const struct buildstat *stat)
{
	size_t event = 0;

	while (event + 1 < stat->session->event_count && !buildstat_totals(stat, event)->samples)
		event++;
	return event;
}

/* The time of the first sample in ns since 1970; 0 if the recording has no clock data. */
static uint64_t wall_time(const struct report *report, struct err *err)
{
	struct clock_data clock;
	uint64_t first = report->summary->first_time;

	if (!features_clock_data(report->session, &clock, err) || !clock.present ||
	    first == TIME_NONE)
		return 0;
	return clock.wall_time + (first - clock.clock_time);
}

/* Writes start, duration and period, and the sample type that pprof shows by default. */
static void write_times(struct profile *profile)
{
	const struct report *report = profile->report;
	const struct read_summary *summary = report->summary;
	const size_t event = default_event(report->stat);
	const struct event_totals *total = buildstat_totals(report->stat, event);
	struct protobuf *fields = &profile->fields;

	write_value_type(profile, PROFILE_PERIOD_TYPE, report_event_name(report, event),
	                 unit_of(report, event));
	protobuf_put_number(fields, PROFILE_TIME_NANOS, wall_time(report, profile->err));
	if (summary->first_time != TIME_NONE)
		protobuf_put_number(fields, PROFILE_DURATION_NANOS,
		                    summary->last_time - summary->first_time);
	/* the mean, where a frequency was asked for */
	protobuf_put_number(fields, PROFILE_PERIOD,
	                    total->samples ? total->period / total->samples : 0);
	protobuf_put_number(fields, PROFILE_DEFAULT_SAMPLE_TYPE,
	                    text_index(profile, report_event_name(report, event)));
}

static void write_strings(struct profile *profile)
{
	for (size_t i = 0; i < profile->strings.count; i++)
		protobuf_put_bytes(&profile->fields, PROFILE_STRING_TABLE,
		                   profile->strings.entries[i].text,
		                   profile->strings.entries[i].length);
}

static bool write_profile(FILE *out, const struct report *report, size_t event, struct err *err)
{
	struct profile profile = { .report = report,
		                   .out = out,
		                   .fields.err = err,
		                   .message.err = err,
		                   .part.err = err,
		                   .list.err = err,
		                   .err = err };

	(void)event;
	if (strings_init(&profile.strings, err)) {
		if (report->stat->stacks) {
			write_types(&profile);
			write_mappings(&profile);
			write_samples(&profile);
		}
		write_times(&profile);
		write_strings(&profile);
		write_fields(&profile);
	}
	map_release(&profile.locations);
	map_release(&profile.functions);
	strings_release(&profile.strings);
	free(profile.fields.bytes);
	free(profile.message.bytes);
	free(profile.part.bytes);
	free(profile.list.bytes);
	free(profile.ranks);
	free(profile.text);
	return err->code == ERR_NONE;
}

static bool print_pprof(struct table_writer *out, const struct report *report, struct err *err)
{
	(void)out;
	return report_file_write(report, "profile.pb", write_profile, 0, err);
}

/* With "all", no profile is written if this build cannot pack it. */
static bool can_write_profile(const struct report *report)
{
	struct err ignored = { 0 };

	return report_has_chains(report) && pack_check(PACK_GZIP, &ignored);
}

const struct table pprof_table = {
	.format = FORMAT_OF_FILE("pprof"),
	.file = "profile.pb.gz",
	.content = "all events, stacks and threads as go tool pprof reads them",
	.needs = NEEDS_NAMES | NEEDS_STACKS | NEEDS_EVERY_STACK | NEEDS_THREADS,
	.can_fill = can_write_profile,
	.print = print_pprof,
};

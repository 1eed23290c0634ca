/*
 * profile.pb.gz: all events in pprof's format (profile.proto of github.com/google/pprof). The
 * protocol buffers are written by hand.
 *
 *   Profile -> Sample   a stack of a thread: numbers of Locations, the innermost first; the
 *                       number of samples, and a period per event
 *           -> Location a place: its Mapping (binary), its Lines, the innermost function first
 *           -> Function, string_table
 */
#define _GNU_SOURCE /* qsort_r() */
#include "decode/tables/eventfile.h"
#include "perffile/session/features.h"
#include "util/depthfirst.h"
#include "util/pack.h"
#include "util/path.h"
#include "util/text.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* The bytes of one message. */
struct message {
	uint8_t *bytes;
	size_t count, capacity;
	struct err *err; /* that of the profile */
};

struct profile {
	const struct report *report;
	FILE *out;
	struct strings strings; /* string_table: number 0 is "" */
	struct map locations;   /* numbers of those put together so far, see is_first() */
	struct map functions;
	struct message fields;  /* those of the profile itself that are not written yet */
	struct message message; /* one of them; empty between uses, as those below */
	struct message part;    /* a part of it, or a function that it needs */
	struct message list;    /* of a sample's locations or values */
	uint32_t *ranks;        /* see stack_ranks() */
	char *text;             /* buffer for an escaped text */
	size_t text_size;
	struct err *err; /* once it is set, what is written does not matter */
};

enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };

static void put_byte(struct message *message, uint8_t byte)
{
	if (vec_room(&message->bytes, message->count, &message->capacity, 1, message->err))
		message->bytes[message->count++] = byte;
}

static void put_varint(struct message *message, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		put_byte(message, (uint8_t)(value | 0x80));
	put_byte(message, (uint8_t)value);
}

static void put_number(struct message *message, unsigned field, uint64_t value)
{
	if (!value)
		return; /* nothing more will be added */
	put_varint(message, field << 3 | WIRE_VARINT);
	put_varint(message, value);
}

static void put_bytes(struct message *message, unsigned field, const void *bytes, size_t count)
{
	put_varint(message, field << 3 | WIRE_BYTES);
	put_varint(message, count);
	if (!count || !vec_reserve(&message->bytes, message->count + count, &message->capacity, 1,
	                           message->err))
		return;
	memcpy(message->bytes + message->count, bytes, count);
	message->count += count;
}

/* Moves the part into the message. */
static void put_part(struct message *message, unsigned field, struct message *part)
{
	put_bytes(message, field, part->bytes, part->count);
	part->count = 0;
}

/* The index of a text in the string table; 0 with err set when memory is refused. */
static uint64_t text_index(struct profile *profile, const char *text)
{
	size_t length = strlen(text);
	uint32_t number;

	if (!vec_reserve(&profile->text, 4 * length + 1, &profile->text_size, 1, profile->err))
		return 0;
	length = (size_t)(format_escaped(profile->text, text, length) - profile->text);
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
	put_number(&profile->message, 1, text_index(profile, type));
	put_number(&profile->message, 2, text_index(profile, unit));
	put_part(&profile->fields, field, &profile->message);
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

	write_value_type(profile, 1, "samples", "count");
	for (size_t event = 0; event < count_events(report); event++)
		write_value_type(profile, 1, report_event_name(report, event),
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
	struct message *message = &profile->message;
	char hex[2 * PERF_BUILD_ID_SIZE + 1];

	build_id_format(&binary->build_id, hex);
	put_number(message, 1, number);
	put_number(message, 3, UINT64_MAX);
	put_number(message, 5, string_index(profile, binary->name));
	if (binary->build_id.size)
		put_number(message, 6, text_index(profile, hex));
	put_number(message, 7, 1);
	put_part(&profile->fields, 3, message);
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
		put_number(&profile->part, 1, id);
		put_number(&profile->part, 2, string_index(profile, name));
		put_number(&profile->part, 4, string_index(profile, file));
		put_part(&profile->fields, 5, &profile->part);
	}
	put_number(&profile->part, 1, id);
	put_number(&profile->part, 2, line);
	put_part(&profile->message, 4, &profile->part);
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
	put_number(&profile->message, 1, id);
	put_number(&profile->message, 2, places->ranges[places_range(places, number)].binary);
	put_number(&profile->message, 3, place->link_addr);
	if (place->frames == PLACE_NO_FRAMES)
		put_place_line(profile, place->function, place->line);
	for (uint32_t i = place->frames; i != PLACE_NO_FRAMES; i++) {
		put_place_line(profile, names->frames[i].function, names->frames[i].line);
		if (names->frames[i].outermost)
			break;
	}
	put_part(&profile->fields, 4, &profile->message);
	return id;
}

/* The same for a remark such as "[cut]". */
static uint64_t write_remark(struct profile *profile, uint32_t name)
{
	/* above those of places, and the same however many strings the recording has */
	const uint64_t id = (uint64_t)1 << 40 | string_index(profile, name);

	if (!is_first(profile, &profile->locations, id))
		return id;
	put_number(&profile->message, 1, id);
	put_line(profile, id, name, STRING_EMPTY, 0);
	put_part(&profile->fields, 4, &profile->message);
	return id;
}

static void put_frame(struct profile *profile, uint32_t frame)
{
	const struct stackstat *stacks = profile->report->stat->stacks;
	const uint32_t binary = stacks->tree.frames[frame].binary;

	if (binary == stacks->tree.folded)
		put_varint(
			&profile->list,
			write_remark(profile, profile->report->stat->binaries.items[binary].name));
	else if (stacks->places[frame] != PLACE_NONE)
		put_varint(&profile->list, write_place(profile, stacks->places[frame]));
}

/* Lists the numbers of a stack's locations, the innermost first. */
static void put_locations(struct profile *profile, const struct stack_cell *cell)
{
	const struct stackstat *stacks = profile->report->stat->stacks;
	const struct call_tree *calls = profile->report->calls;
	struct stack_walk walk = stack_walk_from(&stacks->tree, cell->callers);
	uint32_t frame, root;

	put_varint(&profile->list, write_place(profile, stack_cell_place(cell)));
	while (stack_walk_next(&walk, &frame))
		put_frame(profile, frame);
	root = calls->node_of_end[walk.node];
	if (root != CALL_NODE_NONE)
		put_varint(&profile->list, write_remark(profile, calls->nodes[root].name));
}

static void put_label(struct profile *profile, const char *key, uint64_t text, int32_t number)
{
	put_number(&profile->part, 1, text_index(profile, key));
	put_number(&profile->part, 2, text);
	put_number(&profile->part, 3, (uint64_t)(int64_t)number);
	put_part(&profile->message, 3, &profile->part);
}

static int compare_frames(const struct stack_tree *tree, uint32_t a, uint32_t b)
{
	const struct stack_frame *x = &tree->frames[a], *y = &tree->frames[b];
	const int order = u64_order(x->addr, y->addr);

	return order ? order : u64_order(x->binary, y->binary);
}

static int compare_stack_nodes(const void *context, uint32_t a, uint32_t b)
{
	const struct stack_tree *tree = context;
	const struct stack_node *x = &tree->nodes[a], *y = &tree->nodes[b];
	/* of nodes without frames there may be no list at all */
	const uint32_t *frames = x->count ? tree->lists + x->first + x->count : NULL;
	const uint32_t *others = y->count ? tree->lists + y->first + y->count : NULL;

	for (uint32_t i = 1; i <= x->count && i <= y->count; i++) {
		const int order = compare_frames(tree, *(frames - i), *(others - i));

		if (order)
			return order;
	}
	return x->count != y->count ? u64_order(x->count, y->count) : u64_order(a, b);
}

/*
 * By node: its place in the tree, depth first, with siblings by their addresses, beginning with the
 * outermost one. Unlike the numbers of nodes, it does not depend on the order in which samples were
 * counted, which differs with the number of threads. malloc'd; NULL with err set when memory is
 * refused.
 */
static uint32_t *stack_ranks(const struct stack_tree *tree, struct err *err)
{
	const struct depth_first by_addr = { .parents = &tree->nodes->parent,
		                             .size = sizeof(*tree->nodes),
		                             .count = tree->count,
		                             .context = tree,
		                             .compare = compare_stack_nodes };
	size_t count = 0;
	uint32_t *order = depth_first_order(&by_addr, &count, err);
	uint32_t *ranks = order ? vec_new(tree->count, sizeof(*ranks), err) : NULL;

	for (uint32_t i = 0; ranks && i < count; i++)
		ranks[order[i]] = i;
	free(order);
	return ranks;
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
	put_part(&profile->message, 1, &profile->list);
	for (size_t i = 0; i < value_count; i++)
		put_varint(&profile->list, values[i]);
	put_part(&profile->message, 2, &profile->list);
	put_label(profile, "comm", string_index(profile, group->comm), 0);
	put_label(profile, "pid", 0, group->pid);
	put_label(profile, "tid", 0, group->tid);
	put_part(&profile->fields, 2, &profile->message);
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
	struct message *fields = &profile->fields;

	write_value_type(profile, 11, report_event_name(report, event), unit_of(report, event));
	put_number(fields, 9, wall_time(report, profile->err));
	if (summary->first_time != TIME_NONE)
		put_number(fields, 10, summary->last_time - summary->first_time);
	/* the mean, where a frequency was asked for */
	put_number(fields, 12, total->samples ? total->period / total->samples : 0);
	put_number(fields, 14, text_index(profile, report_event_name(report, event)));
}

static void write_strings(struct profile *profile)
{
	for (size_t i = 0; i < profile->strings.count; i++)
		put_bytes(&profile->fields, 6, profile->strings.entries[i].text,
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

/* samples.csv: every counted sample, in order of time, with the names of its place. */
#include "decode/tables/samplerows.h"
#include "decode/tables/tables.h"
#include "util/hash.h"
#include "util/vec.h"

#include <assert.h>
#include <stdlib.h>

/*
 * So many samples are read, then located, then printed: while others are handled, the place and the
 * texts of each are fetched from memory, where they are far from those of the sample before. One by
 * one, a run with 3 million samples at 200,000 addresses took 28 % more CPU time.
 */
#define PRINTED_TOGETHER 32

/*
 * Finds the functions of samples by the addresses of their places; a binary search among all places
 * would take a third of the time for printing.
 */
struct sample_places {
	/* open-addressed; no more than three of four are in use, the others hold no place */
	struct sample_place *slots;
	size_t slot_count; /* a power of two */
	uint64_t seed;     /* of the hash */
};

struct sample_printer {
	const struct report *report;
	struct buildstat *stat;
	uint32_t *frames; /* by node of the tree of functions; NULL: calltree.csv is not written */
	uint64_t unstacked; /* number of samples before the first one with a stack */
	struct sample_rows rows;
	uint64_t number; /* of the current sample */
	struct sample_places places;
	struct sample_row together[PRINTED_TOGETHER];
};

/* Where to begin to look for a place. */
static inline const struct sample_place *sample_places_slot(const struct sample_places *places,
                                                            uint32_t binary, uint64_t addr)
{
	return &places->slots[hash_keyed(places->seed, addr + binary * (places->seed | 1)) &
	                      (places->slot_count - 1)];
}

/* The place, which must exist, given its slot. */
static inline const struct sample_place *sample_places_find(const struct sample_places *places,
                                                            const struct sample_place *slot,
                                                            uint32_t binary, uint64_t addr)
{
	while (slot->addr != addr || slot->binary != binary)
		if (++slot == places->slots + places->slot_count)
			slot = places->slots;
	return slot;
}

static void put_place(struct sample_places *places, const struct sample_place *place)
{
	size_t at = (size_t)(sample_places_slot(places, place->binary, place->addr) -
	                     places->slots);

	while (places->slots[at].binary != UINT32_MAX)
		at = (at + 1) & (places->slot_count - 1);
	places->slots[at] = *place;
}

static bool sample_places_init(struct sample_places *places, const struct places *all,
                               const struct place_names *names, struct err *err)
{
	assert(names->place_count == all->count);
	places->seed = hash_seed();
	places->slot_count = 64;
	while (places->slot_count * 3 / 4 < all->count)
		places->slot_count *= 2;
	places->slots = vec_new(places->slot_count, sizeof(*places->slots), err);
	if (!places->slots)
		return false;
	for (size_t i = 0; i < places->slot_count; i++)
		places->slots[i].binary = UINT32_MAX;
	for (size_t i = 0; i < all->range_count; i++) {
		const struct place_range *range = &all->ranges[i];

		for (uint32_t k = range->first; k < range->first + range->count; k++) {
			const struct place_name *name = &names->places[k];
			const struct sample_place place = { all->addrs[k], range->binary, k,
				                            name->function,
				                            name->file != STRING_EMPTY ||
				                                    name->line };

			put_place(places, &place);
		}
	}
	return true;
}

/* Whether --function selects the sample. False with err set, too. */
static bool is_selected(struct sample_printer *printer, uint32_t function, struct err *err)
{
	struct buildstat *stat = printer->stat;

	return !buildstat_selects_functions(stat) ||
	       selection_function_passes(&stat->choice.selection,
	                                 printer->report->names->functions[function].name, err);
}

/* The innermost frame of the current sample, or 0. */
static bool next_frame(struct sample_printer *printer, uint32_t *frame, struct err *err)
{
	const struct call_tree *calls = printer->report->calls;
	const uint32_t *cell;
	uint32_t node;

	*frame = 0;
	if (!printer->frames || printer->number < printer->unstacked)
		return true;
	cell = spool_take(&printer->stat->stacks->log, sizeof(*cell), err);
	if (!cell)
		return false;
	node = *cell == MAP_NONE ? CALL_NODE_NONE : calls->node_of_cell[*cell];
	if (node != CALL_NODE_NONE)
		*frame = printer->frames[node];
	return true;
}

/*
 * Reads the next sample. *taken: its row is to be printed, as far as its function lets it. untimed:
 * only if it has no time; else only if it has one.
 */
static bool read_next_sample(struct sample_printer *printer, struct sample_row *row, bool untimed,
                             bool *taken, struct err *err)
{
	if (!sample_log_next(&printer->stat->log, &row->sample, err) ||
	    !next_frame(printer, &row->frame, err))
		return false;
	printer->number++;
	row->place = sample_places_slot(&printer->places, row->sample.binary, row->sample.addr);
	__builtin_prefetch(row->place);
	*taken = (row->sample.time == TIME_NONE) == untimed;
	return true;
}

static void find_place(struct sample_printer *printer, struct sample_row *row)
{
	row->place = sample_places_find(&printer->places, row->place, row->sample.binary,
	                                row->sample.addr);
	sample_rows_prefetch(&printer->rows, row->place->function);
}

static bool print_sample(struct sample_printer *printer, const struct sample_row *row,
                         struct err *err)
{
	return is_selected(printer, row->place->function, err)
	               ? sample_rows_write(&printer->rows, row, err)
	               : err->code == ERR_NONE;
}

/* Prints the next samples, at most so many. */
static bool print_together(struct sample_printer *printer, size_t most, bool untimed,
                           struct err *err)
{
	size_t count = 0;

	for (size_t i = 0; i < most; i++) {
		bool taken;

		if (!read_next_sample(printer, &printer->together[count], untimed, &taken, err))
			return false;
		count += taken;
	}
	for (size_t i = 0; i < count; i++)
		find_place(printer, &printer->together[i]);
	for (size_t i = 0; i < count; i++)
		if (!print_sample(printer, &printer->together[i], err))
			return false;
	return true;
}

static bool print_in_order(struct sample_printer *printer, bool untimed, struct err *err)
{
	struct buildstat *stat = printer->stat;

	printer->number = 0;
	if (!sample_log_rewind(&stat->log, err) ||
	    (printer->frames && !spool_rewind(&stat->stacks->log, err)))
		return false;
	while (printer->number < stat->log.count) {
		uint64_t left = stat->log.count - printer->number;

		/* a write that failed is reported now, and not after millions of rows */
		if (!print_together(printer, (size_t)u64_min(left, PRINTED_TOGETHER), untimed,
		                    err) ||
		    (printer->rows.csv && printer->rows.csv->error))
			return err->code == ERR_NONE;
	}
	return true;
}

/* Numbers of frames exist only if calltree.csv is written, too. */
static bool number_frames(struct sample_printer *printer, struct err *err)
{
	const struct stackstat *stacks = printer->stat->stacks;

	if (!stacks || !stacks->log.open || !printer->report->calls->node_of_cell)
		return true;
	printer->unstacked = printer->stat->log.count - spool_size(&stacks->log) / sizeof(uint32_t);
	printer->frames = call_tree_frames(printer->report->calls, printer->stat->strings, NULL,
	                                   NULL, err);
	return printer->frames != NULL;
}

static bool print_samples(struct table_writer *out, const struct report *report, struct err *err)
{
	struct buildstat *stat = report->stat;
	struct sample_printer printer = { .report = report, .stat = stat };
	bool ok = sample_rows_init(&printer.rows, out, report, err) &&
	          sample_places_init(&printer.places, &stat->places, report->names, err) &&
	          number_frames(&printer, err) &&
	          (!stat->log.untimed || print_in_order(&printer, true, err)) &&
	          print_in_order(&printer, false, err);

	sample_rows_release(&printer.rows);
	free(printer.frames);
	free(printer.places.slots);
	return ok;
}

static bool has_samples(const struct report *report)
{
	return report->stat->log.count != 0;
}

static const struct column samples_columns[] = {
	{ "nr", COLUMN_INTEGER, "", "position of its record in the file, as in overview.csv", 14 },
	{ "time", COLUMN_TIME, "ns", "of the recording's clock", 1 },
	{ "event", COLUMN_TEXT, "", "as the recording names it", 9 },
	{ "pid", COLUMN_INTEGER, "", "process", 3 },
	{ "tid", COLUMN_INTEGER, "", "thread", 4 },
	{ "comm", COLUMN_TEXT, "", "name of the process at that moment", 2 },
	{ "cpu", COLUMN_INTEGER, "", "where it happened", 5 },
	{ "mode", COLUMN_TEXT, "",
	  "user, kernel, guest-user, guest-kernel or hypervisor: where code ran", 8 },
	{ "period", COLUMN_INTEGER, "events", "that the sample stands for", 7 },
	{ "ip", COLUMN_ADDRESS, "", "instruction pointer", 10 },
	{ "function", COLUMN_TEXT, "", "as in results.csv", 6 },
	{ "binary", COLUMN_PATH, "", "as in results.csv", 11 },
	{ "source_file", COLUMN_PATH, "", "of the address, beside lines or addresses", 12 },
	{ "line", COLUMN_INTEGER, "", "of the address, beside lines or addresses", 13 },
	{ "frame", COLUMN_INTEGER, "", "innermost: with event, a row of calltree.csv", 15 },
	{ "data_address", COLUMN_ADDRESS, "", "of the data, if recorded", 16 },
	{ "weight", COLUMN_UNSIGNED, "", "of the access, if recorded", 17 },
	{ "data_source", COLUMN_TEXT, "", "where the data was, in the words of perf mem", 18 },
	{ "transaction", COLUMN_ADDRESS, "", "bits of the transaction, if recorded", 19 },
	{ "cgroup", COLUMN_PATH, "", "control group, if recorded", 20 },
};

const struct table samples_table = {
	.format = FORMAT_OF("samples", samples_columns),
	.needs = NEEDS_NAMES | NEEDS_SAMPLES,
	.can_fill = has_samples,
	.print = print_samples,
};

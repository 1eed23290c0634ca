#include "decode/run/pairreader.h"

#include "util/thread.h"
#include "util/vec.h"

#include <stdlib.h>

bool pair_reader_init(struct pair_reader *reader, struct strings *strings, struct err *err)
{
	*reader = (struct pair_reader){ .strings = strings };
	for (unsigned i = 0; i < 2; i++) {
		struct pair_side *side = &reader->sides[i];

		run_names_init(&side->names, &side->strings);
		if (!strings_init(&side->strings, err))
			return false;
	}
	return true;
}

void pair_reader_release(struct pair_reader *reader)
{
	for (unsigned i = 0; i < 2; i++) {
		run_names_release(&reader->sides[i].names);
		strings_release(&reader->sides[i].strings);
		free(reader->sides[i].known);
		free(reader->sides[i].adopted);
	}
}

/* --- in two threads */

struct pair_work {
	struct pair_reader *reader;
	const char *const *folders;
	struct compare_run *runs;
	struct err *errs;
};

static void read_side(const struct pair_work *work, unsigned side)
{
	if (work->folders[side])
		compare_run_read(&work->runs[side], work->folders[side],
		                 &work->reader->sides[side].names, &work->errs[side]);
}

static void read_first(void *context)
{
	read_side(context, 0);
}

static void *read_second(void *context)
{
	read_side(context, 1);
	return NULL;
}

/* --- strings of the caller */

/* Sets a string of a side to that of the caller. False with err set when memory is refused. */
static bool adopt_string(struct pair_reader *reader, struct pair_side *side, uint32_t *string,
                         struct err *err)
{
	uint32_t *known = &side->known[*string];

	if (!*known) {
		const uint32_t put = strings_put_text(reader->strings,
		                                      strings_get(&side->strings, *string), err);

		if (put == STRING_NONE)
			return false;
		*known = put + 1;
	}
	*string = *known - 1;
	return true;
}

/* A row's names, which are the same in most runs: strings of the caller. */
struct adopted_names {
	bool known;
	uint32_t function, binary, event, file;
};

/* Sets the strings of a row. False with err set when memory is refused. */
static bool adopt_row(struct pair_reader *reader, struct pair_side *side, struct run_row *row,
                      struct err *err)
{
	struct adopted_names *names = &side->adopted[row->names];

	if (!names->known) {
		*names = (struct adopted_names){ true, row->function, row->binary, row->event,
			                         row->file };
		if (!adopt_string(reader, side, &names->function, err) ||
		    !adopt_string(reader, side, &names->binary, err) ||
		    !adopt_string(reader, side, &names->event, err) ||
		    !adopt_string(reader, side, &names->file, err))
			return false;
	}
	row->function = names->function;
	row->binary = names->binary;
	row->event = names->event;
	row->file = names->file;
	return true;
}

static bool adopt_run(struct pair_reader *reader, unsigned number, struct compare_run *run,
                      struct err *err)
{
	struct pair_side *side = &reader->sides[number];
	bool ok = vec_reserve(&side->known, side->strings.count, &side->known_capacity,
	                      sizeof(*side->known), err) &&
	          vec_reserve(&side->adopted, side->names.count + 1, &side->adopted_capacity,
	                      sizeof(*side->adopted), err);

	while (ok && side->known_count < side->strings.count)
		side->known[side->known_count++] = 0;
	while (ok && side->adopted_count <= side->names.count)
		side->adopted[side->adopted_count++] = (struct adopted_names){ .known = false };
	for (unsigned i = 0; ok && i < RUN_FACT_COUNT; i++)
		ok = adopt_string(reader, side, &run->facts[i], err);
	for (size_t i = 0; ok && i < run->event_count; i++)
		ok = adopt_string(reader, side, &run->events[i].name, err);
	for (size_t i = 0; ok && i < run->row_count; i++) {
		struct run_row *row = &run->rows[i];

		if (i + 8 < run->row_count)
			__builtin_prefetch(&side->adopted[row[8].names]);
		ok = adopt_row(reader, side, row, err);
		/* the numbers of both sides must differ */
		row->names = 2 * row->names + number;
	}
	return ok;
}

void pair_reader_read(struct pair_reader *reader, const char *const folders[2],
                      struct compare_run runs[2], struct err errs[2])
{
	struct pair_work work = { reader, folders, runs, errs };

	thread_both(folders[1] != NULL, read_first, read_second, &work);
	for (unsigned i = 0; i < 2; i++)
		if (folders[i] && !errs[i].code)
			adopt_run(reader, i, &runs[i], &errs[i]);
}

#include "perffile/overview/samplerow.h"

#include "util/digits.h"

#define NUMBER_MOST 20u
#define ROW_ROOM (NUMBER_MOST + 32u + NUMBER_MOST + 2 * 20u + NUMBER_MOST + 2 * TAIL_MOST)
#define TAIL_USUAL 48 /* bytes; nearly all tails are shorter */

/*
 * Fills the cell for the sample's process and thread. NULL if the sample has none, or a negative
 * one.
 */
static const struct who_cell *fill_who(struct who_cell *cell, const struct sample *sample)
{
	static const char type[] = ",SAMPLE,";
	char *end = cell->text + sizeof(type) - 1;

	if (!sample->has_tid || sample->pid < 0 || sample->tid < 0)
		return NULL;
	memcpy(cell->text, type, sizeof(type) - 1);
	end = format_u64(end, (uint32_t)sample->pid);
	*end++ = ',';
	end = format_u64(end, (uint32_t)sample->tid);
	*end++ = ',';
	cell->pid = sample->pid;
	cell->tid = sample->tid;
	cell->length = (uint32_t)(end - cell->text);
	return cell;
}

static inline const struct who_cell *who_of(struct sample_row_cells *cells,
                                            const struct sample *sample)
{
	struct who_cell *cell = &cells->who[(uint32_t)sample->tid % WHO_CELLS];

	if (cell->pid == sample->pid && cell->tid == sample->tid && cell->length)
		return cell;
	return fill_who(cell, sample);
}

static const struct tail_cell *fill_tail(struct tail_cell *cell, const char *event,
                                         const struct sample *sample)
{
	const size_t most = TAIL_MOST - 2 * NUMBER_MOST;
	const size_t size = event ? strnlen(event, most + 1) : most + 1;
	char name[CSV_CELL_MOST(TAIL_MOST)], *end = cell->text;
	size_t length;

	cell->length = 0;
	/*
	 * a quoted cell is never shorter than its text, so a long name is rejected before it is
	 * quoted
	 */
	if (size > most || (length = (size_t)(csv_cell(name, event, size) - name)) > most)
		return NULL;
	memcpy(end, ",,,", 3);
	end = format_u64(end + 3, sample->period);
	cell->cut = (uint32_t)(end - cell->text);
	*end++ = ',';
	if (sample->cpu >= 0)
		end = format_u64(end, (uint32_t)sample->cpu);
	*end++ = ',';
	memcpy(end, name, length);
	end += length;
	*end++ = '\n';
	cell->event = event;
	cell->period = sample->period;
	cell->cpu = sample->cpu;
	cell->length = (uint32_t)(end - cell->text);
	return cell;
}

/* The end of the sample's row, or NULL. */
static inline const struct tail_cell *tail_of(struct sample_row_cells *cells,
                                              const struct session *session,
                                              const struct sample *sample)
{
	uint32_t cpu = (uint32_t)sample->cpu + 1; /* the CPU is -1 if it is not recorded */
	const char *event = session->events[sample->event].name;
	struct tail_cell *cell;

	if (cpu >= cells->cpus)
		cells->cpus = cpu < TAIL_CELLS ? cpu + 1 : TAIL_CELLS;
	cell = &cells->tails[((size_t)sample->event * cells->cpus + cpu) % TAIL_CELLS];
	if (cell->event == event && cell->cpu == sample->cpu && cell->length)
		return cell;
	return fill_tail(cell, event, sample);
}

/*
 * Copies a fixed size, which the compiler does in one move; what lies behind the text is
 * overwritten by the next one.
 */
static inline char *put_tail(char *out, const struct tail_cell *tail, uint64_t period)
{
	size_t from = 0;

	if (tail->period != period) {
		memcpy(out, ",,,", 3);
		out = format_u64(out + 3, period);
		from = tail->cut;
	}
	memcpy(out, tail->text + from, TAIL_USUAL);
	if (tail->length > TAIL_USUAL)
		memcpy(out, tail->text + from, tail->length - from);
	return out + tail->length - from;
}

size_t sample_rows(struct sample_row_cells *cells, struct csv *csv, const struct session *session,
                   const struct sample *samples, size_t count)
{
	char *out = csv_room(csv, count * ROW_ROOM);
	size_t i;

	for (i = 0; i < count; i++) {
		const struct sample *sample = &samples[i];
		const struct who_cell *who = who_of(cells, sample);
		const struct tail_cell *tail = tail_of(cells, session, sample);

		if (!who || !tail)
			break;
		out = format_u64(out, sample->nr);
		memcpy(out, who->text, sizeof(who->text));
		out = format_u64(out + who->length, sample->time);
		*out++ = ',';
		out = format_hex(out, sample->ip);
		*out++ = ',';
		if (sample->has_addr)
			out = format_hex(out, sample->addr);
		out = put_tail(out, tail, sample->period);
	}
	csv_rows_end(csv, out, i);
	return i;
}

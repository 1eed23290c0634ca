#include "perffile/sampleRow.h"

#include "util/digits.h"

#include <stdlib.h>

#define ROW_ROOM (96u + TAIL_MOST + 32u)

static inline char *put_who(char *out, struct sample_row_cells *cells, const struct sample *sample)
{
	static const char type[] = ",SAMPLE,";
	size_t slot = (uint32_t)sample->tid % WHO_CELLS;
	char *start = cells->who[slot].text, *end = start + sizeof(type) - 1;

	if (cells->who[slot].pid != sample->pid || cells->who[slot].tid != sample->tid ||
	    !cells->who[slot].length) {
		memcpy(start, type, sizeof(type) - 1);
		end = format_u64(end, (uint32_t)sample->pid);
		*end++ = ',';
		end = format_u64(end, (uint32_t)sample->tid);
		*end++ = ',';
		cells->who[slot].pid = sample->pid;
		cells->who[slot].tid = sample->tid;
		cells->who[slot].length = (uint8_t)(end - start);
	}
	memcpy(out, start, sizeof(cells->who[slot].text));
	return out + cells->who[slot].length;
}

static inline char *put_number(char *out, struct number_cell *cells, uint64_t value)
{
	struct number_cell *cell = &cells[value % NUMBER_CELLS];

	if (cell->value != value || !cell->length) {
		cell->length = (uint32_t)(format_u64(cell->text, value) - cell->text);
		cell->value = value;
	}
	memcpy(out, cell->text, sizeof(cell->text));
	return out + cell->length;
}

static inline char *put_nr(char *out, struct sample_row_cells *cells, uint64_t nr)
{
	if (nr < 10000)
		return format_u64(out, nr);
	return format_4(put_number(out, cells->nr, nr / 10000), (uint32_t)(nr % 10000));
}

static inline char *put_time(char *out, struct sample_row_cells *cells, uint64_t time)
{
	const uint64_t unit = 100000000;

	if (time < unit)
		return format_u64(out, time);
	return format_8(put_number(out, cells->time, time / unit), (uint32_t)(time % unit));
}

static bool fill_tail(struct tail_cell *cell, const char *event, int32_t cpu)
{
	char *end = cell->text, *name;
	size_t length;

	cell->length = 0;
	name = csv_cell(event, &length);
	if (!name || length > TAIL_MOST - 16) {
		free(name);
		return false;
	}
	*end++ = ',';
	if (cpu >= 0)
		end = format_u64(end, (uint32_t)cpu);
	*end++ = ',';
	memcpy(end, name, length);
	free(name);
	cell->event = event;
	cell->cpu = cpu;
	cell->length = (uint32_t)((size_t)(end - cell->text) + length);
	return true;
}

/* The end of the row, or NULL. */
static inline const struct tail_cell *tail_of(struct sample_row_cells *cells, const char *event,
                                              const struct sample *sample)
{
	struct tail_cell *cell = &cells->tails[((uint32_t)sample->cpu + 16 * sample->event) % TAIL_CELLS];

	if (cell->length && cell->event == event && cell->cpu == sample->cpu)
		return cell;
	return fill_tail(cell, event, sample->cpu) ? cell : NULL;
}

bool sample_row(struct sample_row_cells *cells, struct csv *csv, const struct session *session,
                const struct sample *sample)
{
	const char *event = session->events[sample->event].name;
	const struct tail_cell *tail;
	char *out;

	if (!event || !sample->has_tid || sample->pid < 0 || sample->tid < 0 ||
	    !(tail = tail_of(cells, event, sample)))
		return false;
	out = put_nr(csv_row(csv, ROW_ROOM), cells, sample->nr);
	out = put_who(out, cells, sample);
	out = put_time(out, cells, sample->time);
	*out++ = ',';
	out = format_hex(out, sample->ip);
	*out++ = ',';
	if (sample->has_addr)
		out = format_hex(out, sample->addr);
	memcpy(out, ",,,", 4);
	out = put_number(out + 3, cells->period, sample->period);
	/* fixed sizes are single moves; what lies behind the text is overwritten by what follows */
	memcpy(out, tail->text, 32);
	if (tail->length > 32)
		memcpy(out + 32, tail->text + 32, TAIL_MOST - 32);
	csv_row_end(csv, out + tail->length);
	return true;
}

#include "decode/tables/sampleText.h"

#include "util/digits.h"

#include <stdlib.h>

#define NUMBERS_MOST 160u /* bytes of all numbers in a row, with their commas */
#define TEXT_MOST 65536u  /* bytes of a function and its binary */

/* ",FUNCTION,BINARY" */
struct place_text {
	uint32_t length; /* 0: it is longer than TEXT_MOST */
	char text[];
};

bool sample_texts_init(struct sample_texts *texts, const struct buildstat *stat,
                       const struct place_names *names, struct err *err)
{
	texts->stat = stat;
	texts->names = names;
	arena_init(&texts->arena);
	texts->functions = calloc(names->function_count + 1, sizeof(*texts->functions));
	return texts->functions ||
	       err_nomem(err, names->function_count * sizeof(*texts->functions));
}

void sample_texts_release(struct sample_texts *texts)
{
	free(texts->functions);
	arena_release(&texts->arena);
}

/* The text being made; each cell has a comma in front. */
struct builder {
	char *out, *end;
	bool failed; /* it does not fit; or memory was refused, then err is set */
	struct err *err;
};

static void add_text(struct builder *builder, const char *text)
{
	size_t length = 0, room = (size_t)(builder->end - builder->out);
	bool fits = !builder->failed && strlen(text) < room;
	char *cell = fits ? csv_cell(text, &length) : NULL;

	if (fits && !cell)
		err_nomem(builder->err, strlen(text));
	builder->failed |= !cell || length + 1 > room;
	if (!builder->failed) {
		*builder->out++ = ',';
		memcpy(builder->out, cell, length);
		builder->out += length;
	}
	free(cell);
}

static inline char *put_number(char *out, bool known, uint64_t value)
{
	*out++ = ',';
	return known ? format_u64(out, value) : out;
}

static void add_number(struct builder *builder, bool known, int64_t value)
{
	builder->failed |= builder->end - builder->out < 24;
	if (builder->failed)
		return;
	*builder->out++ = ',';
	if (known && value < 0)
		*builder->out++ = '-';
	if (known)
		builder->out = format_u64(builder->out, (uint64_t)(value < 0 ? -value : value));
}

static bool fill_who(struct sample_texts *texts, struct who_text *who,
                     const struct logged_sample *sample, struct err *err)
{
	const struct buildstat *stat = texts->stat;
	struct builder builder = { who->text, who->text + WHO_MOST, false, err };

	add_text(&builder, buildstat_event_name(stat->session, sample->event));
	add_number(&builder, sample->has_tid, sample->pid);
	add_number(&builder, sample->has_tid, sample->tid);
	add_text(&builder, strings_get(stat->strings, sample->comm));
	add_number(&builder, sample->cpu >= 0, sample->cpu);
	add_text(&builder, cpu_mode_name((enum cpu_mode)sample->mode));
	who->length = builder.failed ? 0 : (uint8_t)(builder.out - who->text);
	who->pid = sample->pid;
	who->tid = sample->tid;
	who->cpu = sample->cpu;
	who->event = sample->event;
	who->comm = sample->comm;
	who->mode = sample->mode;
	who->has_tid = sample->has_tid;
	return !builder.failed;
}

/* NULL: too long, or memory was refused. */
static inline const struct who_text *find_who(struct sample_texts *texts,
                                              const struct logged_sample *sample, struct err *err)
{
	uint32_t hash = (uint32_t)sample->tid ^ (uint32_t)sample->cpu << 3 ^ sample->event << 5 ^
	                (uint32_t)sample->mode << 7;
	struct who_text *who = &texts->who[hash % WHO_TEXTS];

	if (who->length && who->tid == sample->tid && who->pid == sample->pid &&
	    who->cpu == sample->cpu && who->event == sample->event && who->comm == sample->comm &&
	    who->mode == sample->mode && who->has_tid == sample->has_tid)
		return who;
	return fill_who(texts, who, sample, err) ? who : NULL;
}

/* NULL with err set: memory was refused. */
static const struct place_text *make_place(struct sample_texts *texts, uint32_t number,
                                           struct err *err)
{
	const struct function_name *function = &texts->names->functions[number];
	const struct strings *strings = texts->stat->strings;
	char *text = malloc(TEXT_MOST);
	struct builder builder = { text, text ? text + TEXT_MOST : NULL, !text, err };
	struct place_text *made;
	uint32_t length;

	if (!text) {
		err_nomem(err, TEXT_MOST);
		return NULL;
	}
	add_text(&builder, strings_get(strings, function->name));
	add_text(&builder,
	         strings_get(strings, texts->stat->binaries.items[function->binary].name));
	length = builder.failed ? 0 : (uint32_t)(builder.out - text);
	made = err->code == ERR_NONE ? arena_alloc(&texts->arena, sizeof(*made) + length, err)
	                             : NULL;
	if (made) {
		made->length = length;
		memcpy(made->text, text, length);
	}
	free(text);
	texts->functions[number] = made;
	return made;
}

static inline char *put_piece(char *out, const char *text, size_t length)
{
	memcpy(out, text, length);
	return out + length;
}

bool sample_texts_row(struct sample_texts *texts, struct csv *csv,
                      const struct sample_text_row *row, struct err *err)
{
	const struct logged_sample *sample = row->sample;
	const struct place_text *place = texts->functions[row->function];
	const struct who_text *who = find_who(texts, sample, err);
	char *out;

	if (who && !place)
		place = make_place(texts, row->function, err);
	if (!who || !place || !place->length || sample->time == TIME_NONE)
		return false;
	out = csv_room(csv, NUMBERS_MOST + WHO_MOST + place->length);
	out = format_u64(out, sample->nr);
	out = put_number(out, true, sample->time);
	out = put_piece(out, who->text, who->length);
	out = put_number(out, true, sample->period);
	*out++ = ',';
	if (sample->has_ip)
		out = format_hex(out, sample->ip);
	out = put_piece(out, place->text, place->length);
	out = put_piece(out, ",,", 2); /* source_file, line */
	out = put_number(out, row->frame != 0, row->frame);
	/* data_address, weight, data_source, transaction, cgroup */
	out = put_piece(out, ",,,,,\n", 6);
	csv_rows_end(csv, out, 1);
	return true;
}

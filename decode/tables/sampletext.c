#include "decode/tables/sampletext.h"

#include "util/digits.h"

#include <stdlib.h>

#define NUMBERS_MOST 160u /* bytes of all numbers in a row, with their commas */
#define TEXT_MOST 65536u  /* bytes of a piece of text */

bool sample_texts_init(struct sample_texts *texts, const struct buildstat *stat,
                       const struct place_names *names, struct err *err)
{
	const size_t functions = names->function_count + 1, tasks = stat->log.task_count + 1;

	texts->stat = stat;
	texts->names = names;
	arena_init(&texts->arena);
	texts->functions = calloc(functions, sizeof(*texts->functions));
	texts->tasks = calloc(tasks, sizeof(*texts->tasks));
	return (texts->functions && texts->tasks) ||
	       err_nomem(err, (functions + tasks) * sizeof(*texts->functions));
}

void sample_texts_release(struct sample_texts *texts)
{
	free(texts->functions);
	free(texts->tasks);
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

/* Keeps a piece of text. NULL with err set: memory was refused. */
static struct sample_text *keep_text(struct sample_texts *texts, const struct builder *builder,
                                     const char *text)
{
	const uint32_t length = builder->failed ? 0 : (uint32_t)(builder->out - text);
	struct sample_text *made = NULL;

	if (builder->err->code == ERR_NONE)
		made = arena_alloc(&texts->arena, sizeof(*made) + length, builder->err);
	if (made) {
		made->length = length;
		memcpy(made->text, text, length);
	}
	return made;
}

static void add_task(struct builder *builder, const struct buildstat *stat,
                     const struct log_task *task)
{
	add_text(builder, buildstat_event_name(stat->session, task->event));
	add_number(builder, task->has_tid, task->pid);
	add_number(builder, task->has_tid, task->tid);
	add_text(builder, strings_get(stat->strings, task->comm));
	add_number(builder, task->cpu >= 0, task->cpu);
	add_text(builder, cpu_mode_name((enum cpu_mode)task->mode));
}

static void add_function(struct builder *builder, const struct sample_texts *texts, uint32_t number)
{
	const struct function_name *function = &texts->names->functions[number];
	const struct buildstat *stat = texts->stat;

	add_text(builder, strings_get(stat->strings, function->name));
	add_text(builder, strings_get(stat->strings, stat->binaries.items[function->binary].name));
}

/* Makes those texts of the row that are missing. False with err set: memory was refused. */
static bool make_texts(struct sample_texts *texts, const struct sample_text_row *row,
                       struct err *err)
{
	char *text = malloc(TEXT_MOST);
	struct builder builder = { text, text + TEXT_MOST, false, err };
	struct sample_text **task = &texts->tasks[row->sample->number];
	struct sample_text **function = &texts->functions[row->function];

	if (!text)
		return err_nomem(err, TEXT_MOST);
	if (!*task) {
		add_task(&builder, texts->stat, row->sample->task);
		*task = keep_text(texts, &builder, text);
	}
	builder.out = text;
	builder.failed = false;
	if (!*function) {
		add_function(&builder, texts, row->function);
		*function = keep_text(texts, &builder, text);
	}
	free(text);
	return err->code == ERR_NONE;
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
	const struct sample_text *task, *place;
	char *out;

	if ((!texts->tasks[sample->number] || !texts->functions[row->function]) &&
	    !make_texts(texts, row, err))
		return false;
	task = texts->tasks[sample->number];
	place = texts->functions[row->function];
	if (!task->length || !place->length || sample->time == TIME_NONE)
		return false;
	out = csv_room(csv, NUMBERS_MOST + task->length + place->length);
	out = format_u64(out, sample->nr);
	out = put_number(out, true, sample->time);
	out = put_piece(out, task->text, task->length);
	out = put_number(out, true, sample->period);
	*out++ = ',';
	if (sample->task->has_ip)
		out = format_hex(out, sample->ip);
	out = put_piece(out, place->text, place->length);
	out = put_piece(out, ",,", 2); /* source_file, line */
	out = put_number(out, row->frame != 0, row->frame);
	/* data_address, weight, data_source, transaction, cgroup */
	out = put_piece(out, ",,,,,\n", 6);
	csv_rows_end(csv, out, 1);
	return true;
}

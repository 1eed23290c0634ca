#include "decode/tables/sampletext.h"

#include "util/digits.h"

#include <stdlib.h>

#define NUMBERS_MOST 160u /* bytes of all numbers in a row, with their commas */
#define FUNCTION_TEXT_MOST 65536u

bool sample_texts_init(struct sample_texts *texts, const struct buildstat *stat,
                       const struct place_names *names, struct err *err)
{
	const size_t functions = names->function_count + 1;

	texts->stat = stat;
	texts->names = names;
	texts->arena = (struct arena){ 0 };
	texts->functions = calloc(functions, sizeof(*texts->functions));
	texts->tasks = calloc(TASK_TEXTS, sizeof(*texts->tasks));
	return (texts->functions && texts->tasks) ||
	       err_nomem(err, functions * sizeof(*texts->functions) +
	                              TASK_TEXTS * sizeof(*texts->tasks));
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
	size_t length = strlen(text), room = (size_t)(builder->end - builder->out);
	bool fits = !builder->failed && length < room;
	char *cell = NULL;

	if (fits && !text_is_plain(text, length)) {
		cell = csv_cell(text, &length);
		if (!cell)
			err_nomem(builder->err, length);
		fits = cell && length < room;
	}
	builder->failed |= !fits;
	if (fits) {
		*builder->out++ = ',';
		memcpy(builder->out, cell ? cell : text, length);
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

/* Makes the text of a task in place of another one's. False with err set: memory was refused. */
static bool make_task(struct sample_texts *texts, struct task_text *made,
                      const struct logged_sample *sample, struct err *err)
{
	const struct buildstat *stat = texts->stat;
	const struct log_task *task = sample->task;
	struct builder builder = { made->text, made->text + sizeof(made->text), false, err };

	add_text(&builder, buildstat_event_name(stat->session, task->event));
	add_number(&builder, task->has_tid, task->pid);
	add_number(&builder, task->has_tid, task->tid);
	add_text(&builder, strings_get(stat->strings, task->comm));
	add_number(&builder, task->cpu >= 0, task->cpu);
	add_text(&builder, cpu_mode_name((enum cpu_mode)task->mode));
	made->length = builder.failed ? 0 : (uint32_t)(builder.out - made->text);
	made->task = sample->number + 1;
	return err->code == ERR_NONE;
}

/* Makes the text of a function. False with err set: memory was refused. */
static bool make_function(struct sample_texts *texts, uint32_t number, struct err *err)
{
	const struct function_name *function = &texts->names->functions[number];
	const struct buildstat *stat = texts->stat;
	char *text = malloc(FUNCTION_TEXT_MOST);
	struct builder builder = { text, text + FUNCTION_TEXT_MOST, false, err };
	struct function_text *made = NULL;
	uint32_t length;

	if (!text)
		return err_nomem(err, FUNCTION_TEXT_MOST);
	add_text(&builder, strings_get(stat->strings, function->name));
	add_text(&builder, strings_get(stat->strings, stat->binaries.items[function->binary].name));
	length = builder.failed ? 0 : (uint32_t)(builder.out - text);
	if (err->code == ERR_NONE)
		made = arena_alloc(&texts->arena, sizeof(*made) + length, err);
	if (made) {
		made->length = length;
		memcpy(made->text, text, length);
		texts->functions[number] = made;
	}
	free(text);
	return made != NULL;
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
	struct task_text *task = &texts->tasks[sample->number % TASK_TEXTS];
	const struct function_text *place;
	char *out;

	if ((task->task != sample->number + 1 && !make_task(texts, task, sample, err)) ||
	    (!texts->functions[row->function] && !make_function(texts, row->function, err)))
		return false;
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

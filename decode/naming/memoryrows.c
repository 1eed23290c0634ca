#define _GNU_SOURCE /* qsort_r() */
#include "decode/naming/memoryrows.h"

#include "decode/naming/accessnames.h"
#include "decode/naming/linerows.h"
#include "decode/naming/rows.h"
#include "util/vec.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void add_sum(struct access_sum *to, const struct access_sum *more)
{
	to->samples += more->samples;
	to->period += more->period;
	to->weight += more->weight;
	to->weight_max = u64_max(to->weight_max, more->weight_max);
	to->cost += more->cost;
	to->second += more->second;
	to->third += more->third;
}

/* Adds up accesses that are equal in all that memory.csv shows. */
static bool put_rows(struct memory_rows *rows, struct buildstat *stat,
                     const struct access_names *accesses, struct err *err)
{
	struct memory_row row;
	struct tuples keys;
	const size_t key_size = offsetof(struct memory_row, sum);
	bool ok = true;

	memset(&row, 0, sizeof(row));
	tuples_init(&keys, key_size);
	for (size_t i = 0; ok && i < stat->memory.accesses.count; i++) {
		const struct access_key *key = memorystat_access(&stat->memory, i);
		const struct access_names *names = &accesses[i];
		char text[DATA_WORD_SIZE];
		uint32_t number;

		row.function = names->function;
		row.binary = names->binary;
		row.data_symbol = names->data_symbol;
		row.data_binary = names->data_binary;
		row.event = key->event;
		for (int k = 0; k < DATA_QUESTIONS; k++) {
			data_word(key->source, (enum data_question)k, text);
			row.words[k] = strings_put_text(stat->strings, text, err);
		}
		number = tuples_put(&keys, &row, err);
		ok = number != MAP_NONE && err->code == ERR_NONE &&
		     (number < rows->row_count ||
		      vec_append(&rows->rows, &rows->row_count, &rows->row_capacity, &row,
		                 sizeof(row), err));
		if (ok)
			add_sum(&rows->rows[number].sum, &stat->memory.sums[i]);
	}
	tuples_release(&keys);
	return ok;
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct memory_row *x = a, *y = b;
	const struct strings *strings = context;
	const uint32_t *m = &x->function, *n = &y->function;
	int order = 0;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->sum.cost != y->sum.cost)
		return x->sum.cost > y->sum.cost ? -1 : 1;
	for (size_t i = 0; !order && i < 4; i++)
		order = rows_compare_texts(strings, m[i], n[i]);
	for (size_t i = 0; !order && i < DATA_QUESTIONS; i++)
		order = rows_compare_texts(strings, x->words[i], y->words[i]);
	return order;
}

bool memory_rows_make(struct memory_rows *rows, struct buildstat *stat,
                      const struct naming_options *options, const struct memory_machine *machine,
                      struct diag *diag, struct err *err)
{
	struct access_names *names = access_names_make(stat, options, err);
	const bool ok = names && put_rows(rows, stat, names, err) &&
	                line_rows_make(rows, stat, names, machine, diag, err);

	if (ok && rows->row_count)
		qsort_r(rows->rows, rows->row_count, sizeof(*rows->rows), compare_rows,
		        stat->strings);
	free(names);
	return ok;
}

void memory_rows_release(struct memory_rows *rows)
{
	free(rows->rows);
	free(rows->lines);
	free(rows->offsets);
	memset(rows, 0, sizeof(*rows));
}

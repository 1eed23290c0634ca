#define _GNU_SOURCE /* qsort_r() */
#include "decode/naming/instructioncode.h"

#include "decode/symbols/kernel.h"
#include "util/arena.h"
#include "util/search.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is being made. */
struct making {
	struct instruction_code *made;
	const struct instruction_source *source;
	struct wanted_function *wanted;
	size_t count;
	size_t code_capacity, binary_of_capacity;
	struct arena bytes;
	struct symbol_options symbols;
	size_t too_large; /* functions that are left out */
	struct err *err;
};

static const struct function_name *function_at(const struct making *making, size_t number)
{
	return &making->source->names->functions[making->wanted[number].function];
}

static uint64_t size_of(const struct making *making, size_t number)
{
	const struct function_name *function = function_at(making, number);

	return function->end > function->start ? function->end - function->start : 0;
}

static int compare_samples(const void *a, const void *b, void *context)
{
	const struct wanted_function *wanted = context, *x = &wanted[*(const size_t *)a],
				     *y = &wanted[*(const size_t *)b];

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->function < y->function ? -1 : 1;
}

/*
 * Marks with code = 0 the functions whose bytes are wanted: those with most samples, as long as all
 * are not too large together.
 */
static bool choose_functions(struct making *making)
{
	size_t *order = vec_new(making->count, sizeof(*order), making->err);
	uint64_t left = CODE_RUN_MOST;

	if (!order)
		return false;
	for (size_t i = 0; i < making->count; i++) {
		order[i] = i;
		making->wanted[i].code = SIZE_MAX;
	}
	qsort_r(order, making->count, sizeof(*order), compare_samples, making->wanted);
	for (size_t i = 0; i < making->count; i++) {
		const uint64_t size = size_of(making, order[i]);

		if (size > CODE_FUNCTION_MOST || size > left || i >= CODE_FUNCTIONS_MOST) {
			making->wanted[order[i]].left_out = true;
			making->too_large++;
			continue;
		}
		left -= size;
		making->wanted[order[i]].code = size ? 0 : SIZE_MAX;
	}
	free(order);
	return true;
}

/* Marks of the function: the one in effect at its start, and those inside. */
static bool set_marks(struct making *making, const struct binary_code *binary,
                      struct code_function *code)
{
	const struct elf_mark *marks = binary->marks;
	size_t first = search_until(marks, binary->mark_count, sizeof(*marks), code->addr);
	size_t end = search_below(marks, binary->mark_count, sizeof(*marks),
	                          code->addr + code->size);
	struct code_mark *own;

	first -= first > 0;
	code->mark_count = end > first ? end - first : 0;
	if (!code->mark_count)
		return true;
	own = arena_alloc(&making->bytes, code->mark_count * sizeof(*own), making->err);
	for (size_t i = 0; own && i < code->mark_count; i++) {
		own[i].addr = u64_max(marks[first + i].addr, code->addr);
		own[i].kind = marks[first + i].kind;
		own[i].extensions = marks[first + i].extensions;
	}
	code->marks = own;
	return own;
}

/* Reads the bytes of a function, if there are any. */
static bool read_function(struct making *making, struct binary_code *binary, size_t number)
{
	struct instruction_code *made = making->made;
	struct wanted_function *wanted = &making->wanted[number];
	const size_t size = (size_t)size_of(making, number);
	struct code_function code = { .addr = function_at(making, number)->start };
	uint8_t *bytes = arena_alloc(&making->bytes, size, making->err);

	if (!bytes)
		return false;
	wanted->code = SIZE_MAX;
	code.bytes = bytes;
	code.size = binary_code_read(binary, wanted->addr, bytes, size);
	if (!code.size || !binary->machine.machine)
		return true;
	wanted->code = made->count;
	if (!set_marks(making, binary, &code) ||
	    !vec_room(&made->binary_of, made->count, &making->binary_of_capacity,
	              sizeof(struct binary_code *), making->err))
		return false;
	made->binary_of[made->count] = binary;
	return vec_append(&made->codes, &made->count, &making->code_capacity, &code, sizeof(code),
	                  making->err);
}

/* Reads those of one binary, [first, end) of the wanted functions. */
static bool read_binary(struct making *making, size_t first, size_t end)
{
	const struct buildstat *stat = making->source->stat;
	const struct binary *binary = &stat->binaries.items[function_at(making, first)->binary];
	const struct symbol_query query = { .binary = binary,
		                            .strings = stat->strings,
		                            .options = &making->symbols,
		                            .diag = NULL };
	struct binary_code *code = &making->made->binaries[making->made->binary_count];
	bool any = false, ok = true;

	for (size_t i = first; i < end; i++)
		any |= making->wanted[i].code == 0;
	if (!any)
		return true;
	making->made->binary_count++;
	ok = binary_code_open(code, &query, making->err);
	for (size_t i = first; ok && i < end; i++) {
		const uint64_t base = binary->kind == BINARY_KERNEL ? binary->start : 0;

		making->wanted[i].addr = function_at(making, i)->offset + base;
		ok = making->wanted[i].code != 0 || read_function(making, code, i);
	}
	binary_code_close(code);
	return ok;
}

static bool read_all(struct making *making)
{
	size_t binaries = 0;

	for (size_t i = 0; i < making->count; i++)
		binaries += !i ||
		            function_at(making, i)->binary != function_at(making, i - 1)->binary;
	making->made->binaries = vec_new(binaries, sizeof(struct binary_code), making->err);
	if (!making->made->binaries)
		return false;
	for (size_t first = 0, end; first < making->count; first = end) {
		const uint32_t binary = function_at(making, first)->binary;

		for (end = first + 1; end < making->count;)
			if (function_at(making, end)->binary == binary)
				end++;
			else
				break;
		if (!read_binary(making, first, end))
			return false;
	}
	return true;
}

static bool same_machine(const struct code_machine *a, const struct code_machine *b)
{
	return a->machine == b->machine && a->wide == b->wide && a->big_endian == b->big_endian &&
	       a->flags == b->flags && a->attribute_size == b->attribute_size &&
	       (!a->attribute_size || !memcmp(a->attributes, b->attributes, a->attribute_size));
}

/* Disassembles the functions of each machine; those of one stand next to each other meanwhile. */
static bool disassemble_all(struct making *making)
{
	struct instruction_code *made = making->made;
	struct code_function *group = vec_new(made->count, sizeof(*group), making->err);
	size_t *numbers = vec_new(made->count, sizeof(*numbers), making->err);
	bool *done = vec_new(made->count, sizeof(*done), making->err);
	bool ok = group && numbers && done;

	for (size_t i = 0; ok && i < made->count; i++) {
		const struct code_machine *machine = &made->binary_of[i]->machine;
		size_t count = 0;

		for (size_t k = i; !done[i] && k < made->count; k++)
			if (!done[k] && same_machine(machine, &made->binary_of[k]->machine)) {
				group[count] = made->codes[k];
				numbers[count++] = k;
			}
		ok = code_disassemble(group, count, machine, making->source->code,
		                      making->source->stat->strings, making->source->diag,
		                      making->err);
		for (size_t k = 0; k < count; k++) {
			made->codes[numbers[k]] = group[k];
			done[numbers[k]] = true;
		}
	}
	free(group);
	free(numbers);
	free(done);
	return ok;
}

bool instruction_code_make(struct instruction_code *made, struct wanted_function *wanted,
                           size_t count, const struct instruction_source *source, struct err *err)
{
	struct making making = {
		.made = made, .source = source, .wanted = wanted, .count = count, .err = err
	};
	struct symbol_cache cache = { .searched = false };
	struct lookup_options how;
	bool ok;

	memset(made, 0, sizeof(*made));
	how = naming_lookup_options(&source->options->lookup, source->stat, &cache, err);
	making.symbols = how.symbols;
	making.symbols.want_code = true;
	making.symbols.files.want_debug = false;
	ok = err->code == ERR_NONE && choose_functions(&making) && read_all(&making) &&
	     disassemble_all(&making);
	if (ok && making.too_large)
		diag_warn(
			source->diag, ERR_NO_OFFSET,
			"instructions of functions that are too large, alone or all together, are left out: %zu functions",
			making.too_large);
	arena_release(&making.bytes);
	symbol_cache_release(&cache);
	return ok;
}

void instruction_code_release(struct instruction_code *made)
{
	for (size_t i = 0; i < made->count; i++)
		code_function_release(&made->codes[i]);
	for (size_t i = 0; i < made->binary_count; i++)
		binary_code_release(&made->binaries[i]);
	free(made->codes);
	free(made->binary_of);
	free(made->binaries);
	memset(made, 0, sizeof(*made));
}

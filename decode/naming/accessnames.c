#include "decode/naming/accessnames.h"

#include "decode/naming/bssplaces.h"
#include "decode/symbols/elfsymbols.h"
#include "decode/threadlocal/threadlocal.h"
#include "util/text.h"
#include "util/vec.h"

#include <stdlib.h>

struct making {
	struct buildstat *stat;
	/* of each access its place in the code, and that of its data */
	struct numbered_place *items;
	uint32_t *place_of;
	struct thread_place *threads; /* of each access that of a thread-local variable */
	bool *of_file;                /* of each access: it is to memory of the data's file */
	struct places places;
	struct place_names names;
	struct err *err;
};

/* Finds accesses to thread-local variables, and those to memory that only lies behind a file. */
static bool find_places(struct making *making, const struct naming_options *options)
{
	const struct buildstat *stat = making->stat;
	struct symbol_cache cache = { .searched = false };
	const struct lookup_options how = naming_lookup_options(&options->lookup, stat, &cache,
	                                                        making->err);
	struct file_options files = how.symbols.files;
	bool ok;

	files.want_debug = false;
	ok = making->err->code == ERR_NONE &&
	     thread_places_find(making->threads,
	                        &(struct thread_source){ &stat->memory, stat->binaries.items,
	                                                 stat->strings, &files },
	                        making->err) &&
	     bss_places_find(making->of_file, stat, &files, making->err);
	symbol_cache_release(&cache);
	return ok;
}

static bool name_places(struct making *making, const struct naming_options *options)
{
	const size_t count = making->stat->memory.accesses.count;
	struct naming_options how = *options;

	making->items = vec_new(2 * count, sizeof(*making->items), making->err);
	making->place_of = vec_new(2 * count, sizeof(*making->place_of), making->err);
	making->threads = vec_new(count, sizeof(*making->threads), making->err);
	making->of_file = vec_new(count, sizeof(*making->of_file), making->err);
	if (!making->items || !making->place_of || !making->threads || !making->of_file ||
	    !find_places(making, options))
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct access_key *key = memorystat_access(&making->stat->memory, i);
		const struct thread_place *thread = &making->threads[i];
		struct numbered_place *items = &making->items[2 * i];

		items[0] = (struct numbered_place){ key->ip, key->ip_binary, (uint32_t)(2 * i) };
		items[1] = (struct numbered_place){ key->data, key->data_binary,
			                            (uint32_t)(2 * i + 1) };
		if (!making->of_file[i]) {
			items[1].addr = key->addr;
			items[1].binary = key->mapped_binary;
		}
		if (thread->program != UNKNOWN_BINARY) {
			items[1].addr = ELF_THREAD_BASE + thread->value;
			items[1].binary = thread->program;
		}
	}
	how.lookup.lines = how.lookup.sources = how.lookup.entry_lines = false;
	return places_make(&making->places, making->items, 2 * count, making->place_of,
	                   making->err) &&
	       naming_run_places(&making->names, making->stat, &making->places, &how, making->err);
}

/* What stands for data without a symbol. */
static const char *region_of(const struct buildstat *stat, const struct binary *binary)
{
	const char *name = strings_get(stat->strings, binary->name);

	if (binary->kind == BINARY_FILE)
		return "[file]";
	if (binary->kind == BINARY_JIT)
		return "[anon]";
	if (binary->kind != BINARY_SPECIAL)
		return "[unknown]";
	if (text_starts(name, "[heap"))
		return "[heap]";
	if (text_starts(name, "[stack"))
		return "[stack]";
	return *name == '[' ? "[unknown]" : "[anon]";
}

static struct access_names names_of(struct making *making, size_t number)
{
	const struct buildstat *stat = making->stat;
	const struct access_key *key = memorystat_access(&stat->memory, number);
	const uint32_t *place_of = &making->place_of[2 * number];
	const struct place_name *code = &making->names.places[place_of[0]];
	const struct place_name *data = &making->names.places[place_of[1]];
	const struct function_name *function = &making->names.functions[code->function];
	const struct function_name *object = &making->names.functions[data->function];
	const struct binary *mapped =
		&stat->binaries
			 .items[making->of_file[number] ? key->data_binary : key->mapped_binary];
	struct access_names names = { .function = function->name,
		                      .binary = stat->binaries.items[function->binary].name };

	if (!symbol_origin_is_reason((enum symbol_origin)object->origin)) {
		names.data_symbol = object->name;
		names.data_binary = stat->binaries.items[object->binary].name;
	} else {
		names.data_symbol = strings_put_text(stat->strings, region_of(stat, mapped),
		                                     making->err);
		names.data_binary = mapped->name;
	}
	return names;
}

struct access_names *access_names_make(struct buildstat *stat, const struct naming_options *options,
                                       struct err *err)
{
	const size_t count = stat->memory.accesses.count;
	struct access_names *names = vec_new(count, sizeof(*names), err);
	struct making making = { .stat = stat, .err = err };
	const bool ok = names && name_places(&making, options);

	for (size_t i = 0; ok && i < count; i++)
		names[i] = names_of(&making, i);
	free(making.items);
	free(making.place_of);
	free(making.threads);
	free(making.of_file);
	places_release(&making.places);
	place_names_release(&making.names);
	if (err->code == ERR_NONE)
		return names;
	free(names);
	return NULL;
}

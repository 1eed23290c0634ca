#include "decode/naming/accessnames.h"

#include "decode/naming/bssplaces.h"
#include "decode/naming/placelist.h"
#include "decode/symbols/elfsymbols.h"
#include "decode/threadlocal/threadlocal.h"
#include "util/text.h"
#include "util/vec.h"

#include <stdlib.h>

struct making {
	struct buildstat *stat;
	struct place_list places;     /* of each access that of the code, and that of its data */
	struct thread_place *threads; /* of each access that of a thread-local variable */
	bool *of_file;                /* of each access: it is to memory of the data's file */
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

	making->threads = vec_new(count, sizeof(*making->threads), making->err);
	making->of_file = vec_new(count, sizeof(*making->of_file), making->err);
	if (!place_list_init(&making->places, 2 * count, making->err) || !making->threads ||
	    !making->of_file || !find_places(making, options))
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct access_key *key = memorystat_access(&making->stat->memory, i);
		const struct thread_place *thread = &making->threads[i];

		place_list_add(&making->places, key->ip_binary, key->ip);
		if (thread->program != UNKNOWN_BINARY)
			place_list_add(&making->places, thread->program,
			               ELF_THREAD_BASE + thread->value);
		else if (making->of_file[i])
			place_list_add(&making->places, key->data_binary, key->data);
		else
			place_list_add(&making->places, key->mapped_binary, key->addr);
	}
	how.lookup.lines = how.lookup.sources = how.lookup.entry_lines = false;
	return place_list_name(&making->places, making->stat, &how, making->err);
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
	const struct function_name *functions = making->places.names.functions;
	const struct function_name *function =
		&functions[place_list_get(&making->places, 2 * number)->function];
	const struct function_name *object =
		&functions[place_list_get(&making->places, 2 * number + 1)->function];
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
	free(making.threads);
	free(making.of_file);
	place_list_release(&making.places);
	if (err->code == ERR_NONE)
		return names;
	free(names);
	return NULL;
}

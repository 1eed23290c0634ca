#define _XOPEN_SOURCE 700 /* realpath() */
#include "decode/naming/lookup.h"

#include "decode/dwarf/dwarf.h"
#include "decode/files/keptfiles.h"
#include "decode/source/addr2line.h"
#include "decode/symbols/symbolpack.h"
#include "util/search.h"
#include "util/thread.h"
#include "util/vec.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Lines of code made at run time are looked up by file offset, others by link-time address. */
static bool asks_places(const struct lookup *lookup)
{
	return lookup->binary->kind == BINARY_JITDUMP;
}

static uint64_t asked_addr(const struct lookup *lookup, size_t number)
{
	return asks_places(lookup) ? lookup->addrs[number] : lookup->places[number].link_addr;
}

static uint64_t asked_entry(const struct lookup *lookup, const struct symbol *symbol)
{
	return asks_places(lookup) ? symbol->start : symbol->entry;
}

/* The number of a new function, or MAP_NONE. */
static uint32_t add_function(struct lookup *lookup, const struct lookup_function *function)
{
	return vec_append(&lookup->functions, &lookup->function_count, &lookup->function_capacity,
	                  function, sizeof(*function), &lookup->err)
	               ? (uint32_t)lookup->function_count - 1
	               : MAP_NONE;
}

/* has_files: whether functions have source files; only those of a pack already know theirs. */
static uint32_t add_symbol(struct lookup *lookup, const struct symbols *symbols,
                           const struct symbol *symbol, bool has_files)
{
	const struct binary *binary = lookup->binary;
	struct lookup_function function = { .named.origin = symbol->origin,
		                            .entry = asked_entry(lookup, symbol),
		                            .has_symbol = true,
		                            .packed = symbol->packed != NULL };
	struct function_name *named = &function.named;
	const uint64_t end = u64_min(symbol->end, symbols_section_end(symbols, symbol->start));

	/* a function of a KSYMBOL record exists only in the memory of that kernel */
	if (binary->kind != BINARY_KSYMBOL) {
		named->start = symbol->entry;
		named->end = symbol->entry + (end - symbol->start);
		named->offset = symbol->start - (binary->kind == BINARY_KERNEL ? binary->start : 0);
	}
	named->name = strings_put_text(&lookup->strings, symbol->name, &lookup->err);
	if (function.packed)
		named->line = symbol->packed->line;
	if (function.packed && has_files)
		named->file = strings_put_text(&lookup->strings, symbol->packed->file,
		                               &lookup->err);
	return lookup->err.code != ERR_NONE ? MAP_NONE : add_function(lookup, &function);
}

/* Finds the symbol of each address. */
static bool name_addrs(struct lookup *lookup, struct symbols *symbols, bool has_files)
{
	uint32_t unnamed[ORIGIN_COUNT], last_number = MAP_NONE, number;
	struct symbol last = { .name = NULL };

	memset(unnamed, 0xff, sizeof(unnamed));
	for (size_t i = 0; i < lookup->count; i++) {
		enum symbol_origin why = ORIGIN_NO_SYMBOL;
		const struct symbol *symbol = symbols_find(symbols, lookup->addrs[i], &why,
		                                           &lookup->err);

		if (lookup->err.code != ERR_NONE)
			return false;
		if (symbol && (symbol->start != last.start || symbol->end != last.end ||
		               symbol->name != last.name)) {
			last_number = add_symbol(lookup, symbols, symbol, has_files);
			last = *symbol;
		} else if (!symbol && unnamed[why] == MAP_NONE) {
			unnamed[why] = add_function(
				lookup, &(struct lookup_function){ .named.origin = (uint8_t)why });
		}
		number = symbol ? last_number : unnamed[why];
		if (number == MAP_NONE)
			return false;
		lookup->places[i].link_addr = symbols_link_addr(symbols, lookup->addrs[i]);
		lookup->places[i].function = number;
	}
	return true;
}

/*
 * Sorts items that begin with their key, and moves the first of each key to the front. Returns how
 * many.
 */
static size_t sort_unique(void *items, size_t count, size_t size)
{
	uint8_t *bytes = items;
	size_t kept = 0;

	qsort(items, count, size, search_compare);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || search_key(items, i, size) != search_key(items, kept - 1, size))
			memmove(bytes + size * kept++, bytes + size * i, size);
	return kept;
}

/* Whether the symbols are of a file with debug information, and that is to be read. */
static bool wants_debug(const struct lookup *lookup, const struct debug_file *debug,
                        const struct lookup_options *options)
{
	/* addr2line does not know where the kernel loads the sections of a module */
	return debug->path && options->symbolizer != SYMBOLIZER_NONE &&
	       !(options->symbolizer == SYMBOLIZER_ADDR2LINE &&
	         lookup->binary->kind == BINARY_MODULE);
}

/* Adds the entries of functions, and the addresses whose lines are wanted, to the query, once. */
static bool ask_all(struct lookup *lookup, const struct lookup_options *options)
{
	struct source_query *query = &lookup->query;
	const size_t count = lookup->function_count;
	struct source_function *functions = vec_new(count, sizeof(*functions), &lookup->err);
	struct source_addr *addrs = vec_new(lookup->count + count, sizeof(*addrs), &lookup->err);
	size_t function_count = 0, addr_count = 0;

	query->functions = functions;
	query->addrs = addrs;
	if (!functions || !addrs)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct lookup_function *function = &lookup->functions[i];

		if (!function->has_symbol || function->packed)
			continue;
		if (options->sources)
			functions[function_count++].entry = function->entry;
		if (options->entry_lines)
			addrs[addr_count++].addr = function->entry;
	}
	for (size_t i = 0; (options->lines || options->inlines) && i < lookup->count; i++)
		addrs[addr_count++].addr = asked_addr(lookup, i);
	query->function_count = sort_unique(functions, function_count, sizeof(*functions));
	query->addr_count = sort_unique(addrs, addr_count, sizeof(*addrs));
	return true;
}

/*
 * The folder of --symfs in which the debug file was found; files that belong to it are there, too.
 */
static const char *root_of(const struct file_options *files, const char *path)
{
	for (size_t i = 1; path && i < files->symfs_count; i++) {
		const char *root = files->symfs[i];
		char *real = realpath(root, NULL);
		size_t length = real ? strlen(real) : 0;
		bool below = length && !strncmp(path, real, length) && path[length] == '/';

		free(real);
		if (below)
			return root;
	}
	return file_root(files, 0);
}

/*
 * Makes the query for the debug information; what the symbols know themselves is answered at once.
 * *debug: the file that has the other answers, if there is one; the symbols own it.
 */
static bool ask_sources(struct lookup *lookup, struct symbols *symbols,
                        const struct lookup_options *options, struct debug_file *debug)
{
	struct source_query *query = &lookup->query;
	struct debug_file *found = symbols_debug(symbols);

	query->strings = &lookup->strings;
	query->inlines = options->inlines;
	query->helper = kept_files_helper(options->symbols.files.kept);
	query->symfs = root_of(&options->symbols.files, found->path);
	if (symbols_have_lines(symbols) && options->symbolizer != SYMBOLIZER_NONE)
		return ask_all(lookup, options) && symbols_answer(symbols, query, &lookup->err);
	if (!wants_debug(lookup, found, options))
		return true;
	*debug = *found;
	return ask_all(lookup, options);
}

static bool read_debug(struct source_query *query, const struct debug_file *debug,
                       enum symbolizer symbolizer, struct diag *diag, struct err *err)
{
	bool unreadable = true;

	query->path = debug->path;
	query->binary = debug->binary;
	if (symbolizer == SYMBOLIZER_DWARF && !dwarf_lookup(query, &unreadable, diag, err))
		return false;
	/* binutils may be able to unpack what this build cannot */
	return !unreadable || addr2line_lookup(query, diag, err);
}

static const struct source_addr *find_line(const struct lookup *lookup, uint64_t addr)
{
	const struct source_query *query = &lookup->query;
	size_t at = search_equal(query->addrs, query->addr_count, sizeof(*query->addrs), addr);

	return at < query->addr_count ? &query->addrs[at] : NULL;
}

const struct source_addr *lookup_line(const struct lookup *lookup, size_t number)
{
	return find_line(lookup, asked_addr(lookup, number));
}

/* Sets the files of functions and the lines where they start. */
static void take_answers(struct lookup *lookup)
{
	const struct source_query *query = &lookup->query;

	for (size_t i = 0; i < lookup->function_count; i++) {
		struct lookup_function *function = &lookup->functions[i];
		const struct source_addr *where;
		size_t at;

		if (function->packed || !function->has_symbol)
			continue;
		where = find_line(lookup, function->entry);
		at = search_equal(query->functions, query->function_count,
		                  sizeof(*query->functions), function->entry);
		if (at < query->function_count)
			function->named.file = query->functions[at].file;
		/* code inlined at the start of the function may be of another file */
		if (where && where->file == function->named.file)
			function->named.line = where->line;
	}
}

/* The entries of all functions, on their way into a query. */
struct all_entries {
	struct symbols *symbols;
	struct source_function *items;
	size_t count, capacity;
	struct err err;
};

static void add_entry(void *context, const char *name, uint64_t start, uint64_t end)
{
	struct all_entries *all = context;
	const struct source_function function = { .entry = symbols_link_addr(all->symbols, start) };

	(void)name, (void)end;
	if (!all->err.code)
		vec_append(&all->items, &all->count, &all->capacity, &function, sizeof(function),
		           &all->err);
}

/*
 * Asks for all functions of the binary at once. Nothing is kept if there is a warning, which may be
 * about functions that nobody has asked for. False: refused memory.
 */
static bool read_all(struct lookup *lookup, const struct debug_file *debug,
                     enum symbolizer symbolizer, struct cached_binary *cached)
{
	struct all_entries all = { .symbols = cached_symbols(cached) };
	struct source_query query = lookup->query;
	struct strings strings;
	struct diag diag;
	bool ok = strings_init(&strings, &all.err);

	diag_init(&diag, NULL, NULL);
	if (ok)
		symbols_each(cached_symbols(cached), add_entry, &all);
	query.strings = &strings;
	query.functions = all.items;
	query.function_count = all.count ? sort_unique(all.items, all.count, sizeof(*all.items))
	                                 : 0;
	ok = !all.err.code && query.function_count &&
	     read_debug(&query, debug, symbolizer, &diag, &all.err) &&
	     (diag.formats || cached_keep(cached, &query, &all.err));
	diag_release(&diag);
	strings_release(&strings);
	free(all.items);
	return (ok || !all.err.code) || err_pass(&lookup->err, &all.err);
}

/* Asks only for what is not known of the binary. */
static bool read_unknown(struct lookup *lookup, const struct debug_file *debug,
                         enum symbolizer symbolizer, struct cached_binary *cached)
{
	struct source_query *query = &lookup->query;
	const size_t count = query->function_count;
	size_t left;
	bool ok;

	if (!cached_answer(cached, query, &left, &lookup->err))
		return false;
	if (left && cached_wants_all(cached) &&
	    (!read_all(lookup, debug, symbolizer, cached) ||
	     !cached_answer(cached, query, &left, &lookup->err)))
		return false;
	qsort(query->functions, left, sizeof(*query->functions), search_compare);
	query->function_count = left;
	ok = !left || (read_debug(query, debug, symbolizer, &lookup->diag, &lookup->err) &&
	               cached_keep(cached, query, &lookup->err));
	query->function_count = count;
	qsort(query->functions, count, sizeof(*query->functions), search_compare);
	return ok;
}

/* The binary as a recording before has read it, or as it is read now, if that can be kept. */
static struct cached_binary *load_cached(struct lookup *lookup, const struct symbol_query *query,
                                         struct lookup_cache *cache, struct symbols **symbols)
{
	struct cached_binary *cached = cache ? lookup_cache_find(cache, query) : NULL;

	*symbols = cached ? cached_symbols(cached) : symbols_load(query, &lookup->err);
	if (cached || !cache || !*symbols || lookup->diag.formats)
		return cached;
	return lookup_cache_put(cache, query, *symbols);
}

/* debug: if it has a path, it is kept. */
static void free_symbols(struct symbols *symbols, const struct debug_file *debug)
{
	if (debug->path)
		*symbols_debug(symbols) = (struct debug_file){ .path = NULL };
	symbols_free(symbols);
}

/*
 * Finds the symbol of each address, and source files, lines and inlined functions as far as they
 * are wanted. False with the lookup's err set when memory is refused.
 */
static bool run_lookup(struct lookup *lookup, const struct lookups *all)
{
	const struct lookup_options *options = &all->options;
	const struct symbol_query query = { .binary = lookup->binary,
		                            .strings = all->names,
		                            .options = &options->symbols,
		                            .diag = &lookup->diag,
		                            .addrs = lookup->addrs,
		                            .addr_count = lookup->count,
		                            .more = options->cache != NULL };
	const bool has_files = options->sources && options->symbolizer != SYMBOLIZER_NONE;
	struct debug_file debug = { .path = NULL };
	struct cached_binary *cached;
	struct symbols *symbols;
	bool ok;

	diag_init(&lookup->diag, NULL, NULL);
	if (!strings_init(&lookup->strings, &lookup->err))
		return false;
	cached = load_cached(lookup, &query, options->cache, &symbols);
	if (symbols)
		lookup->build_id = *symbols_build_id(symbols);
	ok = symbols && name_addrs(lookup, symbols, has_files) &&
	     ask_sources(lookup, symbols, options, &debug);
	if (!cached)
		free_symbols(symbols, &debug);
	if (ok && debug.path)
		ok = cached && !lookup->query.addr_count
		             ? read_unknown(lookup, &debug, options->symbolizer, cached)
		             : read_debug(&lookup->query, &debug, options->symbolizer,
		                          &lookup->diag, &lookup->err);
	if (!cached) {
		free(debug.path);
		free(debug.binary);
	} else if (!ok || lookup->diag.formats) {
		lookup_cache_drop(options->cache, cached);
	}
	if (ok)
		take_answers(lookup);
	return ok;
}

void lookup_release(struct lookup *lookup)
{
	strings_release(&lookup->strings);
	diag_release(&lookup->diag);
	free(lookup->functions);
	free(lookup->query.functions);
	free(lookup->query.addrs);
	free(lookup->query.frames);
}

/* --- all binaries */

/* The lookups, shared by two threads. */
struct work {
	const struct lookups *all;
	struct lookup **order; /* those that do not need the kernel */
	size_t count;
	atomic_size_t next; /* index of the next one to begin with */
};

/* Whether it uses the cache of the kernel's symbols, which only one thread may use. */
static bool needs_kernel(const struct lookup *lookup)
{
	return lookup->binary->kind == BINARY_KERNEL || lookup->binary->kind == BINARY_MODULE;
}

/*
 * Those that probably take long come first, so that both threads end at about the same time: a file
 * with an address far behind its start is large, and has much debug information.
 */
static int compare_work(const void *a, const void *b)
{
	const struct lookup *x = *(struct lookup *const *)a, *y = *(struct lookup *const *)b;

	return u64_order(y->addrs[y->count - 1], x->addrs[x->count - 1]);
}

static bool order_work(struct work *work, struct err *err)
{
	const struct lookups *all = work->all;

	work->order = vec_new(all->count, sizeof(*work->order), err);
	for (size_t i = 0; work->order && i < all->count; i++)
		if (!needs_kernel(&all->items[i]))
			work->order[work->count++] = &all->items[i];
	if (work->order)
		qsort(work->order, work->count, sizeof(*work->order), compare_work);
	return work->order;
}

static void *run_others(void *context)
{
	struct work *work = context;
	size_t at;

	do
		at = atomic_fetch_add(&work->next, 1);
	while (at < work->count && run_lookup(work->order[at], work->all));
	return NULL;
}

/* The kernel and its modules, in the one thread that may use the cache of its symbols. */
static void run_kernel_first(void *context)
{
	struct work *work = context;
	const struct lookups *all = work->all;
	bool ok = true;

	for (size_t i = 0; ok && i < all->count; i++)
		ok = !needs_kernel(&all->items[i]) || run_lookup(&all->items[i], all);
	if (ok)
		run_others(work);
}

/* Whether two threads may be used. Child processes and downloads are not ready for that. */
static bool may_share(const struct lookups *all)
{
	return all->threads > 1 && all->count > 1 && !all->options.symbols.files.debuginfod &&
	       all->options.symbolizer != SYMBOLIZER_ADDR2LINE;
}

/* Collects the addresses of the kernel and its modules, so that only symbols for these are kept. */
static bool find_kernel_addrs(const struct lookups *all, uint64_t **addrs, size_t *count,
                              struct err *err)
{
	size_t capacity = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct lookup *lookup = &all->items[i];
		bool module = lookup->binary->kind == BINARY_MODULE;

		for (size_t k = 0; needs_kernel(lookup) && k < lookup->count; k++) {
			uint64_t addr = lookup->addrs[k] + (module ? lookup->binary->start : 0);

			if (!vec_append(addrs, count, &capacity, &addr, sizeof(addr), err))
				return false;
		}
	}
	return radix_sort_array(addrs, *count, sizeof(**addrs), err);
}

/* Whether the kernel and its modules were looked up, and gave no warning. */
static bool kernel_is_clean(const struct lookups *all)
{
	bool clean = true;

	for (size_t i = 0; clean && i < all->count; i++)
		clean = !needs_kernel(&all->items[i]) ||
		        (all->items[i].err.code == ERR_NONE && !all->items[i].diag.formats);
	return clean;
}

bool lookups_run(struct lookups *lookups, struct err *err)
{
	struct work work = { .all = lookups };
	struct symbol_options *symbols = &lookups->options.symbols;
	struct kept_list *kept = NULL;
	uint64_t *addrs = NULL;
	bool ok = order_work(&work, err) &&
	          find_kernel_addrs(lookups, &addrs, &symbols->kernel_addr_count, err);

	symbols->kernel_addrs = addrs;
	if (ok && lookups->options.cache && symbols->kernel_addr_count)
		kept = kernel_lists_begin(lookup_cache_kernels(lookups->options.cache), symbols,
		                          lookups->names);
	if (ok)
		thread_both(may_share(lookups), run_kernel_first, run_others, &work);
	kernel_lists_end(kept, kernel_is_clean(lookups));
	free(work.order);
	free(addrs);
	for (size_t i = 0; ok && i < lookups->count; i++)
		if (lookups->items[i].err.code != ERR_NONE)
			ok = err_pass(err, &lookups->items[i].err);
	return ok;
}

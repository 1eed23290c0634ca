#include "decode/lookup.h"

#include "util/vec.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The symbol of each distinct address. */
static bool name_addrs(struct lookup *lookup, const struct symbols *symbols)
{
	const struct tally_entry *entries = lookup->entries;
	const struct symbol *last = NULL;
	uint32_t last_name = STRING_EMPTY;

	for (size_t i = 0; i < lookup->count; i++) {
		const struct symbol *symbol = NULL;
		enum symbol_origin why = lookup->reason;
		struct named *named;

		if (i && entries[i].addr == entries[i - 1].addr)
			continue;
		named = vec_grow(lookup->named, lookup->named_count, &lookup->named_capacity,
		                 sizeof(*named), &lookup->err);
		if (!named)
			return false;
		lookup->named = named;
		named += lookup->named_count++;
		if (symbols)
			symbol = symbols_find(symbols, entries[i].addr, &why);
		if (symbol && symbol != last) {
			last_name = strings_put_text(&lookup->strings, symbol->name, &lookup->err);
			last = symbol;
			lookup->functions++;
		}
		if (last_name == STRING_NONE)
			return false;
		named->addr = entries[i].addr;
		named->link_addr = symbols_link_addr(symbols, entries[i].addr);
		named->has_symbol = symbol != NULL;
		named->function = symbol ? last_name : STRING_EMPTY;
		named->origin = symbol ? symbol->origin : (uint8_t)why;
		named->entry = symbol ? symbol->entry : named->link_addr;
	}
	return true;
}

static int compare_functions(const void *a, const void *b)
{
	const struct source_function *x = a, *y = b;

	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

static int compare_addrs(const void *a, const void *b)
{
	const struct source_addr *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Asks for the source of every named function, and of every address where lines are wanted. */
static bool ask_sources(struct lookup *lookup, const struct symbols *symbols,
                        const struct lookup_options *options)
{
	struct source_query *query = &lookup->query;
	const char *path = symbols ? symbols_debug_path(symbols) : NULL;
	size_t used = 0;

	query->strings = &lookup->strings;
	query->inlines = options->inlines;
	query->symfs = options->symbols.symfs;
	if (!path || options->symbolizer == SYMBOLIZER_NONE || lookup->named_count == 0)
		return true;
	/* addr2line does not know where the kernel puts the sections of a module. */
	if (options->symbolizer == SYMBOLIZER_ADDR2LINE && lookup->binary->kind == BINARY_MODULE)
		return true;
	lookup->work = symbols_debug_work(symbols);
	lookup->debug_path = strdup(path);
	if (!lookup->debug_path)
		return err_nomem(&lookup->err, strlen(path) + 1);
	query->path = lookup->debug_path;
	path = symbols_binary_path(symbols);
	lookup->binary_path = path ? strdup(path) : NULL;
	if (path && !lookup->binary_path)
		return err_nomem(&lookup->err, strlen(path) + 1);
	query->binary = lookup->binary_path;
	query->functions = calloc(lookup->named_count, sizeof(*query->functions));
	query->addrs = calloc(lookup->named_count, sizeof(*query->addrs));
	if (!query->functions || !query->addrs)
		return err_nomem(&lookup->err, lookup->named_count * sizeof(*query->addrs));
	for (size_t i = 0; i < lookup->named_count; i++) {
		const struct named *named = &lookup->named[i];

		if (named->has_symbol && options->sources &&
		    (used == 0 || query->functions[used - 1].entry != named->entry))
			query->functions[used++].entry = named->entry;
		if (options->lines || options->inlines)
			query->addrs[query->addr_count++].addr = named->link_addr;
	}
	qsort(query->functions, used, sizeof(*query->functions), compare_functions);
	for (size_t i = 0; i < used; i++)
		if (i == 0 || query->functions[i].entry != query->functions[i - 1].entry)
			query->functions[query->function_count++].entry = query->functions[i].entry;
	qsort(query->addrs, query->addr_count, sizeof(*query->addrs), compare_addrs);
	used = query->addr_count;
	query->addr_count = 0;
	for (size_t i = 0; i < used; i++)
		if (i == 0 || query->addrs[i].addr != query->addrs[i - 1].addr)
			query->addrs[query->addr_count++].addr = query->addrs[i].addr;
	return true;
}

uint32_t lookup_file(const struct lookup *lookup, const struct named *named)
{
	struct source_function wanted = { named->entry, STRING_EMPTY };
	const struct source_function *found = NULL;

	if (named->has_symbol && lookup->query.function_count)
		found = bsearch(&wanted, lookup->query.functions, lookup->query.function_count,
		                sizeof(wanted), compare_functions);
	return found ? found->file : STRING_EMPTY;
}

const struct source_addr *lookup_line(const struct lookup *lookup, uint64_t link_addr)
{
	struct source_addr wanted = { 0 };

	wanted.addr = link_addr;
	return lookup->query.addr_count
	               ? bsearch(&wanted, lookup->query.addrs, lookup->query.addr_count,
	                         sizeof(wanted), compare_addrs)
	               : NULL;
}

static void say_nothing(void *context, uint64_t offset, const char *text)
{
	(void)context;
	(void)offset;
	(void)text;
}

static bool run_names(struct lookup *lookup, const struct lookup_options *options,
                      const struct strings *names)
{
	struct symbols *symbols;
	bool ok;

	diag_init(&lookup->diag, say_nothing, NULL);
	lookup->reason = ORIGIN_NO_MAP;
	if (!strings_init(&lookup->strings, &lookup->err))
		return false;
	symbols = symbols_load(lookup->binary, names, &options->symbols, &lookup->diag,
	                       &lookup->reason, &lookup->err);
	ok = lookup->err.code == ERR_NONE && name_addrs(lookup, symbols) &&
	     ask_sources(lookup, symbols, options);
	symbols_free(symbols);
	return ok;
}

#define LONG_DIGITS 24 /* of binary: 8 MB of debug information */

/* Lookups that two threads share. */
struct work {
	struct lookup *lookups;
	size_t count, next;
	struct lookup *ready[65]; /* named, but without source yet, by the digits of their work */
	const struct lookup_options *options;
	const struct tally *tally;
	const struct strings *names;
	pthread_mutex_t lock;
	bool failed;
};

/* What uses the cache of the kernel's symbols, which is for one thread. */
static bool needs_kernel(const struct lookup *lookup)
{
	return lookup->binary->kind == BINARY_KERNEL || lookup->binary->kind == BINARY_MODULE;
}

/* The lookup without source yet that takes longest, if its work has so many digits at least. */
static struct lookup *take_ready(struct work *work, size_t digits)
{
	for (size_t i = ARRAY_SIZE(work->ready); i-- > digits;) {
		struct lookup *lookup = work->ready[i];

		if (!lookup)
			continue;
		work->ready[i] = lookup->next;
		return lookup;
	}
	return NULL;
}

/*
 * What to do next, so that the threads end together: sources that take longer than most names do, then
 * names, then the other sources, the longest first. *name: which of the two. NULL: nothing is left, or
 * something failed.
 */
static struct lookup *next_lookup(struct work *work, bool *name)
{
	struct lookup *lookup;

	*name = false;
	if (work->failed)
		return NULL;
	if ((lookup = take_ready(work, LONG_DIGITS)))
		return lookup;
	*name = true;
	while (work->next < work->count)
		if (!needs_kernel(&work->lookups[work->next++]))
			return &work->lookups[work->next - 1];
	*name = false;
	return take_ready(work, 0);
}

static void run_one(struct work *work, struct lookup *lookup, bool name,
                    const struct lookup_options *options)
{
	size_t digits = 0;
	bool ok;

	if (name)
		ok = run_names(lookup, options, work->names);
	else
		ok = source_lookup(options->symbolizer, &lookup->query, &lookup->diag, &lookup->err);
	while (lookup->work >> digits && ++digits < 64)
		;
	pthread_mutex_lock(&work->lock);
	work->failed |= !ok;
	if (name && lookup->query.path) {
		lookup->next = work->ready[digits];
		work->ready[digits] = lookup;
	}
	pthread_mutex_unlock(&work->lock);
}

static void run_some(struct work *work)
{
	struct lookup *lookup;

	do {
		bool name;

		pthread_mutex_lock(&work->lock);
		lookup = next_lookup(work, &name);
		pthread_mutex_unlock(&work->lock);
		if (lookup && name)
			tally_sort(work->tally, lookup->entries, lookup->count);
		if (lookup)
			run_one(work, lookup, name, work->options);
	} while (lookup);
}

/* The second thread. What has nothing to do with names comes first: it does not depend on theirs. */
static void *run_beside(void *context)
{
	struct work *work = context;

	if (work->options->meanwhile)
		work->options->meanwhile(work->options->context);
	run_some(work);
	return NULL;
}

/* Whether all that a lookup calls is ready for two threads: children and downloads are not. */
static bool may_share(const struct lookup_options *options, size_t count)
{
	return options->threads > 1 && count > 1 && !options->symbols.debuginfod &&
	       options->symbolizer != SYMBOLIZER_ADDR2LINE;
}

static int compare_u64(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Where the kernel and its modules were sampled, so that no more of its symbols are kept. */
static bool kernel_addrs(const struct lookup *lookups, size_t count, struct symbol_options *options,
                         uint64_t **addrs, struct err *err)
{
	size_t capacity = 0, used = 0;
	bool sorted = true;

	*addrs = NULL;
	for (size_t i = 0; i < count; i++) {
		const struct lookup *lookup = &lookups[i];
		bool module = lookup->binary->kind == BINARY_MODULE;

		for (size_t k = 0; needs_kernel(lookup) && k < lookup->count; k++) {
			uint64_t *grown = vec_grow(*addrs, used, &capacity, sizeof(*grown), err);

			if (!grown)
				return false;
			*addrs = grown;
			grown[used] = lookup->entries[k].addr;
			grown[used] += module ? lookup->binary->start : 0;
			sorted &= !used || grown[used] >= grown[used - 1];
			used++;
		}
	}
	if (!sorted)
		qsort(*addrs, used, sizeof(**addrs), compare_u64);
	options->kernel_addrs = *addrs;
	options->kernel_addr_count = used;
	return true;
}

/* Names what the thread that may use the kernel's cache has to name. */
static bool name_kernel(struct work *work, struct err *err)
{
	struct lookup_options options = *work->options;
	uint64_t *addrs;
	bool ok;

	for (size_t i = 0; i < work->count; i++)
		if (needs_kernel(&work->lookups[i]))
			tally_sort(work->tally, work->lookups[i].entries, work->lookups[i].count);
	ok = kernel_addrs(work->lookups, work->count, &options.symbols, &addrs, err);
	for (size_t i = 0; ok && i < work->count; i++)
		if (needs_kernel(&work->lookups[i]))
			run_one(work, &work->lookups[i], true, &options);
	free(addrs);
	pthread_mutex_lock(&work->lock);
	work->failed |= !ok;
	pthread_mutex_unlock(&work->lock);
	return ok;
}

bool lookup_all(struct lookup *lookups, size_t count, const struct lookup_options *options,
                const struct tally *tally, const struct strings *names, struct err *err)
{
	struct work work = { .lookups = lookups, .count = count, .options = options, .tally = tally,
		             .names = names };
	pthread_t thread;
	bool shared, ok;

	pthread_mutex_init(&work.lock, NULL);
	shared = may_share(options, count) && pthread_create(&thread, NULL, run_beside, &work) == 0;
	if (!shared && options->meanwhile)
		options->meanwhile(options->context);
	ok = name_kernel(&work, err);
	if (ok)
		run_some(&work);
	if (shared)
		pthread_join(thread, NULL);
	pthread_mutex_destroy(&work.lock);
	for (size_t i = 0; ok && i < count; i++)
		if (lookups[i].err.code != ERR_NONE)
			ok = err_pass(err, &lookups[i].err);
	return ok;
}

void lookup_release(struct lookup *lookup)
{
	strings_release(&lookup->strings);
	diag_release(&lookup->diag);
	free(lookup->named);
	free(lookup->query.functions);
	free(lookup->query.addrs);
	free(lookup->query.frames);
	free(lookup->debug_path);
	free(lookup->binary_path);
}

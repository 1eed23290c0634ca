#include "decode/naming/lookups.h"

#include "util/search.h"
#include "util/thread.h"
#include "util/vec.h"

#include <pthread.h>
#include <stdlib.h>

#define LONG_WORK (8 << 20) /* bytes of debug information from which work is long */

/* The lookups, shared by two threads. */
struct work {
	const struct lookups *all;
	size_t next;          /* index of the next one to be named */
	struct lookup *ready; /* a list: named, but without sources; most work first */
	pthread_mutex_t lock;
	bool failed;
	struct err kernel_err; /* of the list of its addresses */
};

/* Whether it uses the cache of the kernel's symbols, which only one thread may use. */
static bool needs_kernel(const struct lookup *lookup)
{
	return lookup->binary->kind == BINARY_KERNEL || lookup->binary->kind == BINARY_MODULE;
}

/* The lookup without sources that takes longest, if it is at least so much work. */
static struct lookup *take_longest(struct work *work, uint64_t least)
{
	struct lookup *longest = work->ready;

	if (!longest || longest->debug.work < least)
		return NULL;
	work->ready = longest->next;
	return longest;
}

/*
 * The next step, chosen so that both threads end at the same time: first sources that take longer
 * than most names, then names, then the other sources, the longest first. *names: whether it is for
 * names. NULL: nothing is left, or something failed.
 */
static struct lookup *next_lookup(struct work *work, bool *names)
{
	struct lookup *lookup;

	*names = false;
	if (work->failed)
		return NULL;
	if ((lookup = take_longest(work, LONG_WORK)))
		return lookup;
	*names = true;
	while (work->next < work->all->count)
		if (!needs_kernel(lookup = &work->all->items[work->next++]))
			return lookup;
	*names = false;
	return take_longest(work, 0);
}

/* A step of a lookup has ended or failed. */
static void put_back(struct work *work, struct lookup *lookup, bool names, bool ok)
{
	struct lookup **at = &work->ready;

	pthread_mutex_lock(&work->lock);
	work->failed |= !ok;
	if (names && lookup_has_sources(lookup)) {
		while (*at && (*at)->debug.work > lookup->debug.work)
			at = &(*at)->next;
		lookup->next = *at;
		*at = lookup;
	}
	pthread_mutex_unlock(&work->lock);
}

static void *run_some(void *context)
{
	struct work *work = context;
	const struct lookups *all = work->all;
	struct lookup *lookup;
	bool names, ok;

	for (;;) {
		pthread_mutex_lock(&work->lock);
		lookup = next_lookup(work, &names);
		pthread_mutex_unlock(&work->lock);
		if (!lookup)
			break;
		ok = names ? lookup_names(lookup, all->options, all->names)
		           : lookup_sources(lookup, all->options);
		put_back(work, lookup, names, ok);
	}
	return NULL;
}

/* Whether two threads may be used. Child processes and downloads are not ready for that. */
static bool may_share(const struct lookups *all)
{
	return all->threads > 1 && all->count > 1 && !all->options->symbols.files.debuginfod &&
	       all->options->symbolizer != SYMBOLIZER_ADDR2LINE;
}

/* Collects the addresses of the kernel and its modules, so that only symbols for these are kept. */
static bool find_kernel_addrs(const struct lookups *all, struct symbol_options *options,
                              uint64_t **addrs, struct err *err)
{
	size_t capacity = 0, used = 0;
	bool sorted = true;

	*addrs = NULL;
	for (size_t i = 0; i < all->count; i++) {
		const struct lookup *lookup = &all->items[i];
		bool module = lookup->binary->kind == BINARY_MODULE;

		for (size_t k = 0; needs_kernel(lookup) && k < lookup->count; k++) {
			uint64_t addr = lookup->addrs[k] + (module ? lookup->binary->start : 0);

			if (!vec_room(addrs, used, &capacity, sizeof(addr), err))
				return false;
			sorted &= !used || addr >= (*addrs)[used - 1];
			(*addrs)[used++] = addr;
		}
	}
	if (!sorted)
		qsort(*addrs, used, sizeof(**addrs), search_compare);
	options->kernel_addrs = *addrs;
	options->kernel_addr_count = used;
	return true;
}

/* Names the kernel and its modules, in the one thread that may use the cache of its symbols. */
static void name_kernel(struct work *work)
{
	const struct lookups *all = work->all;
	struct lookup_options options = *all->options;
	uint64_t *addrs;
	bool ok;

	ok = find_kernel_addrs(all, &options.symbols, &addrs, &work->kernel_err);
	for (size_t i = 0; ok && i < all->count; i++)
		if (needs_kernel(&all->items[i]))
			put_back(work, &all->items[i], true,
			         lookup_names(&all->items[i], &options, all->names));
	free(addrs);
	pthread_mutex_lock(&work->lock);
	work->failed |= !ok;
	pthread_mutex_unlock(&work->lock);
}

static void name_kernel_first(void *context)
{
	name_kernel(context);
	run_some(context);
}

bool lookups_run(const struct lookups *lookups, struct err *err)
{
	struct work work = { .all = lookups };
	bool ok;

	pthread_mutex_init(&work.lock, NULL);
	thread_both(may_share(lookups), name_kernel_first, run_some, &work);
	pthread_mutex_destroy(&work.lock);
	ok = work.kernel_err.code == ERR_NONE || err_pass(err, &work.kernel_err);
	for (size_t i = 0; ok && i < lookups->count; i++)
		if (lookups->items[i].err.code != ERR_NONE)
			ok = err_pass(err, &lookups->items[i].err);
	return ok;
}

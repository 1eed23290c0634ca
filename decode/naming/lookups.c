#include "decode/naming/lookup.h"

#include "util/search.h"
#include "util/thread.h"
#include "util/vec.h"

#include <pthread.h>
#include <stdlib.h>

/* The lookups, shared by two threads. */
struct work {
	const struct lookups *all;
	struct lookup **order; /* those that do not need the kernel */
	size_t count, next;    /* next: index of the next one to begin with */
	pthread_mutex_t lock;
	struct err err; /* of what is not the work of one lookup */
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

/* NULL: nothing is left. */
static struct lookup *next_lookup(struct work *work)
{
	struct lookup *next = NULL;

	pthread_mutex_lock(&work->lock);
	if (work->next < work->count)
		next = work->order[work->next++];
	pthread_mutex_unlock(&work->lock);
	return next;
}

/* Ends early where memory is refused, as the err of the lookup says. */
static void *run_others(void *context)
{
	struct work *work = context;
	const struct lookups *all = work->all;
	struct lookup *lookup;

	do
		lookup = next_lookup(work);
	while (lookup && lookup_names(lookup, all->options, all->names) &&
	       lookup_sources(lookup, all->options));
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

			sorted &= !used || addr >= (*addrs)[used - 1];
			if (!vec_append(addrs, &used, &capacity, &addr, sizeof(addr), err))
				return false;
		}
	}
	if (!sorted)
		qsort(*addrs, used, sizeof(**addrs), search_compare);
	options->kernel_addrs = *addrs;
	options->kernel_addr_count = used;
	return true;
}

/* The kernel and its modules, in the one thread that may use the cache of its symbols. */
static void run_kernel_first(void *context)
{
	struct work *work = context;
	const struct lookups *all = work->all;
	struct lookup_options options = *all->options;
	uint64_t *addrs;
	bool ok = find_kernel_addrs(all, &options.symbols, &addrs, &work->err);

	for (size_t i = 0; ok && i < all->count; i++)
		if (needs_kernel(&all->items[i]))
			ok = lookup_names(&all->items[i], &options, all->names) &&
			     lookup_sources(&all->items[i], &options);
	free(addrs);
	if (ok)
		run_others(work);
}

bool lookups_run(const struct lookups *lookups, struct err *err)
{
	struct work work = { .all = lookups };
	bool ok;

	if (!order_work(&work, err))
		return false;
	pthread_mutex_init(&work.lock, NULL);
	thread_both(may_share(lookups), run_kernel_first, run_others, &work);
	pthread_mutex_destroy(&work.lock);
	free(work.order);
	ok = work.err.code == ERR_NONE || err_pass(err, &work.err);
	for (size_t i = 0; ok && i < lookups->count; i++)
		if (lookups->items[i].err.code != ERR_NONE)
			ok = err_pass(err, &lookups->items[i].err);
	return ok;
}

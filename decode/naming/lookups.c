#include "decode/naming/lookup.h"

#include "util/search.h"
#include "util/thread.h"
#include "util/vec.h"

#include <stdatomic.h>
#include <stdlib.h>

/* The lookups, shared by two threads. */
struct work {
	const struct lookups *all;
	struct lookup_options options; /* with the addresses of the kernel */
	struct lookup **order;         /* those that do not need the kernel */
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

/* False when memory is refused, as the err of the lookup says. */
static bool run_one(const struct work *work, struct lookup *lookup)
{
	return lookup_run(lookup, &work->options, work->all->names);
}

static void *run_others(void *context)
{
	struct work *work = context;
	size_t at;

	do
		at = atomic_fetch_add(&work->next, 1);
	while (at < work->count && run_one(work, work->order[at]));
	return NULL;
}

/* The kernel and its modules, in the one thread that may use the cache of its symbols. */
static void run_kernel_first(void *context)
{
	struct work *work = context;
	const struct lookups *all = work->all;
	bool ok = true;

	for (size_t i = 0; ok && i < all->count; i++)
		ok = !needs_kernel(&all->items[i]) || run_one(work, &all->items[i]);
	if (ok)
		run_others(work);
}

/* Whether two threads may be used. Child processes and downloads are not ready for that. */
static bool may_share(const struct lookups *all)
{
	return all->threads > 1 && all->count > 1 && !all->options->symbols.files.debuginfod &&
	       all->options->symbolizer != SYMBOLIZER_ADDR2LINE;
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

bool lookups_run(const struct lookups *lookups, struct err *err)
{
	struct work work = { .all = lookups, .options = *lookups->options };
	struct symbol_options *symbols = &work.options.symbols;
	uint64_t *addrs = NULL;
	bool ok = order_work(&work, err) &&
	          find_kernel_addrs(lookups, &addrs, &symbols->kernel_addr_count, err);

	symbols->kernel_addrs = addrs;
	if (ok)
		thread_both(may_share(lookups), run_kernel_first, run_others, &work);
	free(work.order);
	free(addrs);
	for (size_t i = 0; ok && i < lookups->count; i++)
		if (lookups->items[i].err.code != ERR_NONE)
			ok = err_pass(err, &lookups->items[i].err);
	return ok;
}

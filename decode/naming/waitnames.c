#include "decode/naming/waitnames.h"

#include "decode/select/pattern.h"
#include "decode/symbols/kernel.h"
#include "perffile/session/buildid.h"
#include "util/search.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
	"__schedule",
	"schedule",
	"schedule_*",
	"__cond_resched*",
	"io_schedule*",
	"preempt_schedule*",
	"yield",
	"yield_to",
	"wait_for_completion*",
	"wait_for_common*",
	"__wait_for_common",
	"do_wait_for_common",
	"bit_wait*",
	"out_of_line_wait_on_bit*",
	"__wait_on_bit*",
	"do_nanosleep",
	"usleep_range*",
	"*mutex_lock*",
	"mutex_unlock",
	"__mutex_*",
	"ww_mutex_*",
	"rt_mutex_*lock*",
	"rwsem_down_*",
	"down",
	"down_*",
	"__down",
	"__down_*",
	"up_*",
	"__up",
	"percpu_down_write",
	"percpu_rwsem_wait",
	"__percpu_down_read",
	"*_spin_lock*",
	"*_read_lock*",
	"*_write_lock*",
	"*queued_spin_lock_slowpath",
	"queued_read_lock_slowpath",
	"queued_write_lock_slowpath",
};

static const char *const bound_prefixes[] = { "__sched_text_", "__lock_text_", NULL };

static const char *const bounds[][2] = { { "__sched_text_start", "__sched_text_end" },
	                                 { "__lock_text_start", "__lock_text_end" } };

struct wait_finder {
	struct wait_code *code;
	struct wait_range bounds[ARRAY_SIZE(bounds)];
	bool known; /* the bounds are */
	struct err *err;
};

static void note_bounds(void *context, const char *name, uint64_t start, uint64_t end)
{
	struct wait_finder *finder = context;

	(void)end;
	for (size_t i = 0; i < ARRAY_SIZE(bounds); i++) {
		if (strcmp(name, bounds[i][0]) == 0)
			finder->bounds[i].start = start;
		if (strcmp(name, bounds[i][1]) == 0)
			finder->bounds[i].end = start;
	}
}

static bool add_range(struct wait_finder *finder, uint64_t start, uint64_t end)
{
	struct wait_code *code = finder->code;
	struct wait_range *last = code->count ? &code->ranges[code->count - 1] : NULL;

	if (last && start <= last->end) {
		last->end = end > last->end ? end : last->end;
		return true;
	}
	return vec_append(&code->ranges, &code->count, &code->capacity,
	                  &(struct wait_range){ start, end }, sizeof(*code->ranges), finder->err);
}

static void note_function(void *context, const char *name, uint64_t start, uint64_t end)
{
	struct wait_finder *finder = context;

	for (size_t i = 0; i < ARRAY_SIZE(names) && finder->err->code == ERR_NONE; i++)
		if (pattern_matches(names[i], name)) {
			add_range(finder, start, end);
			return;
		}
}

static void find_bounds(struct wait_finder *finder, const struct symbols *symbols)
{
	symbols_each(symbols, note_bounds, finder);
	qsort(finder->bounds, ARRAY_SIZE(bounds), sizeof(*finder->bounds), search_compare);
	for (size_t i = 0; i < ARRAY_SIZE(bounds) && finder->err->code == ERR_NONE; i++)
		if (finder->bounds[i].start < finder->bounds[i].end && finder->bounds[i].start)
			finder->known |= add_range(finder, finder->bounds[i].start,
			                           finder->bounds[i].end);
}

static bool find_in(struct wait_finder *finder, const struct symbol_query *query)
{
	struct symbols *symbols = symbols_load(query, finder->err);

	if (symbols && query->options->kernel_names)
		find_bounds(finder, symbols);
	else if (symbols)
		symbols_each(symbols, note_function, finder);
	symbols_free(symbols);
	symbol_cache_release(query->options->cache);
	return finder->err->code == ERR_NONE;
}

/* Nearly always the bounds are there, and all other symbols need not be kept, nor sorted. */
static bool find_code(struct wait_finder *finder, struct symbol_query *query,
                      struct symbol_options *options)
{
	options->kernel_names = bound_prefixes;
	if (!find_in(finder, query) || finder->known)
		return finder->err->code == ERR_NONE;
	options->kernel_names = NULL;
	return find_in(finder, query);
}

bool wait_code_find(struct wait_code *code, struct buildstat *stat,
                    const struct naming_options *options, struct err *err)
{
	const uint32_t kernel = stat->mappings.kernel_binary;
	struct wait_finder finder = { .code = code, .err = err };
	struct symbol_cache cache = { .searched = false };
	struct lookup_options how;
	struct binary binary;
	struct diag silent; /* naming gives the warnings */
	struct symbol_query query = { .binary = &binary,
		                      .strings = stat->strings,
		                      .options = &how.symbols,
		                      .diag = &silent };

	if (kernel == UINT32_MAX)
		return true;
	code->binary = kernel;
	binary = stat->binaries.items[kernel];
	if (!session_load_build_ids(stat->session, err) ||
	    !mapping_complete_build_id(&stat->mappings, stat->session, &binary, err))
		return false;
	diag_init(&silent, NULL, NULL);
	how = naming_lookup_options(&options->lookup, stat, &cache, err);
	how.symbols.kernel = &binary;
	if (err->code == ERR_NONE)
		find_code(&finder, &query, &how.symbols);
	diag_release(&silent);
	return err->code == ERR_NONE;
}

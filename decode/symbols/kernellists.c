#include "decode/symbols/kernellists.h"

#include <stdlib.h>
#include <string.h>

#define LIST_BYTES ((size_t)32 << 20) /* that are kept of one at most; one of Debian has 9 MB */

static void forget(struct kept_list *kept)
{
	symbol_cache_release(&kept->list);
	free(kept->ref_name);
	*kept = (struct kept_list){ .ref_name = NULL };
}

void kernel_lists_release(struct kernel_lists *lists)
{
	for (size_t i = 0; i < KERNEL_LISTS; i++)
		forget(&lists->items[i]);
}

static bool can_be_kept(const struct symbol_options *options)
{
	const struct binary *kernel = options->kernel;

	return kernel && kernel->build_id.size && kernel->ref_addr &&
	       !options->recorded_list_size && !options->recorded_files &&
	       !kernel_has_kcore_dir(options);
}

/* The place of this kernel; or, if none is known, a new one in place of the one used longest ago.
 */
static struct kept_list *place_of(struct kernel_lists *lists, const struct binary *kernel,
                                  const char *ref_name)
{
	struct kept_list *oldest = &lists->items[0];

	for (size_t i = 0; i < KERNEL_LISTS; i++) {
		struct kept_list *item = &lists->items[i];

		if (item->ref_name && item->ref_addr == kernel->ref_addr &&
		    build_id_equal(&item->build_id, &kernel->build_id) &&
		    !strcmp(item->ref_name, ref_name))
			return item;
		if (item->used < oldest->used)
			oldest = item;
	}
	forget(oldest);
	return oldest;
}

struct kept_list *kernel_lists_begin(struct kernel_lists *lists, struct symbol_options *options,
                                     const struct strings *strings)
{
	const struct binary *kernel = options->kernel;
	struct kept_list *kept;
	const char *ref_name;

	if (!can_be_kept(options))
		return NULL;
	ref_name = strings_get(strings, kernel->ref_name);
	kept = place_of(lists, kernel, ref_name);
	kept->used = ++lists->now;
	if (!kept->ref_name) {
		kept->ref_name = strdup(ref_name);
		kept->ref_addr = kernel->ref_addr;
		kept->build_id = kernel->build_id;
		return NULL;
	}
	if (kept->no_whole)
		return NULL;
	options->cache = &kept->list;
	options->kernel_addrs = NULL;
	options->kernel_addr_count = 0;
	return kept;
}

void kernel_lists_end(struct kept_list *kept, bool good)
{
	if (!kept || !kept->list.searched)
		return;
	if (good && kept->list.found && symtable_bytes(&kept->list.kallsyms.table) <= LIST_BYTES)
		return;
	symbol_cache_release(&kept->list);
	kept->no_whole = true;
}

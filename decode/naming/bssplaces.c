#include "decode/naming/bssplaces.h"

#include "util/search.h"
#include "util/vec.h"

#include <stdlib.h>

#define PAGE 4096 /* the least that any kernel has */

/* An access to memory behind a file. */
struct behind {
	uint64_t binary; /* of the file */
	size_t access;
};

/* Whether a place behind the bytes of the file is in the memory of a segment, or in its last page.
 */
static bool has_memory(const struct elf *elf, uint64_t offset)
{
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *segment = &elf->segments[i];
		const uint64_t end = u64_add_sat(segment->vaddr, segment->memory_size);

		if (offset >= segment->offset && segment->memory_size > segment->file_size &&
		    offset - segment->offset < u64_add_sat(end, -end % PAGE) - segment->vaddr)
			return true;
	}
	return false;
}

bool bss_places_find(bool *of_file, const struct buildstat *stat, const struct file_options *files,
                     struct err *err)
{
	const size_t count = stat->memory.accesses.count;
	struct behind *list = vec_new(count, sizeof(*list), err);
	size_t used = 0;
	bool ok = list;

	for (size_t i = 0; ok && i < count; i++) {
		const struct access_key *key = memorystat_access(&stat->memory, i);

		of_file[i] = key->mapped_binary == key->data_binary;
		if (!of_file[i])
			list[used++] = (struct behind){ key->data_binary, i };
	}
	if (used)
		qsort(list, used, sizeof(*list), search_compare);
	for (size_t first = 0, end; ok && first < used; first = end) {
		struct located located;

		ok = locate(&located, &stat->binaries.items[list[first].binary], stat->strings,
		            files, NULL, err);
		for (end = first; ok && end < used && list[end].binary == list[first].binary; end++)
			of_file[list[end].access] =
				located.has_runtime &&
				has_memory(
					&located.runtime,
					memorystat_access(&stat->memory, list[end].access)->data);
		if (ok)
			located_release(&located);
	}
	free(list);
	return ok;
}

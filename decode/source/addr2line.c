#include "decode/source/addr2line.h"

#include "decode/source/addr2lineprocess.h"
#include "decode/dwarf/dwarf.h"
#include "util/vec.h"

enum symbolizer symbolizer_default(void)
{
#ifdef HAVE_LIBDW
	return SYMBOLIZER_LIBDW;
#else
	return SYMBOLIZER_ADDR2LINE;
#endif
}

struct source_frame *source_frame_add(struct source_query *query, struct err *err)
{
	struct source_frame *grown = vec_grow(query->frames, query->frame_count,
	                                      &query->frame_capacity, sizeof(*grown), err);

	if (!grown)
		return NULL;
	query->frames = grown;
	grown += query->frame_count++;
	*grown = (struct source_frame){ 0 };
	return grown;
}

/* Empties the answers, so that whatever is not known is also not said. */
static void clear(struct source_query *query)
{
	for (size_t i = 0; i < query->function_count; i++)
		query->functions[i].file = STRING_EMPTY;
	for (size_t i = 0; i < query->addr_count; i++)
		query->addrs[i] = (struct source_addr){ .addr = query->addrs[i].addr };
	query->frame_count = 0;
}

bool source_lookup(enum symbolizer symbolizer, struct source_query *query, struct diag *diag,
                   struct err *err)
{
	bool unreadable = false;

	clear(query);
	if (!query->function_count && !query->addr_count)
		return true;
	switch (symbolizer) {
	case SYMBOLIZER_LIBDW:
		if (!dwarf_lookup(query, &unreadable, diag, err))
			return false;
		/* binutils may know a compression that libdw does not. */
		return !unreadable || addr2line_lookup(query, diag, err);
	case SYMBOLIZER_ADDR2LINE:
		return addr2line_lookup(query, diag, err);
	case SYMBOLIZER_NONE:
		break;
	}
	return true;
}

#include "perffile/facts/factwork.h"

#include "perffile/session/features.h"

const char *work_str(struct work *work)
{
	const char *text = feature_str(work->c, work->facts->arena);

	return text ? text : "";
}

uint32_t work_count(struct work *work, size_t size_min)
{
	uint32_t count = cur_u32(work->c);

	return work_fine(work) && cur_fits(work->c, count, size_min, "entries") ? count : 0;
}

void work_str_fact(struct work *work, const char *key)
{
	facts_put(work->facts, key, "%s", work_str(work));
}

void work_str_list(struct work *work, const char *key)
{
	uint32_t count = work_count(work, STR_SIZE_MIN);

	for (uint32_t i = 0; i < count && work_fine(work); i++)
		work_str_fact(work, key);
}

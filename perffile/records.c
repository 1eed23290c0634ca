#include "perffile/records.h"

#include "util/tree.h"

#include <stdlib.h>

struct records {
	struct tree tree;
	uint64_t nr; /* of the last one inserted: the high bits that nodes do not keep */
	size_t most;
};

struct records *records_new(struct err *err)
{
	struct records *records = calloc(1, sizeof(*records));

	if (!records)
		err_nomem(err, sizeof(*records));
	return records;
}

void records_free(struct records *records)
{
	if (records)
		free(records->tree.nodes);
	free(records);
}

bool records_insert(struct records *records, const struct waiting *waiting, struct err *err)
{
	records->nr = waiting->nr;
	if (!tree_insert(&records->tree, waiting->time, (uint32_t)waiting->nr, waiting->data, err))
		return false;
	if (records->tree.count > records->most)
		records->most = records->tree.count;
	return true;
}

bool records_take(struct records *records, uint64_t bound, struct waiting *waiting)
{
	const struct tree_node *node;

	if (!records->tree.count || records->tree.nodes[records->tree.first].key > bound)
		return false;
	node = tree_take_first(&records->tree);
	waiting->time = node->key;
	waiting->data = node->value;
	/* the difference to the last one inserted is small, of either sign */
	waiting->nr = records->nr + (uint64_t)(int64_t)(int32_t)(node->tie - (uint32_t)records->nr);
	return true;
}

size_t records_count(const struct records *records)
{
	return records->tree.count;
}

size_t records_most(const struct records *records)
{
	return records->most;
}

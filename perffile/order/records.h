/*
 * The timestamp-sorted AVL tree: records wait here until nothing older can come. The key is (time,
 * position), so equal times keep file order.
 *
 * A recording is a few ascending streams, written in turn. Records that follow each other in a block
 * and in time are one piece; pieces that follow each other in time are one chain, whatever lies between
 * them; and a chain is one node of the tree, its key that of its first record that still waits. So the
 * tree is searched only where one stream ends and another begins.
 */
#ifndef READPERF_PERFFILE_ORDER_RECORDS_H
#define READPERF_PERFFILE_ORDER_RECORDS_H

#include "util/tree.h"

/* What is left of a piece. */
struct piece {
	uint64_t time, nr;   /* of its first record that waits: ns, position in the recording */
	const uint8_t *data; /* the raw records; their block is held by whoever inserts */
	uint32_t count;      /* records */
	uint32_t next; /* piece of its chain, or of the free ones; PIECE_NONE: it is the last */
};

#define PIECE_NONE UINT32_MAX

/* All of it is for this room, but for the counts. */
struct records {
	struct tree tree; /* of chains; the value is the first piece */
	struct piece *pieces;
	size_t pieces_used, piece_capacity; /* those ever used */
	uint32_t free;                      /* piece given back, or PIECE_NONE */
	/* the chain that the next record may continue */
	uint32_t open, open_piece; /* its node, or TREE_NIL; its last piece */
	const uint8_t *open_end;
	uint64_t open_time; /* ns, of its last record */
	size_t count, most; /* records */
	size_t piece_count;
};

/* What waits: a piece, or what is left of it. */
struct waiting {
	uint64_t time; /* ns, of its first record */
	uint64_t
		nr; /* position of that in the recording; those that wait together lie within 2^31 */
	const uint8_t *data;
	uint32_t count;
};

void records_init(struct records *records);
void records_release(struct records *records);

/*
 * Adds records of size bytes, the last one with last_time. *started tells whether a piece begins with
 * them: their block must then be held until that piece is used up.
 */
bool records_insert(struct records *records, const struct waiting *waiting, size_t size,
                    uint64_t last_time, bool *started, struct err *err);

/*
 * The piece whose first record comes first in order, if its time is at most bound. It stays until
 * records_advance() is called, which is due before the next call of any other function here.
 */
static inline bool records_first(const struct records *records, uint64_t bound,
                                 struct waiting *waiting)
{
	const struct tree_node *node;
	const struct piece *piece;

	/* an empty tree has no nodes */
	if (!records->count)
		return false;
	node = &records->tree.nodes[records->tree.first];
	if (node->key > bound)
		return false;
	piece = &records->pieces[node->value];
	*waiting = (struct waiting){ piece->time, piece->nr, piece->data, piece->count };
	return true;
}

/* The time of the chain behind that, or UINT64_MAX. */
static inline uint64_t records_second_time(const struct records *records)
{
	uint32_t second = tree_next(&records->tree, records->tree.first);

	return second == TREE_NIL ? UINT64_MAX : records->tree.nodes[second].key;
}

/*
 * Takes count records out of that piece. next and time tell where the record behind them lies and its
 * time in ns; where none is left, they are not used, and the piece's block may be given back.
 */
bool records_advance(struct records *records, uint32_t count, const uint8_t *next, uint64_t time,
                     struct err *err);

#endif

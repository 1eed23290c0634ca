#include "decode/dwarf/scan.h"

#include "decode/dwarf/abbrev.h"
#include "decode/dwarf/code.h"
#include "util/strings.h"
#include "util/vec.h"

#include <stdlib.h>

/* Deeper nesting than any compiler's; below it functions are taken as siblings. */
enum { DEPTH_MAX = 256 };

/* Instead of a node: inside a function that covers no point. */
#define NODE_OUTSIDE (POINT_NONE - 1)

/* What is found by the offset of its DIE begins with that. */
static int compare_offsets(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

const struct scan_orphan *scan_orphan_find(const struct scan *scan, uint64_t offset)
{
	if (!scan->orphan_count)
		return NULL;
	return bsearch(&offset, scan->orphans, scan->orphan_count, sizeof(*scan->orphans),
	               compare_offsets);
}

const struct scan_scope *scopes_find(const struct scopes *scopes, uint64_t offset)
{
	if (!scopes->count)
		return NULL;
	return bsearch(&offset, scopes->items, scopes->count, sizeof(*scopes->items),
	               compare_offsets);
}

void scan_release(struct scan *scan)
{
	free(scan->nodes);
	free(scan->orphans);
	free(scan->scopes.items);
	free(scan->abbrevs);
	free(scan->steps);
	*scan = (struct scan){ 0 };
}

/* A function whose ranges are offered to the points. */
struct cover {
	struct scan *scan;
	uint64_t lowest;
	uint32_t node;
	bool any; /* a point lies in it */
};

static void cover_range(void *context, uint64_t low, uint64_t high)
{
	struct cover *cover = context;
	struct points *points = cover->scan->points;

	if (low < cover->lowest || high <= low)
		return;
	for (size_t i = points_from(points, low);
	     i < points->count && points->items[i].addr < high && points_work(points, 1); i++) {
		struct point *point = &points->items[i];

		if (point->unit != cover->scan->unit || point->done)
			continue;
		cover->any = true;
		if (high - low <= point->size) {
			point->size = high - low;
			point->node = cover->node;
		}
	}
}

/* Offers the code of `node` to the points. True if any lies in it. */
static bool cover_code(struct scan *scan, const struct scan_unit *unit, uint32_t node,
                       const struct dwarf_code *code)
{
	struct cover cover = { scan, unit->lowest, node, false };

	code_each(code, unit, scan->points, cover_range, &cover);
	return cover.any;
}

/* Reads the attributes of a function that say where its code is; passes over the others. */
static struct dwarf_code read_code(const struct scan *scan, const struct scan_unit *unit,
                                   struct bytes *b, const struct scan_abbrev *abbrev)
{
	const struct scan_step *step = scan->steps + abbrev->first_step;
	const struct scan_step *end = step + abbrev->step_count;
	struct dwarf_code code = { 0 };

	for (; step < end; step++) {
		if (code_has(step->name))
			code_read(&code, step->name, step->form, step->value, b, &unit->format);
		else
			form_skip(b, step->form, &unit->format);
	}
	return code;
}

/* The DIE that is being read. */
struct die {
	const struct scan_abbrev *abbrev;
	uint64_t offset;
	uint64_t holder; /* as in struct scan_orphan */
	uint32_t node;   /* at first the node around it, then the one around its children */
	uint32_t scope;  /* the same, of scopes */
};

/* What a DIE tells those inside it. */
struct around {
	uint64_t holder;
	uint32_t node, scope;
};

static bool add_orphan(struct scan *scan, const struct die *die, struct err *err)
{
	struct scan_orphan *grown = vec_grow(scan->orphans, scan->orphan_count,
	                                     &scan->orphan_capacity, sizeof(*grown), err);

	if (!grown)
		return false;
	scan->orphans = grown;
	scan->orphans[scan->orphan_count++] = (struct scan_orphan){ die->offset, die->holder };
	return true;
}

static bool add_scope(struct scopes *scopes, struct die *die, struct err *err)
{
	struct scan_scope *grown;

	if (scopes->count >= POINT_NONE)
		return true;
	grown = vec_grow(scopes->items, scopes->count, &scopes->capacity, sizeof(*grown), err);
	if (!grown)
		return false;
	scopes->items = grown;
	scopes->items[scopes->count] = (struct scan_scope){ die->offset, die->scope };
	die->scope = (uint32_t)scopes->count++;
	return true;
}

static bool add_node(struct scan *scan, const struct die *die, uint32_t parent, struct err *err)
{
	struct scan_node *grown = vec_grow(scan->nodes, scan->node_count, &scan->node_capacity,
	                                   sizeof(*grown), err);

	if (!grown)
		return false;
	scan->nodes = grown;
	scan->nodes[scan->node_count++] = (struct scan_node){ die->offset, parent, STRING_NONE,
		                                              STRING_NONE };
	return true;
}

/* A DIE with code. */
static bool function(struct scan *scan, const struct scan_unit *unit, struct bytes *b,
                     struct die *die, struct err *err)
{
	uint32_t number = (uint32_t)scan->node_count;
	bool inlined = die->abbrev->kind == ABBREV_INLINED;
	struct dwarf_code code;

	/* attributes without bytes cost too */
	if (!points_work(scan->points, die->abbrev->step_count)) {
		bytes_fail(b);
		return true;
	}
	code = read_code(scan, unit, b, die->abbrev);
	if (b->bad || (inlined && die->node == NODE_OUTSIDE) || number >= NODE_OUTSIDE - 1)
		return true;
	/*
	 * An inlined function that covers no point still links those inside it to the outer one:
	 * compilers move parts of them out of its ranges.
	 */
	if (!cover_code(scan, unit, number, &code) && !inlined) {
		die->node = NODE_OUTSIDE;
		return true;
	}
	if (!add_node(scan, die, inlined ? die->node : POINT_NONE, err))
		return false;
	die->node = number;
	return true;
}

static inline void pass_over(const struct scan *scan, const struct scan_unit *unit, struct bytes *b,
                             const struct scan_abbrev *abbrev)
{
	const struct scan_step *step = scan->steps + abbrev->first_step;
	const struct scan_step *end = step + abbrev->step_count;

	for (; step < end; step++) {
		bytes_skip(b, step->name);
		if (step->form)
			form_skip(b, step->form, &unit->format);
	}
}

/* A DIE that is more than passed over. */
static bool read_die(struct scan *scan, const struct scan_unit *unit, struct bytes *b,
                     struct die *die, struct err *err)
{
	if (die->abbrev->orphan && !add_orphan(scan, die, err))
		return false;
	if (die->abbrev->scope && !add_scope(&scan->scopes, die, err))
		return false;
	if (die->abbrev->kind != ABBREV_PLAIN)
		return function(scan, unit, b, die, err);
	pass_over(scan, unit, b, die->abbrev);
	return true;
}

bool scan_unit(struct scan *scan, const struct scan_unit *unit, uint32_t number, struct err *err)
{
	struct around around[DEPTH_MAX] = { { 0, NODE_OUTSIDE, POINT_NONE } };
	struct bytes b = bytes_at(&unit->info, unit->first);
	uint64_t depth = 0;

	scan->unit = number;
	scan->node_count = scan->orphan_count = scan->scopes.count = 0;
	if (b.bad || unit->end < unit->first)
		return true;
	if (!abbrevs_read(scan, unit, err))
		return false;
	b.end = b.pos + u64_min(unit->end - unit->first, bytes_left(&b));
	if (!points_work(scan->points, bytes_left(&b)))
		return true;
	while (bytes_left(&b)) {
		const struct around *outer = &around[u64_min(depth, DEPTH_MAX - 1)];
		uint32_t node = outer->node, scope = outer->scope;
		uint64_t offset = (uint64_t)(b.pos - unit->info.pos), code = bytes_uleb(&b);
		const struct scan_abbrev *abbrev;

		if (code == 0) {
			/* Padding behind the unit DIE's children ends it too. */
			if (depth <= 1)
				break;
			depth--;
			continue;
		}
		abbrev = abbrevs_find(scan, code);
		if (!abbrev)
			break;
		if (abbrev->plain) {
			pass_over(scan, unit, &b, abbrev);
		} else {
			struct die die = { abbrev, offset, outer->holder, node, scope };

			if (!read_die(scan, unit, &b, &die, err))
				return false;
			node = die.node;
			scope = die.scope;
		}
		if (b.bad)
			break;
		if (abbrev->children && ++depth < DEPTH_MAX)
			around[depth] = (struct around){ abbrev->holder ? offset : outer->holder,
				                         node, scope };
		if (depth == 0)
			break;
	}
	return true;
}

#include "decode/dwarf/scan.h"

#include "util/strings.h"
#include "util/vec.h"

#include <stdlib.h>

/* Deeper nesting than any compiler's; functions below that depth are treated as siblings. */
enum { DEPTH_MAX = 256 };
enum { AT_SIBLING = 0x01 };

/* What a DIE is read for. */
enum scan_use {
	SCAN_FUNCTION = 1, /* a subprogram with code */
	SCAN_INLINED = 2,  /* an inlined subroutine with code */
	SCAN_ORPHAN = 4,   /* a function without a file or a reference to a DIE that may have one */
	SCAN_SCOPE = 8
};

/* In place of a node: inside of a function that covers no point. */
#define NODE_OUTSIDE (POINT_NONE - 1)

void scan_release(struct scan *scan)
{
	free(scan->nodes);
	free(scan->orphans);
	free(scan->plans);
	free(scan->steps);
	*scan = (struct scan){ 0 };
}

/* --- what to do with each abbreviation */

/* Adds a value to the plan. Those of fixed sizes are combined into one skip. */
static bool add_step(struct scan *scan, uint32_t form, uint32_t size, uint32_t *skip)
{
	const struct scan_step step = { *skip, form };

	*skip = size == FORM_VARIABLE ? 0 : *skip + size;
	return size != FORM_VARIABLE ||
	       vec_append(&scan->steps, &scan->step_count, &scan->step_capacity, &step,
	                  sizeof(step), scan->err);
}

static bool is_scope(uint32_t tag)
{
	return tag == TAG_SUBPROGRAM || tag == TAG_NAMESPACE || tag == TAG_STRUCTURE_TYPE ||
	       tag == TAG_CLASS_TYPE || tag == TAG_UNION_TYPE;
}

/* code: it has the address of its code; refers: another DIE has more attributes. */
static uint8_t uses_of(const struct scan *scan, const struct scan_plan *plan, uint32_t tag,
                       bool code, bool refers)
{
	uint8_t uses = scan->scoped && is_scope(tag) ? SCAN_SCOPE : 0;

	if (!scan->functions)
		return uses;
	if (tag == TAG_SUBPROGRAM && !plan->holder && !refers)
		uses |= SCAN_ORPHAN;
	if (tag == TAG_SUBPROGRAM && code)
		uses |= SCAN_FUNCTION;
	if (tag == TAG_INLINED_SUBROUTINE && code && scan->inlines)
		uses |= SCAN_INLINED;
	return uses;
}

static bool make_plan(struct scan *scan, const struct abbrev *abbrev, struct scan_plan *plan)
{
	struct bytes attributes = abbrev->attributes;
	struct abbrev_attribute attribute;
	bool code = false, refers = false;
	uint32_t skip = 0;

	*plan = (struct scan_plan){ .first_step = (uint32_t)scan->step_count };
	while (abbrev_next(&attributes, &attribute)) {
		enum die_fact fact = fact_of(attribute.name);
		uint32_t size = form_size(attribute.form, &scan->unit->format);

		if (plan->sibling)
			plan->sibling = size == FORM_VARIABLE ? 0 : plan->sibling + size;
		if (attribute.name == AT_SIBLING && attribute.form == FORM_REF4)
			plan->sibling = size;
		code |= fact == FACT_LOW_PC || fact == FACT_RANGES;
		refers |= fact == FACT_ORIGIN || fact == FACT_SPECIFICATION;
		plan->holder |= fact == FACT_DECL_FILE;
		if (!add_step(scan, attribute.form, size, &skip))
			return false;
	}
	/* the last skip, without a value behind it */
	if (skip && !add_step(scan, 0, FORM_VARIABLE, &skip))
		return false;
	plan->step_count = (uint32_t)scan->step_count - plan->first_step;
	if (abbrev->tag != TAG_SUBPROGRAM)
		plan->sibling = 0;
	plan->uses = uses_of(scan, plan, abbrev->tag, code, refers);
	return true;
}

static bool make_plans(struct scan *scan)
{
	size_t count = scan->abbrevs->count;

	scan->step_count = 0;
	if (!vec_reserve(&scan->plans, count, &scan->plan_capacity, sizeof(*scan->plans),
	                 scan->err))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!make_plan(scan, &scan->abbrevs->items[i], &scan->plans[i]))
			return false;
	points_work(scan->points, scan->abbrevs->size);
	return true;
}

/* --- which points a function covers */

/* A function whose ranges are compared with the points. */
struct cover {
	struct points *points;
	uint32_t node;
	bool any; /* a point lies in it */
};

static void cover_point(void *context, size_t number, uint64_t size)
{
	struct cover *cover = context;
	struct point *point = &cover->points->items[number];

	if (point->done || !points_are_claimed(cover->points, number))
		return;
	cover->any = true;
	if (size <= point->size) {
		point->size = size;
		point->node = cover->node;
	}
}

/* Compares the code of `node` with the points. True if one lies in it. */
static bool cover_code(struct scan *scan, uint32_t node, const struct die_facts *facts)
{
	struct cover cover = { scan->points, node, false };

	code_each(facts, &scan->unit->place, scan->points, cover_point, &cover);
	return cover.any;
}

/* --- reading DIEs */

/* What the DIEs around a DIE mean for it. */
struct around {
	uint64_t holder; /* as in struct scan_orphan */
	uint32_t node;
	uint32_t scope;
};

/* The DIE that is being read. */
struct scan_die {
	const struct abbrev *abbrev;
	const struct scan_plan *plan;
	uint64_t offset;
	struct around around; /* after reading: of its children */
};

static bool add_orphan(struct scan *scan, const struct scan_die *die)
{
	const struct scan_orphan orphan = { die->offset, die->around.holder };

	return vec_append(&scan->orphans, &scan->orphan_count, &scan->orphan_capacity, &orphan,
	                  sizeof(orphan), scan->err);
}

static bool add_scope(struct scan *scan, struct scan_die *die)
{
	struct unit_scopes *scopes = &scan->unit->scopes;
	const struct unit_scope scope = { die->offset, die->around.scope };

	if (scopes->count >= POINT_NONE)
		return true;
	die->around.scope = (uint32_t)scopes->count;
	return vec_append(&scopes->items, &scopes->count, &scopes->capacity, &scope, sizeof(scope),
	                  scan->err);
}

static bool add_node(struct scan *scan, const struct scan_die *die, uint32_t parent)
{
	const struct scan_node node = { .offset = die->offset,
		                        .parent = parent,
		                        .name = STRING_NONE,
		                        .file = STRING_NONE,
		                        .call_file = STRING_NONE };

	return vec_append(&scan->nodes, &scan->node_count, &scan->node_capacity, &node,
	                  sizeof(node), scan->err);
}

static bool read_function(struct scan *scan, struct bytes *b, struct scan_die *die)
{
	uint32_t number = (uint32_t)scan->node_count;
	bool inlined = die->plan->uses & SCAN_INLINED;
	struct die_facts facts;

	if (!points_work(scan->points,
	                 facts_read(&facts, die->abbrev, b, die->offset, &scan->unit->format))) {
		bytes_fail(b);
		return true;
	}
	if (b->bad || (inlined && die->around.node == NODE_OUTSIDE) || number >= NODE_OUTSIDE - 1)
		return true;
	/*
	 * An inlined function that covers no point still links those inside of it to the outer one,
	 * because compilers move parts of them out of its ranges.
	 */
	if (!cover_code(scan, number, &facts) && !inlined) {
		die->around.node = NODE_OUTSIDE;
		return true;
	}
	if (!add_node(scan, die, inlined ? die->around.node : POINT_NONE))
		return false;
	die->around.node = number;
	return true;
}

static inline void pass_over(const struct scan *scan, struct bytes *b, const struct scan_plan *plan)
{
	for (uint32_t i = 0; i < plan->step_count; i++) {
		const struct scan_step *step = &scan->steps[plan->first_step + i];

		bytes_skip(b, step->skip);
		if (step->form)
			form_skip(b, step->form, &scan->unit->format);
	}
}

/* Reads a DIE that is not just skipped. */
static bool read_die(struct scan *scan, struct bytes *b, struct scan_die *die)
{
	if ((die->plan->uses & SCAN_ORPHAN) && !add_orphan(scan, die))
		return false;
	if ((die->plan->uses & SCAN_SCOPE) && !add_scope(scan, die))
		return false;
	if (die->plan->uses & (SCAN_FUNCTION | SCAN_INLINED))
		return read_function(scan, b, die);
	pass_over(scan, b, die->plan);
	return true;
}

/*
 * Skips what is inside of a function, if its DIE says where that ends. b: behind the attributes of
 * the DIE, at offset in the unit. False: it was not skipped.
 */
static bool skip_inside(struct scan *scan, struct bytes *b, uint64_t offset,
                        const struct scan_die *die)
{
	struct bytes sibling = { b->pos - die->plan->sibling, b->pos, b->swap, false };
	uint64_t end = bytes_uint(&sibling, 4);

	if (!scan->brief || !die->plan->sibling || end < offset || end - offset > bytes_left(b))
		return false;
	scan->skipped = true;
	bytes_skip(b, end - offset);
	return true;
}

static bool read_dies(struct scan *scan)
{
	struct around around[DEPTH_MAX];
	struct bytes b = unit_bytes(scan->unit);
	const uint8_t *front = b.pos;
	uint64_t depth = 0;

	bytes_skip(&b, scan->unit->first - scan->unit->offset);
	if (b.bad || !points_work(scan->points, bytes_left(&b)))
		return true;
	around[0] = (struct around){ 0, NODE_OUTSIDE, POINT_NONE };
	while (bytes_left(&b)) {
		struct scan_die die = { .around = around[u64_min(depth, DEPTH_MAX - 1)],
			                .offset = scan->unit->offset + (uint64_t)(b.pos - front) };
		uint64_t code = bytes_uleb(&b);

		if (code == 0) {
			/* padding after the unit's children ends the unit, too */
			if (depth <= 1)
				break;
			depth--;
			continue;
		}
		die.abbrev = abbrev_find(scan->abbrevs, code);
		if (!die.abbrev)
			break;
		die.plan = &scan->plans[die.abbrev - scan->abbrevs->items];
		if (!die.plan->uses)
			pass_over(scan, &b, die.plan);
		else if (!read_die(scan, &b, &die))
			return false;
		if (b.bad)
			break;
		if (die.plan->holder)
			die.around.holder = die.offset;
		if (die.abbrev->children &&
		    !skip_inside(scan, &b, (uint64_t)(b.pos - front), &die) && ++depth < DEPTH_MAX)
			around[depth] = die.around;
		if (depth == 0 || scan->err->code != ERR_NONE)
			break;
	}
	return scan->err->code == ERR_NONE;
}

bool scan_unit(struct scan *scan, struct dwarf_unit *unit)
{
	scan->unit = unit;
	scan->points = unit->list->file->points;
	scan->err = unit->list->file->err;
	scan->node_count = scan->orphan_count = 0;
	scan->skipped = false;
	if (scan->scoped) {
		unit->scopes.count = 0;
		unit->scopes.known = true;
	}
	scan->abbrevs = unit_abbrevs(unit);
	if (!scan->abbrevs)
		return scan->err->code == ERR_NONE;
	return make_plans(scan) && read_dies(scan);
}

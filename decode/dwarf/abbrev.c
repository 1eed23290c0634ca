#include "decode/dwarf/abbrev.h"

#include "decode/dwarf/code.h"
#include "util/vec.h"

#include <stdlib.h>

enum {
	TAG_CLASS_TYPE = 0x02,
	TAG_STRUCTURE_TYPE = 0x13,
	TAG_UNION_TYPE = 0x17,
	TAG_INLINED_SUBROUTINE = 0x1d,
	TAG_SUBPROGRAM = 0x2e,
	TAG_NAMESPACE = 0x39
};

/* Room for one more step. */
static bool grow_steps(struct scan *scan, struct err *err)
{
	struct scan_step *grown = vec_grow(scan->steps, scan->step_count, &scan->step_capacity,
	                                   sizeof(*grown), err);

	if (grown)
		scan->steps = grown;
	return grown != NULL;
}

static bool add_step(struct scan *scan, struct scan_step step, struct err *err)
{
	if (!grow_steps(scan, err))
		return false;
	scan->steps[scan->step_count++] = step;
	return true;
}

static bool add_abbrev(struct scan *scan, const struct scan_abbrev *abbrev, struct err *err)
{
	struct scan_abbrev *grown = vec_grow(scan->abbrevs, scan->abbrev_count,
	                                     &scan->abbrev_capacity, sizeof(*grown), err);

	if (!grown)
		return false;
	scan->abbrevs = grown;
	scan->abbrevs[scan->abbrev_count++] = *abbrev;
	return true;
}

/* Rewrites the steps of a plain abbreviation: values of fixed sizes become one skip. */
static void merge_steps(struct scan *scan, struct scan_abbrev *abbrev,
                        const struct dwarf_format *format)
{
	struct scan_step *steps = scan->steps + abbrev->first_step;
	uint32_t used = 0, skip = 0;

	for (uint32_t i = 0; i < abbrev->step_count; i++) {
		uint32_t form = steps[i].form, size = form_size(form, format);

		if (size != FORM_VARIABLE) {
			skip += size;
			continue;
		}
		steps[used++] = (struct scan_step){ skip, form, 0 };
		skip = 0;
	}
	if (skip)
		steps[used++] = (struct scan_step){ skip, 0, 0 };
	abbrev->step_count = used;
	scan->step_count = abbrev->first_step + used;
}

static int compare_codes(const void *a, const void *b)
{
	uint32_t x = ((const struct scan_abbrev *)a)->code;
	uint32_t y = ((const struct scan_abbrev *)b)->code;

	return x < y ? -1 : x > y;
}

/* What the attributes of one abbreviation say together. */
struct traits {
	bool code;   /* where its code is */
	bool file;   /* where it is declared */
	bool refers; /* that another DIE says more */
};

/* One abbreviation's attributes up to the pair of zeros. */
static bool read_steps(struct scan *scan, struct bytes *b, struct traits *traits, struct err *err)
{
	while (!b->bad) {
		uint64_t name = bytes_uleb(b), form = bytes_uleb(b);
		int64_t value = form == FORM_IMPLICIT_CONST ? bytes_sleb(b) : 0;
		struct scan_step step;

		if (b->bad || (name == 0 && form == 0))
			return true;
		/* Numbers beyond 16 bits name nothing: they stay unknown when cut. */
		name = u64_min(name, UINT16_MAX);
		form = u64_min(form, UINT16_MAX);
		traits->code |= name == ATTR_LOW_PC || name == ATTR_RANGES;
		traits->file |= name == ATTR_DECL_FILE;
		traits->refers |= name == ATTR_ABSTRACT_ORIGIN || name == ATTR_SPECIFICATION;
		step = (struct scan_step){ (uint32_t)name, (uint32_t)form, value };
		if (!add_step(scan, step, err))
			return false;
	}
	return true;
}

static bool is_scope(uint64_t tag)
{
	return tag == TAG_SUBPROGRAM || tag == TAG_NAMESPACE || tag == TAG_STRUCTURE_TYPE ||
	       tag == TAG_CLASS_TYPE || tag == TAG_UNION_TYPE;
}

/* What is to be done with the DIEs of an abbreviation; its steps are made ready for that. */
static void classify(struct scan *scan, struct scan_abbrev *abbrev, uint64_t tag,
                     const struct traits *traits, const struct dwarf_format *format)
{
	abbrev->holder = traits->file;
	abbrev->scope = scan->scoped && is_scope(tag);
	if (scan->functions) {
		abbrev->orphan = tag == TAG_SUBPROGRAM && !traits->file && !traits->refers;
		if (traits->code && tag == TAG_SUBPROGRAM)
			abbrev->kind = ABBREV_FUNCTION;
		else if (traits->code && tag == TAG_INLINED_SUBROUTINE && scan->inlines)
			abbrev->kind = ABBREV_INLINED;
	}
	abbrev->plain = abbrev->kind == ABBREV_PLAIN && !abbrev->orphan && !abbrev->scope;
	if (abbrev->kind == ABBREV_PLAIN)
		merge_steps(scan, abbrev, format);
}

bool abbrevs_read(struct scan *scan, const struct scan_unit *unit, struct err *err)
{
	struct bytes b = unit->abbrevs;
	bool sorted = true;

	scan->abbrev_count = scan->step_count = 0;
	/* Where no abbreviation has attributes each still begins at a step: NULL plus 0 is undefined. */
	if (!grow_steps(scan, err))
		return false;
	while (!b.bad) {
		uint64_t code = bytes_uleb(&b), tag = bytes_uleb(&b);
		struct scan_abbrev abbrev = { .first_step = (uint32_t)scan->step_count };
		struct traits traits = { 0 };

		if (b.bad || code == 0 || code > UINT32_MAX || scan->step_count > UINT32_MAX / 2)
			break;
		abbrev.code = (uint32_t)code;
		abbrev.children = bytes_u8(&b) != 0;
		if (!read_steps(scan, &b, &traits, err))
			return false;
		abbrev.step_count = (uint32_t)scan->step_count - abbrev.first_step;
		classify(scan, &abbrev, tag, &traits, &unit->format);
		sorted = sorted &&
		         code > (scan->abbrev_count ? scan->abbrevs[scan->abbrev_count - 1].code
		                                    : 0);
		if (!add_abbrev(scan, &abbrev, err))
			return false;
	}
	if (!sorted)
		qsort(scan->abbrevs, scan->abbrev_count, sizeof(*scan->abbrevs), compare_codes);
	points_work(scan->points, (uint64_t)(b.pos - unit->abbrevs.pos));
	return true;
}

const struct scan_abbrev *abbrevs_search(const struct scan *scan, uint64_t code)
{
	size_t low = 0, high = scan->abbrev_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (scan->abbrevs[middle].code < code)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == scan->abbrev_count || scan->abbrevs[low].code != code)
		return NULL;
	return &scan->abbrevs[low];
}

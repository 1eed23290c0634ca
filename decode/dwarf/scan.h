/*
 * Reads one unit of .debug_info from front to back: which functions, and which functions inlined
 * into them, cover the points. Only these functions are kept and, if asked for, the files in which
 * all functions are declared. Format: DWARF 5, 7.5 and 2.17.3; DWARF 4, 7.5 and 2.17.3.
 */
#ifndef READPERF_DECODE_DWARF_SCAN_H
#define READPERF_DECODE_DWARF_SCAN_H

#include "decode/dwarf/die.h"

/* A function, or one inlined into another. */
struct scan_node {
	uint64_t offset; /* of its DIE in the section */
	uint32_t parent; /* of inlined code: the node around it; otherwise POINT_NONE */
	/* For the caller, STRING_NONE at first: name and file, and where it was called from. */
	uint32_t name, file, call_file, call_line;
};

/*
 * A function without a file of its own: compilers leave it out for functions that they generate,
 * and gcc for the bodies of lambdas, whose class has it.
 */
struct scan_orphan {
	uint64_t offset; /* offset of its DIE */
	uint64_t holder; /* offset of the nearest DIE around it with a file; 0: none */
};

/* What to do with the DIEs of an abbreviation; plans are in the order of the table. */
struct scan_plan {
	uint32_t first_step, step_count; /* of plain DIEs: what to skip */
	uint32_t sibling; /* of functions: bytes between the reference to the DIE that follows what
	                     is inside, and the end of the attributes; 0: there is none */
	uint8_t uses;     /* enum scan_use; 0: it is only skipped */
	bool holder;      /* it has a file */
};

/* Bytes to skip, then a value of this form; 0: none. */
struct scan_step {
	uint32_t skip, form;
};

/* The caller sets the first four fields, and zeros in the others. */
struct scan {
	bool functions; /* read functions and orphans */
	bool inlines;   /* read inlined functions, too */
	bool scoped;    /* read the unit's scopes */
	/*
	 * skip what is inside of functions: nested ones, and classes without a name; else, reading
	 * a C++ program of 66 MB takes 70 % more instructions in all
	 */
	bool brief;
	bool skipped;            /* that was done in this unit */
	struct dwarf_unit *unit; /* that is being read; borrowed, like the next three */
	struct points *points;
	struct err *err;
	const struct abbrev_table *abbrevs; /* of that unit */
	struct scan_node *nodes;            /* of that unit, in file order */
	size_t node_count, node_capacity;
	struct scan_orphan *orphans; /* of that unit, ascending offset */
	size_t orphan_count, orphan_capacity;
	struct scan_plan *plans;
	size_t plan_capacity;
	struct scan_step *steps;
	size_t step_count, step_capacity;
};

void scan_release(struct scan *scan);
/*
 * Sets node and size of the points that the unit has claimed. Of several functions that cover a
 * point, the one with the smallest range counts, and of equal ones the later one. Reading ends at
 * damage.
 */
bool scan_unit(struct scan *scan, struct dwarf_unit *unit);

#endif

/*
 * One unit of .debug_info, read from front to back: which functions, and which functions inlined
 * into them, cover the points. Nothing of the unit is kept but the functions that matter, and, if that
 * is asked for, what all functions are declared in.
 * Format: DWARF 5, 7.5 and 2.17.3; DWARF 4, 7.5 and 2.17.3.
 */
#ifndef READPERF_DECODE_DWARF_SCAN_H
#define READPERF_DECODE_DWARF_SCAN_H

#include "decode/dwarf/form.h"
#include "decode/dwarf/point.h"
#include "util/errhandler.h"

/* Where a unit is, and what its addresses refer to. All sections are borrowed. */
struct scan_unit {
	struct dwarf_format format;
	struct bytes info;      /* the whole section; node offsets count from its front */
	uint64_t first, end;    /* [first, end): offsets of its unit DIE and behind its last one */
	struct bytes abbrevs;   /* .debug_abbrev, from the unit's own table on */
	struct bytes addrs;     /* .debug_addr, from the unit's base on */
	struct bytes ranges;    /* .debug_ranges, from the unit's base on */
	struct bytes rnglists;  /* .debug_rnglists, whole */
	uint64_t rnglists_base; /* offset in rnglists that indexed lists count from */
	uint64_t base;          /* address that ranges count from */
	uint64_t lowest;        /* ranges that start below belong to code that the linker dropped */
};

/* A function, or one inlined into another. */
struct scan_node {
	uint64_t offset;     /* of its DIE in the section */
	uint32_t parent;     /* inlined: the node around it; else POINT_NONE */
	uint32_t name, file; /* for the caller: strings, STRING_NONE at first */
};

/*
 * A function that does not say in which file it is: compilers leave that out for what they made up
 * themselves, and gcc for the bodies of lambdas, whose class says it.
 */
struct scan_orphan {
	uint64_t offset; /* of its DIE */
	uint64_t holder; /* of the nearest DIE around it that names a file; 0: none */
};

/* What names are qualified with: namespaces, classes, functions. And every function, to find it by. */
struct scan_scope {
	uint64_t offset; /* of its DIE */
	uint32_t parent; /* index of the one around it, or POINT_NONE */
};

struct scopes {
	struct scan_scope *items; /* ascending offset */
	size_t count, capacity;
};

/* One abbreviation, and what of it must be read. */
struct scan_abbrev {
	uint32_t code;
	uint32_t first_step, step_count;
	uint8_t kind; /* enum abbrev_kind */
	bool children;
	bool holder; /* it names a file */
	bool orphan; /* a function that neither does, nor refers to one that may */
	bool scope;  /* it belongs into struct scopes */
	bool plain; /* nothing but passed over: neither a kind to be read, nor an orphan or a scope */
};

struct scan_step {
	uint32_t name; /* attribute, for kinds that are read; else bytes to skip before form */
	uint32_t form; /* 0: none */
	int64_t value; /* of FORM_IMPLICIT_CONST */
};

struct scan {
	struct points *points;   /* borrowed */
	bool functions;          /* read functions and orphans */
	bool inlines;            /* inlined functions too */
	bool scoped;             /* read scopes */
	uint32_t unit;           /* number of the unit being read */
	struct scan_node *nodes; /* of that unit, in file order */
	size_t node_count, node_capacity;
	struct scan_orphan *orphans; /* of that unit, ascending offset */
	size_t orphan_count, orphan_capacity;
	struct scopes scopes; /* of that unit */
	struct scan_abbrev *abbrevs;
	size_t abbrev_count, abbrev_capacity;
	struct scan_step *steps;
	size_t step_count, step_capacity;
};

void scan_release(struct scan *scan);
/* The orphan whose DIE is at offset, or NULL. */
const struct scan_orphan *scan_orphan_find(const struct scan *scan, uint64_t offset);
/* The scope whose DIE is at offset, or NULL. */
const struct scan_scope *scopes_find(const struct scopes *scopes, uint64_t offset);

/*
 * Sets node and size of the points whose unit is `unit`. Of functions that cover a point the one
 * with the smallest range counts, then the later one. Reading ends where the unit is damaged.
 * False with err set only when memory is refused.
 */
bool scan_unit(struct scan *scan, const struct scan_unit *info, uint32_t unit, struct err *err);

#endif

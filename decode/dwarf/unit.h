/*
 * The units of a file with debug information (.debug_info, .debug_types): their headers and the
 * attributes of their own DIEs. Few units have answers; only these are kept and read completely.
 * Format: DWARF 5, 7.5.1 and 3.1; DWARF 4, 7.5.1.
 */
#ifndef READPERF_DECODE_DWARF_UNIT_H
#define READPERF_DECODE_DWARF_UNIT_H

#include "decode/dwarf/code.h"
#include "decode/dwarf/facts.h"
#include "decode/dwarf/section.h"
#include "util/arena.h"
#include "util/hash.h"

enum dwarf_section {
	DWARF_ABBREV,
	DWARF_ADDR,
	DWARF_RANGES,
	DWARF_RNGLISTS,
	DWARF_LINE,
	DWARF_LINE_STR,
	DWARF_STR,
	DWARF_STR_OFFSETS,
	DWARF_CU_INDEX,
	DWARF_SECTIONS
};

struct dwarf_unit;
struct dwarf_file;

struct unit_header {
	uint64_t offset;
	struct dwarf_unit *kept; /* the unit, or NULL */
};

/* The units of one section. */
struct unit_list {
	struct dwarf_file *file;
	struct section section;
	bool types;                /* .debug_types: it has only type units */
	struct unit_header *found; /* so far, ascending */
	size_t count, capacity;
	uint64_t walked; /* end of the last one; UINT64_MAX: there are no more units */
	uint8_t *ahead;  /* the front of a unit, if units are not in memory */
};

/* The place of a type unit. */
struct type_place {
	struct unit_list *list;
	uint64_t offset;
};

/* Tables of one section that have been read. */
struct read_tables {
	struct map numbers; /* offset -> index */
	void **items;       /* malloc'd */
	size_t count, capacity;
};

struct dwarf_file {
	struct section_file source;
	struct section sections[DWARF_SECTIONS]; /* those that do not exist have no bytes */
	struct unit_list *lists;                 /* the first one is .debug_info */
	size_t list_count, list_capacity;
	struct dwarf_file *shared; /* borrowed; the file with common parts, or NULL */
	struct points *points;     /* borrowed; their budget limits reading */
	struct err *err;           /* borrowed; set when memory is refused */
	struct arena arena;        /* of the units that are kept */
	struct map types;          /* signature -> index */
	struct type_place *type_places;
	size_t type_count, type_capacity;
	bool types_known;
	struct read_tables abbrevs, lines; /* each a struct abbrev_table, a struct line_table */
	struct map names;                  /* the DIE of a function -> its name: a string */
	uint64_t loaded;                   /* bytes of units and tables in memory, about */
};

/* Kinds of units (DWARF 5, 7.5.1); that of an older unit follows from its DIE. */
enum unit_kind {
	UNIT_COMPILE = 1,
	UNIT_TYPE,
	UNIT_PARTIAL,
	UNIT_SKELETON,
	UNIT_SPLIT_COMPILE,
	UNIT_SPLIT_TYPE
};

/*
 * Scopes that qualify names: namespaces, classes, functions. Contains every function, so that it
 * can be found.
 */
struct unit_scope {
	uint64_t offset; /* of its DIE */
	uint32_t parent; /* index of the one around it, or POINT_NONE */
};

struct unit_scopes {
	struct unit_scope *items; /* ascending offset */
	size_t count, capacity;
	bool known; /* they have been read */
};

struct dwarf_unit {
	struct unit_list *list;
	uint64_t offset, first, next; /* of its header, of its DIE, and of its end */
	uint64_t abbrevs;             /* offset of its table */
	uint64_t id;                  /* of a type, or common to both halves of a split unit */
	uint64_t type_offset; /* of a type: offset of the DIE that describes it, from the header */
	struct dwarf_format format;
	uint8_t kind;           /* enum unit_kind */
	bool readable;          /* its DIE could be read */
	bool has_code;          /* it may have code */
	struct die_facts facts; /* of its DIE */
	struct code_place place;
	struct unit_scopes scopes;
	uint8_t *data; /* owned: from offset to next; NULL: not in memory */
	const struct abbrev_table *abbrev_table; /* borrowed from the file; NULL: not in memory */
};

void unit_list_release(struct unit_list *list);
/* Reads the unit at *offset, and moves *offset behind it. False if there is none. */
bool unit_list_next(struct unit_list *list, uint64_t *offset, struct dwarf_unit *unit);
/* Keeps a copy of the unit. */
struct dwarf_unit *unit_keep(const struct dwarf_unit *unit);
/* The unit that has this offset, or the one that describes a type; NULL: there is none. */
struct dwarf_unit *unit_at(struct unit_list *list, uint64_t offset);
struct dwarf_unit *unit_of_type(struct dwarf_file *file, uint64_t signature);
/* Its bytes, starting with its header; bad if they cannot be read. */
struct bytes unit_bytes(struct dwarf_unit *unit);
/*
 * Its abbreviations, which are valid until its file forgets them; NULL: they cannot be read.
 */
const struct abbrev_table *unit_abbrevs(struct dwarf_unit *unit);
/*
 * The table at this offset; NULL with err set. If it was not *known, it is all zeros, and the
 * caller reads it.
 */
void *read_tables_put(struct read_tables *tables, uint64_t offset, size_t size, bool *known,
                      struct err *err);
/* Releases its bytes and scopes, or those of all units that are kept, and forgets their tables. */
void unit_unload(struct dwarf_unit *unit);
void unit_list_unload(struct unit_list *list);
/* A text of its DIE, or of a DIE in it, which costs steps; NULL: there is none that can be read. */
const char *unit_text(struct dwarf_unit *unit, const struct die_facts *facts, enum die_fact fact);

#endif

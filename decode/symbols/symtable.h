/*
 * A compact table of named address ranges: filled once, sorted, then searched. If several names
 * have the same address, the choice is made at the lookup, as perf report makes it (format
 * reference, 8.7), because only few addresses of a large table are ever looked up.
 */
#ifndef READPERF_DECODE_SYMBOLS_SYMTABLE_H
#define READPERF_DECODE_SYMBOLS_SYMTABLE_H

#include "decode/files/origin.h"
#include "util/hash.h"

#define SYMTABLE_TEXTS 8
#define SYMTABLE_OWN_NAMES 0 /* the number of the text that symtable_add_name() makes */
/* A symbol that only programs linked to an old version still use: any other name is better. */
#define SYMTABLE_OLD_VERSION 0x10

/* What a pack says about a function besides its bounds and its name. */
struct packed_source {
	const char *file; /* "": not known */
	uint32_t line;    /* 0: not known */
};

/* The result of a lookup. */
struct symbol {
	uint64_t start, end; /* [start, end) in the binary's address space */
	uint64_t entry;      /* start as a link-time virtual address (what DWARF and objdump use) */
	const char *name;    /* raw; owned by the symbols */
	/*
	 * Of a function from a pack: its source; the name is then as tables print it. NULL for
	 * others.
	 */
	const struct packed_source *packed;
	uint8_t origin; /* enum symbol_origin */
};

struct symtable_item {
	uint64_t start;
	uint32_t size;   /* 0: to be computed by symtable_fix_ends() */
	uint32_t name;   /* offset in its text */
	uint32_t outer;  /* the nearest earlier item that ends later, or UINT32_MAX */
	uint8_t text;    /* number of its text */
	uint8_t type;    /* STT_... */
	uint8_t binding; /* STB_..., and SYMTABLE_OLD_VERSION */
	uint8_t origin;  /* enum symbol_origin */
};

/* A block of NUL-terminated names; the block's last byte is a NUL. */
struct symtable_text {
	char *data;
	size_t size, capacity;
	bool borrowed;
};

/* The link-time addresses of [start, end): delta is added, modulo 2^64. */
struct symtable_link {
	uint64_t start, end, delta;
};

/* All zeros is valid and empty. */
struct symtable {
	struct symtable_item *items;
	size_t count, capacity;
	struct symtable_text texts[SYMTABLE_TEXTS]; /* the first one: of symtable_add_name() */
	size_t added_texts;
	struct symtable_link *links; /* malloc'd, or NULL */
	size_t link_count, link_capacity;
	bool links_disordered; /* not sorted, or with overlaps */
	struct symbol found;   /* the result of the last lookup */
	struct map best; /* start -> item: the best of several, where that has been looked up */
};

void symtable_release(struct symtable *table);
/*
 * Adds a malloc'd text whose last byte is NUL (size includes it). The table owns it even on
 * failure, unless it is borrowed. Returns its number, or -1 with err set.
 */
int symtable_add_text(struct symtable *table, char *data, size_t size, bool borrowed,
                      struct err *err);
/*
 * Appends a name of length bytes and a NUL to the table's own text. *offset: where the name begins.
 * Pointers to names in this text become invalid.
 */
bool symtable_add_name(struct symtable *table, const char *name, size_t length, uint32_t *offset,
                       struct err *err);
/* Appends to the name that was added last. */
bool symtable_extend_name(struct symtable *table, const char *more, struct err *err);
/* Appends an item; set its start, size, name, text, type, binding and origin. */
bool symtable_put(struct symtable *table, const struct symtable_item *item, struct err *err);
/* Sorts by start; items with equal starts stay in the order in which they were added. */
bool symtable_sort(struct symtable *table, struct err *err);
/*
 * After symtable_sort(): items without a size end where the next one begins, and the last one at
 * the end of the following page (format reference, 8.7).
 */
void symtable_fix_ends(struct symtable *table);
/* The memory of its items and texts. */
size_t symtable_bytes(const struct symtable *table);
/* Links nested items. Afterwards the table must not be changed. */
void symtable_finish(struct symtable *table);
/* The item that covers addr, or NULL. The result lives until the next lookup. */
const struct symbol *symtable_find(struct symtable *table, uint64_t addr);
/*
 * The best name among those of the first count items that start at exactly `start`, or NULL. The
 * items must be sorted; symtable_finish() is not necessary.
 */
const char *symtable_name_at(struct symtable *table, size_t count, uint64_t start);
/* Of links that overlap, the one that was added first counts. False with err set. */
bool symtable_add_link(struct symtable *table, uint64_t start, uint64_t end, uint64_t delta,
                       struct err *err);
/* addr as a link-time address, or addr itself if the table cannot convert it. */
uint64_t symtable_link_addr(const struct symtable *table, uint64_t addr);
/* Where the addresses end that are converted as this one is; UINT64_MAX: not known. */
uint64_t symtable_link_end(const struct symtable *table, uint64_t addr);

static inline const char *symtable_name(const struct symtable *table,
                                        const struct symtable_item *item)
{
	return table->texts[item->text].data + item->name;
}

#endif

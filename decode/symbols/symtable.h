/*
 * A compact table of named ranges: built once, sorted, then asked by address. Which of several
 * names at one address wins is decided when it is asked for, as perf report decides it (format
 * reference, 8.7), since only few of a large table's addresses ever are.
 */
#ifndef READPERF_DECODE_SYMBOLS_SYMTABLE_H
#define READPERF_DECODE_SYMBOLS_SYMTABLE_H

#include "decode/files/origin.h"
#include "util/errhandler.h"

#define SYMTABLE_TEXTS 8
/* A name that only programs of long ago still ask for: any other name of the address is better. */
#define SYMTABLE_OLD_VERSION 0x10

/* What a pack says about a function beside its bounds and its name. */
struct packed_source {
	const char *file; /* "": not known */
	uint32_t line;    /* 0: not known */
};

/* An answer. */
struct symbol {
	uint64_t start, end; /* [start, end) in the binary's address space */
	uint64_t entry;      /* start as a link-time virtual address (what DWARF and objdump use) */
	const char *name;    /* raw; owned by the symbols */
	/* of a pack: its source; the name is as tables show it then. NULL: it is no pack's */
	const struct packed_source *packed;
	uint8_t origin; /* enum symbol_origin */
};

struct symtable_item {
	uint64_t start;
	uint32_t size;   /* 0: to be found out by symtable_fix_ends() */
	uint32_t name;   /* offset in its text */
	uint32_t outer;  /* nearest earlier item that reaches further, or UINT32_MAX */
	uint8_t text;    /* which of the texts */
	uint8_t type;    /* ELF_STT_... */
	uint8_t binding; /* ELF_STB_..., and SYMTABLE_OLD_VERSION */
	uint8_t origin;  /* enum symbol_origin */
};

/* A block of NUL-terminated names; the block's last byte is a NUL. */
struct symtable_text {
	char *data;
	size_t size;
	bool borrowed;
};

/* Where addresses of [start, end) are at link time: delta is added, modulo 2^64. */
struct symtable_link {
	uint64_t start, end, delta;
};

struct symtable {
	struct symtable_item *items;
	size_t count, capacity;
	struct symtable_text texts[SYMTABLE_TEXTS];
	size_t text_count;
	struct symtable_link *links; /* malloc'd, or NULL */
	size_t link_count;
	bool links_ascend;    /* and do not overlap */
	struct symbol *found; /* as asked for; as many as items, those not asked for all zero */
	uint32_t *best;       /* for each item asked for: who names its start, plus one */
};

void symtable_init(struct symtable *table);
void symtable_release(struct symtable *table);
/*
 * Takes over a malloc'd text whose last byte is NUL (size counts it), even on failure, or borrows
 * it. Returns its number, or -1 with err set.
 */
int symtable_add_text(struct symtable *table, char *data, size_t size, bool borrowed,
                      struct err *err);
/* Appends an item: start, size, name, text, type, binding and origin are to be set. */
bool symtable_put(struct symtable *table, const struct symtable_item *item, struct err *err);
/* Sorts by start; equal starts keep the order in which they were put. */
bool symtable_sort(struct symtable *table, struct err *err);
/*
 * After symtable_sort(): items without a size end where the next begins, the last one at the end
 * of the page behind it (format reference, 8.7).
 */
void symtable_fix_ends(struct symtable *table);
/* Links nested items and makes room for answers, once. After it the table does not change. */
bool symtable_finish(struct symtable *table, struct err *err);
/*
 * The item that covers addr, or NULL. The answer lives as long as the table. One thread at a time,
 * since answers are kept.
 */
const struct symbol *symtable_find(const struct symtable *table, uint64_t addr);
/*
 * The name that wins among the first count items that start at exactly start, or NULL. The items
 * are sorted; the table needs not be finished.
 */
const char *symtable_name_at(const struct symtable *table, size_t count, uint64_t start);
/* How many items start at addr or before. The items are sorted. */
size_t symtable_count_until(const struct symtable *table, uint64_t addr);
/* addr at link time, or addr. */
uint64_t symtable_link_addr(const struct symtable *table, uint64_t addr);

static inline const char *symtable_name(const struct symtable *table,
                                        const struct symtable_item *item)
{
	return table->texts[item->text].data + item->name;
}

#endif

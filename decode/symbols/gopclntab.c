#include "decode/symbols/gopclntab.h"

#include "decode/source/source.h"
#include "util/cursor.h"

#define DEPTH_MAX 200 /* calls inlined into each other */
#define NO_DATA UINT32_MAX

enum { PCDATA_CALL = 2, FUNCDATA_CALLS = 3 }; /* which call of the tree, and the tree */

/* A call in the tree. */
struct call {
	uint32_t name, parent; /* offset of the name; offset of the call site in the function */
};

static bool put_function(const struct gopclntab *go, const struct gofunction *function, int text,
                         struct symtable *table, const struct elf *elf, struct err *err)
{
	struct symtable_item item = { .text = (uint8_t)text,
		                      .type = STT_FUNC,
		                      .binding = STB_LOCAL,
		                      .origin = ORIGIN_GOPCLNTAB };
	uint32_t name;

	if (!go_read_field(go, function, GO_FIELD_NAME, &name) || !go_name(go, name) ||
	    !elf_offset_of_addr(elf, function->start, &item.start))
		return true;
	item.name = (uint32_t)(go->names + name);
	item.size = (uint32_t)u64_min(function->end - function->start, UINT32_MAX);
	return symtable_put(table, &item, err);
}

/* Puts the functions into the symbol table, which borrows their names. */
static bool put_functions(struct gopclntab *go, const struct elf *elf, struct symtable *table,
                          struct err *err)
{
	/*
	 * each name ends with a NUL; the one appended to the section ends the last name in any case
	 */
	int text = symtable_add_text(table, (char *)go->data, (size_t)go->size + 1, true, err);

	if (text < 0)
		return false;
	for (size_t i = 0; i < go->count; i++)
		if (!put_function(go, &go->items[i], text, table, elf, err))
			return false;
	return symtable_sort(table, err);
}

bool gopclntab_put(struct symtable *table, const struct elf *elf, struct gopclntab *go,
                   struct err *err)
{
	if (go_open(go, elf, err))
		return !go->data || put_functions(go, elf, table, err);
	go_release(go);
	return false;
}

/*
 * What the compiler inlined: a tree of calls for each function, in its data. Known of programs of
 * Go 1.18 and later, whose layouts are those of src/runtime/symtab.go and symtabinl.go; of others
 * nothing is told.
 */

/* The number of the innermost inlined call at an address; -1: none. */
static int32_t call_at(struct gopclntab *go, const struct gofunction *function, uint64_t addr)
{
	unsigned first = go->version == GO_1_20 ? 10 : 9;
	uint32_t count, offset;
	int32_t call;

	if (!go_read_field(go, function, GO_FIELD_PCDATA, &count) || count <= PCDATA_CALL ||
	    !go_read_field(go, function, first + PCDATA_CALL, &offset) || !offset ||
	    !go_value_at(go, function, offset, addr, &call))
		return -1;
	return call;
}

/* Where the function's tree is in the file. */
static bool find_tree(const struct gopclntab *go, const struct elf *elf,
                      const struct gofunction *function, uint64_t *place)
{
	unsigned first = go->version == GO_1_20 ? 10 : 9;
	uint32_t lists, word, offset;

	/* the last byte of the word before the lists says how many of the data there are */
	return go_read_field(go, function, GO_FIELD_PCDATA, &lists) && lists < 64 &&
	       go_read_field(go, function, first - 1, &word) &&
	       go->data[function->place + 4 * (uint64_t)first + 3] > FUNCDATA_CALLS &&
	       go_read_field(go, function, first + lists + FUNCDATA_CALLS, &offset) &&
	       offset != NO_DATA && elf_offset_of_addr(elf, go->data_addr + offset, place);
}

static bool read_call(const struct gopclntab *go, const struct elf *elf, uint64_t tree,
                      uint32_t number, struct call *call)
{
	struct err err = { .code = ERR_NONE };
	bool late = go->version == GO_1_20;
	unsigned size = late ? 16 : 20;
	uint8_t bytes[20];

	if (!elf_read(elf, tree + (uint64_t)number * size, bytes, size, &err))
		return false;
	call->name = load_u32(bytes + (late ? 4 : 12), go->swap);
	call->parent = load_u32(bytes + (late ? 8 : 16), go->swap);
	return true;
}

/*
 * Adds the frame of a function with the name at that offset. False if there is no name that may be
 * copied, or with err set.
 */
static bool add_frame(struct gopclntab *go, const struct gofunction *function, uint64_t addr,
                      uint32_t name_offset, struct source_query *query, struct err *err)
{
	const char *name = go_name(go, name_offset), *path;
	struct source_frame *frame;

	if (!name || !go_spend(go, strlen(name)))
		return false;
	path = go_file_at(go, function, addr);
	frame = source_frame_add(query, err);
	if (!frame)
		return false;
	frame->function = strings_put_text(query->strings, name, err);
	if (path)
		frame->file = source_path_put(query->strings, NULL, NULL, path, err);
	if (frame->file != STRING_EMPTY)
		frame->line = go_line_at(go, function, addr);
	/* a function of Go lies in one file */
	frame->decl_file = frame->file;
	return err->code == ERR_NONE;
}

/*
 * Up from the innermost call: each was made at an address that belongs to the call around it. False
 * if nothing was inlined there, if not all of it can be read, or with err set.
 */
static bool walk_calls(struct gopclntab *go, const struct elf *elf,
                       const struct gofunction *function, struct source_query *query, uint64_t addr,
                       struct err *err)
{
	int32_t number = call_at(go, function, addr);
	uint64_t tree;
	uint32_t own;

	if (number < 0 || !find_tree(go, elf, function, &tree))
		return false;
	for (int depth = 0; depth < DEPTH_MAX && number >= 0; depth++) {
		struct call call;

		if (!read_call(go, elf, tree, (uint32_t)number, &call) ||
		    call.parent >= function->end - function->start ||
		    !add_frame(go, function, addr, call.name, query, err))
			return false;
		addr = function->start + call.parent;
		number = call_at(go, function, addr);
	}
	return number < 0 && go_read_field(go, function, GO_FIELD_NAME, &own) &&
	       add_frame(go, function, addr, own, query, err);
}

/* Fills the frames of an address of the function, if something was inlined there. */
static bool answer_inlines(struct gopclntab *go, const struct elf *elf,
                           const struct gofunction *function, struct source_query *query,
                           struct source_addr *asked, struct err *err)
{
	struct err problem = { .code = ERR_NONE };
	size_t first = query->frame_count;

	if (!go_read_module(go, elf, &problem))
		return err_pass_nomem(err, &problem);
	if (go->data_addr && walk_calls(go, elf, function, query, asked->addr, err)) {
		asked->frame = (uint32_t)first;
		asked->frame_count = (uint32_t)(query->frame_count - first);
	} else {
		query->frame_count = first;
	}
	return err->code == ERR_NONE;
}

static bool answer_file(struct gopclntab *go, const struct gofunction *function, uint64_t addr,
                        struct strings *strings, uint32_t *file, struct err *err)
{
	const char *path = go_file_at(go, function, addr);

	if (path)
		*file = source_path_put(strings, NULL, NULL, path, err);
	return *file != STRING_NONE;
}

bool gopclntab_answer(struct gopclntab *go, const struct elf *elf, struct source_query *query,
                      struct err *err)
{
	go_pay(go, query->function_count + query->addr_count);
	for (size_t i = 0; i < query->function_count; i++) {
		struct source_function *asked = &query->functions[i];
		const struct gofunction *function = go_find_function(go, asked->entry);

		if (function &&
		    !answer_file(go, function, function->start, query->strings, &asked->file, err))
			return false;
	}
	for (size_t i = 0; i < query->addr_count; i++) {
		struct source_addr *asked = &query->addrs[i];
		const struct gofunction *function = go_find_function(go, asked->addr);

		if (!function)
			continue;
		if (!answer_file(go, function, asked->addr, query->strings, &asked->file, err))
			return false;
		/* what the compiler made up is in no file: "<autogenerated>:1" */
		if (asked->file != STRING_EMPTY)
			asked->line = go_line_at(go, function, asked->addr);
		if (query->inlines && !answer_inlines(go, elf, function, query, asked, err))
			return false;
	}
	return true;
}

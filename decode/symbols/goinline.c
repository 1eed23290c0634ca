/*
 * What Go's compiler inlined: a tree of calls for each function, in its data. Known of programs of
 * Go 1.18 and later, whose layouts are those of src/runtime/symtab.go and symtabinl.go; of others
 * nothing is told.
 */
#include "decode/symbols/goinline.h"

#include "util/cursor.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 200 /* calls inlined into each other */
#define NO_DATA UINT32_MAX

enum { PCDATA_CALL = 2, FUNCDATA_CALLS = 3 }; /* which call of the tree, and the tree */

/* A call in the tree. */
struct call {
	uint32_t name, parent; /* offset of the name; offset of the call site in the function */
};

/* The number of the innermost inlined call at an address; -1: none. */
static int32_t call_at(const struct gopclntab *go, const struct gofunction *function, uint64_t addr)
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

/* One frame: name, and the place at the address in it. False with err set if memory is refused. */
static bool add_frame(const struct gopclntab *go, const struct gofunction *function, uint64_t addr,
                      const char *name, struct source_query *query, struct err *err)
{
	const char *path = go_file_at(go, function, addr);
	struct source_frame *frame = source_frame_add(query, err);

	if (!frame)
		return false;
	frame->function = strings_put_text(query->strings, name, err);
	frame->line = go_line_at(go, function, addr);
	if (path)
		frame->file = source_path_put(query->strings, NULL, NULL, path, err);
	/* a function of Go lies in one file */
	frame->decl_file = frame->file;
	return err->code == ERR_NONE;
}

/* Up from the innermost call: each was made at an address that belongs to the call around it. */
static bool walk_calls(const struct gopclntab *go, const struct elf *elf,
                       const struct gofunction *function, struct source_query *query, uint64_t addr,
                       bool *whole, struct err *err)
{
	int32_t number = call_at(go, function, addr);
	uint64_t tree;
	uint32_t own;

	*whole = false;
	if (number < 0 || !find_tree(go, elf, function, &tree))
		return true;
	for (int depth = 0; depth < DEPTH_MAX && number >= 0; depth++) {
		struct call call;

		if (!read_call(go, elf, tree, (uint32_t)number, &call) ||
		    call.parent >= function->end - function->start || !go_name(go, call.name))
			return true;
		if (!add_frame(go, function, addr, go_name(go, call.name), query, err))
			return false;
		addr = function->start + call.parent;
		number = call_at(go, function, addr);
	}
	if (number >= 0 || !go_read_field(go, function, GO_FIELD_NAME, &own) || !go_name(go, own))
		return true;
	*whole = true;
	return add_frame(go, function, addr, go_name(go, own), query, err);
}

bool go_answer_inlines(struct gopclntab *go, const struct elf *elf,
                       const struct gofunction *function, struct source_query *query,
                       struct source_addr *asked, struct err *err)
{
	struct err problem = { .code = ERR_NONE };
	size_t first = query->frame_count;
	bool whole;

	if (!go_read_module(go, elf, &problem))
		return problem.code != ERR_NOMEM || err_pass(err, &problem);
	if (!go->data_addr)
		return true;
	if (!walk_calls(go, elf, function, query, asked->addr, &whole, err))
		return false;
	if (!whole) {
		query->frame_count = first;
		return true;
	}
	asked->frame = (uint32_t)first;
	asked->frame_count = (uint32_t)(query->frame_count - first);
	return true;
}

#include "decode/symbols/gopclntab.h"

#include "decode/symbols/goinline.h"

#include <stdlib.h>

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

bool gopclntab_put(struct symtable *table, const struct elf *elf, struct gopclntab **lines,
                   struct err *err)
{
	struct gopclntab *go = malloc(sizeof(*go));

	*lines = NULL;
	if (!go)
		return err_nomem(err, sizeof(*go));
	if (go_open(go, elf, err) && go->data) {
		*lines = go;
		return put_functions(go, elf, table, err);
	}
	gopclntab_free(go);
	return err->code == ERR_NONE;
}

void gopclntab_free(struct gopclntab *lines)
{
	if (!lines)
		return;
	go_release(lines);
	free(lines);
}

static bool answer_file(const struct gopclntab *go, const struct gofunction *function,
                        uint64_t addr, struct strings *strings, uint32_t *file, struct err *err)
{
	const char *path = go_file_at(go, function, addr);

	if (path)
		*file = source_path_put(strings, NULL, NULL, path, err);
	return *file != STRING_NONE;
}

bool gopclntab_answer(struct gopclntab *lines, const struct elf *elf, struct source_query *query,
                      struct err *err)
{
	for (size_t i = 0; i < query->function_count; i++) {
		struct source_function *asked = &query->functions[i];
		const struct gofunction *function = go_find_function(lines, asked->entry);

		if (function && !answer_file(lines, function, function->start, query->strings,
		                             &asked->file, err))
			return false;
	}
	for (size_t i = 0; i < query->addr_count; i++) {
		struct source_addr *asked = &query->addrs[i];
		const struct gofunction *function = go_find_function(lines, asked->addr);

		if (!function)
			continue;
		if (!answer_file(lines, function, asked->addr, query->strings, &asked->file, err))
			return false;
		asked->line = go_line_at(lines, function, asked->addr);
		if (query->inlines && !go_answer_inlines(lines, elf, function, query, asked, err))
			return false;
	}
	return true;
}

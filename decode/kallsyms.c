#include "decode/kallsyms.h"

#include "decode/elf.h"

#include <string.h>

#define PAGE UINT64_C(4096)

struct line {
	uint64_t addr;
	char type;
	char *name;
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/*
 * Takes the line at text apart and puts NULs behind its name and its module. Returns the next line,
 * or NULL at the end. Without a symbol in the line name is NULL.
 */
static char *take_line(char *text, char *end, struct line *line)
{
	char *next = memchr(text, '\n', (size_t)(end - text));
	int digit;

	if (!next)
		next = end;
	line->name = NULL;
	line->addr = 0;
	while ((digit = hex_digit(*text)) >= 0) {
		line->addr = line->addr << 4 | (unsigned)digit;
		text++;
	}
	if (next - text > 3 && text[0] == ' ' && text[2] == ' ') {
		char *tab = memchr(text + 3, '\t', (size_t)(next - text - 3));

		line->type = text[1];
		line->name = text + 3;
		if (tab)
			*tab = '\0';
	}
	if (next == end)
		return NULL;
	*next = '\0';
	return next + 1;
}

/* "[module]" behind the name's NUL, or NULL: the text goes on with the next line's address. */
static const char *module_of(const struct symtable *table, const struct symtable_item *item)
{
	const char *name = symtable_name(table, item);
	const char *tag = name + strlen(name) + 1;
	const struct symtable_text *text = &table->texts[item->text];

	return tag < text->data + text->size && *tag == '[' ? tag : NULL;
}

static bool put_line(struct kallsyms *kallsyms, const struct line *line, const char *text,
                     struct err *err)
{
	struct symtable_item item = { .start = line->addr, .origin = ORIGIN_KALLSYMS };

	switch (line->type) {
	case 'T':
	case 't':
	case 'W':
	case 'w':
		item.type = ELF_STT_FUNC;
		break;
	case 'D':
	case 'd':
	case 'B':
	case 'b':
		item.type = ELF_STT_OBJECT;
		break;
	default:
		return true;
	}
	/* labels that are no functions */
	if (line->name[0] == '$' || !strncmp(line->name, ".L", 2) || !strncmp(line->name, "L0", 2))
		return true;
	if (line->type == 'W')
		item.binding = ELF_STB_WEAK;
	else
		item.binding = line->type < 'a' ? ELF_STB_GLOBAL : ELF_STB_LOCAL;
	item.name = (uint32_t)(line->name - text);
	return symtable_put(&kallsyms->table, &item, err);
}

static bool put_lines(struct kallsyms *kallsyms, char *text, size_t size, const char *ref_name,
                      uint64_t ref_addr, struct err *err)
{
	char *next = text, *end = text + size;
	bool any = false;

	kallsyms->hidden = true;
	while (next && next < end) {
		struct line line;

		next = take_line(next, end, &line);
		if (!line.name)
			continue;
		any = true;
		kallsyms->hidden &= !line.addr;
		if (ref_addr && line.addr && !kallsyms->delta && !strcmp(line.name, ref_name))
			kallsyms->delta = line.addr - ref_addr;
		if (!put_line(kallsyms, &line, text, err))
			return false;
	}
	kallsyms->hidden &= any;
	return true;
}

/* A symbol reaches to the next, but the last of the kernel or of a module only to its page's end. */
static void fix_ends(struct symtable *table)
{
	for (size_t i = 0; i < table->count; i++) {
		struct symtable_item *item = &table->items[i];
		const char *module = module_of(table, item), *other = NULL;
		uint64_t page_end = (item->start + 2 * PAGE - 1) & ~(PAGE - 1);
		bool last = i + 1 == table->count;
		uint64_t size;

		if (!last)
			other = module_of(table, item + 1);
		if (!last && !module == !other && (!module || !strcmp(module, other)))
			size = item[1].start - item->start;
		else
			size = page_end - item->start;
		item->size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
	}
}

bool kallsyms_parse(struct kallsyms *kallsyms, char *text, size_t size, const char *ref_name,
                    uint64_t ref_addr, struct err *err)
{
	memset(kallsyms, 0, sizeof(*kallsyms));
	symtable_init(&kallsyms->table);
	if (symtable_add_text(&kallsyms->table, text, size + 1, false, err) < 0 ||
	    !put_lines(kallsyms, text, size, ref_name, ref_addr, err))
		return false;
	if (kallsyms->hidden)
		kallsyms->table.count = 0;
	for (size_t i = 0; kallsyms->delta && i < kallsyms->table.count; i++)
		kallsyms->table.items[i].start -= kallsyms->delta;
	if (!symtable_sort(&kallsyms->table, err))
		return false;
	fix_ends(&kallsyms->table);
	return symtable_finish(&kallsyms->table, err);
}

void kallsyms_release(struct kallsyms *kallsyms)
{
	symtable_release(&kallsyms->table);
}

bool kallsyms_put_module(const struct kallsyms *kallsyms, const char *module, uint64_t start,
                         struct symtable *table, struct err *err)
{
	const struct symtable_text *text = &kallsyms->table.texts[0];
	int number = symtable_add_text(table, text->data, text->size, true, err);

	if (number < 0)
		return false;
	for (size_t i = 0; i < kallsyms->table.count; i++) {
		struct symtable_item item = kallsyms->table.items[i];
		const char *tag = module_of(&kallsyms->table, &item);

		if (!tag || item.start < start || strcmp(tag, module) != 0)
			continue;
		item.start -= start;
		item.text = (uint8_t)number;
		if (!symtable_put(table, &item, err))
			return false;
	}
	return true;
}

#include "decode/symbols/kallsyms.h"

#include "decode/files/elf.h"
#include "util/search.h"
#include "util/vec.h"
#include "util/wholeio.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE UINT64_C(4096)
#define BLOCK_SIZE 65536
/* /proc/kallsyms of a distribution's kernel has about 15 MB. */
#define LIST_MAX ((size_t)512 << 20)

/* One line of the list. */
struct line {
	uint64_t addr;
	char type;
	const char *name, *end; /* name: maybe followed by a tab and a module; end: of the line */
};

/* The state of reading a list. */
struct list {
	struct kallsyms *kallsyms;
	const struct kallsyms_request *request;
	/* The symbol read before the current one, which decides whether it is kept. */
	struct symtable_item last;
	struct line last_line;
	bool undecided;
	size_t next;    /* the first wanted address that is not below `last` */
	uint64_t lines; /* how many were read */
	bool any;       /* a line with a name was read */
	bool placed;    /* the reference symbol was read, so kallsyms->delta is known */
	bool again;     /* it was not where it was assumed to be: everything has to be read again */
	bool disordered;         /* a symbol was below the one before it */
	uint64_t first_function; /* its address; UINT64_MAX: none was read */
	bool done;               /* the rest of the list is not needed */
};

/* Values of hexadecimal digits, plus one; with hex_digit() a short job takes 3 % more CPU time. */
static const uint8_t hex_digits[256] = {
	['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
	['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

size_t kernel_padding_prefix(const char *name, size_t length)
{
	static const char prefix[] = "__pfx_";
	const size_t size = sizeof(prefix) - 1;

	return length > size && !memcmp(name, prefix, size) ? size : 0;
}

/* Splits the line [text, end); false if it has no symbol. */
static bool take_line(const char *text, const char *end, struct line *line)
{
	const char *start = text;
	uint64_t addr = 0;
	uint8_t digit;

	for (; text < end && (digit = hex_digits[(uint8_t)*text]); text++)
		addr = addr << 4 | (digit - 1u);
	if (text == start || end - text <= 3 || text[0] != ' ' || text[2] != ' ')
		return false;
	*line = (struct line){ addr, text[1], text + 3, end };
	return true;
}

/* The "[module]" that follows the NUL of the name, or NULL. */
static const char *module_of(const struct symtable *table, const struct symtable_item *item)
{
	const char *name = symtable_name(table, item);
	const char *tag = name + strlen(name) + 1;

	return *tag ? tag : NULL;
}

/*
 * Whether a wanted address may need the last symbol, because it is at or after its start, or the
 * symbol at `start`, because that ends the last one. Lists are mostly sorted; where this one is
 * not, both symbols are kept. If all were kept, a recording of 22,746 samples would take 15 % more
 * CPU time and 8 MB more memory.
 */
static bool is_wanted(struct list *list, uint64_t start)
{
	const struct kallsyms_request *request = list->request;
	size_t count = request->addr_count;

	if (!request->addrs)
		return true;
	if (start > list->last.start &&
	    (list->next == count || request->addrs[list->next] >= start))
		return false;
	list->next = search_below(request->addrs, count, sizeof(start), start);
	return true;
}

/*
 * Whether no symbol after the last one is needed: the last symbol is the kernel's, and all wanted
 * addresses are in the kernel, before the last symbol and after the first function. Modules may lie
 * on either side of the kernel.
 */
static bool is_behind_wanted(const struct list *list)
{
	const struct kallsyms_request *request = list->request;
	const struct line *line = &list->last_line;

	return request->in_order && request->addr_count && !list->disordered &&
	       (list->placed || !request->ref_addr) && request->addrs[0] >= list->first_function &&
	       request->addrs[request->addr_count - 1] < list->last.start &&
	       !memchr(line->name, '\t', (size_t)(line->end - line->name));
}

/* Adds the last symbol to the table, unless it is there already. */
static bool keep_last(struct list *list, struct err *err)
{
	const struct line *line = &list->last_line;
	struct symtable *table = &list->kallsyms->table;
	const char *tab, *module;
	uint32_t offset;
	size_t length;

	if (!list->undecided)
		return true;
	list->undecided = false;
	tab = memchr(line->name, '\t', (size_t)(line->end - line->name));
	module = tab && tab + 1 < line->end && tab[1] == '[' ? tab + 1 : line->end;
	length = strnlen(line->name, (size_t)((tab ? tab : line->end) - line->name));
	return symtable_add_name(table, line->name, length, &list->last.name, err) &&
	       symtable_add_name(table, module, strnlen(module, (size_t)(line->end - module)),
	                         &offset, err) &&
	       symtable_put(table, &list->last, err);
}

static bool put_symbol(struct list *list, const struct line *line, uint8_t type, struct err *err)
{
	uint64_t start = line->addr - list->kallsyms->delta;
	bool wanted = is_wanted(list, start);

	if (wanted && !keep_last(list, err))
		return false;
	list->disordered |= start < list->last.start;
	list->last = (struct symtable_item){ .start = start,
		                             .type = type,
		                             .origin = ORIGIN_KALLSYMS };
	if (line->type == 'W')
		list->last.binding = STB_WEAK;
	else
		list->last.binding = line->type < 'a' ? STB_GLOBAL : STB_LOCAL;
	list->last_line = *line;
	list->undecided = true;
	if (type == STT_FUNC && list->first_function == UINT64_MAX)
		list->first_function = start;
	list->done = is_behind_wanted(list);
	return !wanted || keep_last(list, err);
}

static bool put_line(struct list *list, struct line *line, struct err *err)
{
	const char *name = line->name;

	/* labels that are not functions */
	if (name[0] == '$' || (line->end - name > 1 && ((name[0] == '.' && name[1] == 'L') ||
	                                                (name[0] == 'L' && name[1] == '0'))))
		return true;
	line->name += kernel_padding_prefix(name, (size_t)(line->end - name));
	switch (line->type) {
	case 'T':
	case 't':
	case 'W':
	case 'w':
		return put_symbol(list, line, STT_FUNC, err);
	case 'D':
	case 'd':
	case 'B':
	case 'b':
		return put_symbol(list, line, STT_OBJECT, err);
	default:
		return true;
	}
}

/* Whether the line's symbol may be left out because of its name. */
static bool has_other_name(const struct list *list, const struct line *line)
{
	const char *const *prefix = list->request->prefixes;

	if (!prefix)
		return false;
	for (; *prefix; prefix++) {
		const size_t size = strlen(*prefix);

		if ((size_t)(line->end - line->name) >= size &&
		    memcmp(line->name, *prefix, size) == 0)
			return false;
	}
	return true;
}

/*
 * Computes the distance between the addresses of this list and the recorded ones from the reference
 * symbol.
 */
static void place_list(struct list *list, const struct line *line)
{
	const struct kallsyms_request *request = list->request;
	size_t size = strlen(request->ref_name);

	if (!request->ref_addr || !line->addr || (size_t)(line->end - line->name) < size ||
	    memcmp(line->name, request->ref_name, size) != 0 ||
	    (line->name + size < line->end && line->name[size] != '\t'))
		return;
	list->placed = true;
	list->kallsyms->delta = line->addr - request->ref_addr;
	list->again = list->kallsyms->delta != 0;
}

static void note_other_line(struct list *list, const char *text, const char *end)
{
	struct kallsyms *kallsyms = list->kallsyms;
	size_t size = (size_t)u64_min((uint64_t)(end - text), sizeof(kallsyms->other_text) - 1);

	if (kallsyms->other_lines++)
		return;
	kallsyms->other_line = list->lines;
	memcpy(kallsyms->other_text, text, size);
	kallsyms->other_text[size] = '\0';
}

/*
 * Reads the lines in [text, end), which may end with CR LF; the last one may lack its line end. The
 * text may be overwritten afterwards.
 */
static bool put_lines(struct list *list, const char *text, const char *end, struct err *err)
{
	while (text < end && !list->again && !list->done) {
		const char *next = memchr(text, '\n', (size_t)(end - text)), *behind;
		struct line line;

		if (!next)
			next = end;
		behind = next - (next > text && next[-1] == '\r');
		list->lines++;
		if (take_line(text, behind, &line)) {
			list->any = true;
			list->kallsyms->hidden &= !line.addr;
			if (!list->placed)
				place_list(list, &line);
			if (!list->again && !has_other_name(list, &line) &&
			    !put_line(list, &line, err))
				return false;
		} else {
			note_other_line(list, text, behind);
		}
		text = next + (next < end);
	}
	/* it may not be wanted; but its line is going to be overwritten */
	return keep_last(list, err);
}

/*
 * Sets the ends of symbols: each ends where the next one begins, but the last one of the kernel or
 * of a module at the end of its page.
 */
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
		item->size = (uint32_t)u64_min(size, UINT32_MAX);
	}
}

/* After the last line: finishes the table, which then owns the names. */
static bool finish_list(struct list *list, struct err *err)
{
	struct symtable *table = &list->kallsyms->table;

	list->kallsyms->hidden &= list->any;
	if (list->kallsyms->hidden)
		table->count = 0;
	if (!symtable_sort(table, err))
		return false;
	fix_ends(table);
	symtable_finish(table);
	return true;
}

/* The start of the incomplete line at the end of [text, text + size). */
static char *behind_lines(char *text, size_t size)
{
	while (size && text[size - 1] != '\n')
		size--;
	return text + size;
}

/* Reads more into the block, behind the *used bytes that it has. The block grows for long lines. */
static bool read_more(int fd, char **block, size_t *capacity, size_t *used, bool *end,
                      struct err *err)
{
	size_t got;

	if (!vec_room(block, *used, capacity, 1, err))
		return false;
	if (!read_whole(fd, *block + *used, *capacity - *used, &got))
		return err_errno(err, "cannot read");
	*used += got;
	*end = !got;
	return true;
}

static bool put_file(struct list *list, int fd, struct err *err)
{
	size_t capacity = BLOCK_SIZE, used = 0, total = 0;
	char *block = malloc(capacity);
	bool end = false, ok = block || err_nomem(err, capacity);

	while (ok && !end && !list->again && !list->done) {
		size_t before = used;
		char *behind;

		ok = read_more(fd, &block, &capacity, &used, &end, err);
		if (!ok)
			break;
		total += used - before;
		if (total > LIST_MAX) {
			ok = err_set(err, ERR_LIMIT, "more than %zu bytes", LIST_MAX);
			break;
		}
		behind = end ? block + used : behind_lines(block, used);
		ok = put_lines(list, block, behind, err);
		used -= (size_t)(behind - block);
		memmove(block, behind, used);
	}
	free(block);
	return ok;
}

/* Reads the list from its start; placed: kallsyms->delta is known. */
static bool put_list(struct list *list, struct kallsyms *kallsyms,
                     const struct kallsyms_request *request, bool placed, struct err *err)
{
	*list = (struct list){ .kallsyms = kallsyms,
		               .request = request,
		               .placed = placed,
		               .first_function = UINT64_MAX };
	kallsyms->hidden = true;
	kallsyms->table.count = 0;
	kallsyms->other_lines = 0;
	kallsyms->table.texts[SYMTABLE_OWN_NAMES].size = 0;
	return request->text ? put_lines(list, request->text, request->text + request->size, err)
	                     : put_file(list, request->fd, err);
}

bool kallsyms_read(struct kallsyms *kallsyms, const struct kallsyms_request *request,
                   struct err *err)
{
	struct list list;
	bool ok;

	/* the table's text has, for each symbol, its name, a NUL, its module or nothing, a NUL */
	*kallsyms = (struct kallsyms){ .delta = 0 };
	ok = put_list(&list, kallsyms, request, false, err);
	if (ok && list.again && request->same_boot)
		kallsyms->table.count = 0;
	else if (ok && list.again) /* read with the wrong delta */
		ok = (request->text || lseek(request->fd, 0, SEEK_SET) == 0 ||
		      err_errno(err, "cannot read again")) &&
		     put_list(&list, kallsyms, request, true, err);
	return ok && finish_list(&list, err);
}

void kallsyms_release(struct kallsyms *kallsyms)
{
	symtable_release(&kallsyms->table);
}

bool kallsyms_put_module(const struct kallsyms *kallsyms, const char *module, uint64_t start,
                         struct symtable *table, struct err *err)
{
	const struct symtable_text *text = &kallsyms->table.texts[SYMTABLE_OWN_NAMES];
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

#include "decode/files/gotable.h"

#include "util/bytes.h"
#include "util/search.h"
#include "util/vec.h"

#include <stdlib.h>

#define NO_FILE UINT32_MAX
/*
 * The budget of bytes: so many for each of the table, for each question, and at least. With what is
 * inlined, an address takes 400 in a program of 90 MB.
 */
enum { WORK_PER_BYTE = 64, WORK_PER_QUESTION = 2048, WORK_MIN = 1 << 26 };

/* What follows an offset of the table. */
static struct bytes bytes_behind(const struct gopclntab *go, uint64_t place)
{
	struct bytes table = bytes_over(go->data, (size_t)go->size, go->swap);

	return bytes_at(&table, place);
}

/* Reads a 32-bit number at an offset of the table. */
static bool read_u32(const struct gopclntab *go, uint64_t place, uint32_t *value)
{
	struct bytes b = bytes_behind(go, place);

	*value = (uint32_t)bytes_uint(&b, 4);
	return !b.bad;
}

static bool read_version(struct gopclntab *go)
{
	static const uint32_t magics[] = { [GO_1_2] = 0xfffffffb,
		                           [GO_1_16] = 0xfffffffa,
		                           [GO_1_18] = 0xfffffff0,
		                           [GO_1_20] = 0xfffffff1 };
	uint32_t magic;

	if (go->size < 8 || !read_u32(go, 0, &magic) || go->data[4] || go->data[5])
		return false;
	while (magics[go->version] != magic)
		if (++go->version == ARRAY_SIZE(magics))
			return false;
	go->quantum = go->data[6];
	go->word = go->data[7];
	return (go->quantum == 1 || go->quantum == 2 || go->quantum == 4) &&
	       (go->word == 4 || go->word == 8);
}

/*
 * Finds the parts of the table. Before 1.16 they have no offsets: all are counted from its start.
 */
static bool read_parts(struct gopclntab *go, uint64_t *count)
{
	struct bytes b = bytes_behind(go, 8);
	uint32_t files;

	*count = bytes_uint(&b, go->word);
	if (go->version == GO_1_2) {
		go->functions = 8 + go->word;
		if (b.bad || *count > go->size / (2 * go->word) ||
		    !read_u32(go, go->functions + (2 * *count + 1) * go->word, &files))
			return false;
		go->files = files;
		return true;
	}
	bytes_skip(&b, go->word); /* number of files */
	if (go->version >= GO_1_18)
		go->text = bytes_uint(&b, go->word);
	go->names = bytes_uint(&b, go->word);
	go->units = bytes_uint(&b, go->word);
	go->files = bytes_uint(&b, go->word);
	go->pcs = bytes_uint(&b, go->word);
	go->functions = bytes_uint(&b, go->word);
	return !b.bad;
}

/* Reads the n-th entry of the list of functions: its start, and where its description is. */
static bool read_entry(const struct gopclntab *go, uint64_t n, uint64_t *start, uint64_t *place)
{
	unsigned size = go->version >= GO_1_18 ? 4 : go->word;
	struct bytes b = bytes_behind(go, go->functions + 2 * n * size);

	*start = bytes_uint(&b, size) + go->text;
	*place = bytes_uint(&b, size) + (go->version == GO_1_2 ? 0 : go->functions);
	return !b.bad;
}

bool go_read_field(const struct gopclntab *go, const struct gofunction *function, unsigned n,
                   uint32_t *value)
{
	unsigned first = go->version >= GO_1_18 ? 4 : go->word;

	return read_u32(go, function->place + first + 4 * (uint64_t)n, value);
}

void go_pay(struct gopclntab *go, uint64_t questions)
{
	go->work = u64_add_sat(go->work, WORK_PER_QUESTION * questions);
}

bool go_spend(struct gopclntab *go, uint64_t bytes)
{
	go->work -= u64_min(go->work, bytes);
	return go->work != 0;
}

const char *go_name(const struct gopclntab *go, uint32_t offset)
{
	uint64_t place = u64_add_sat(go->names, offset);

	return place < go->size && go->data[place] ? (const char *)go->data + place : NULL;
}

/* go_value_at() of the list in b, which is moved behind what was read. */
static bool find_value(const struct gopclntab *go, struct bytes *b, uint64_t pc, uint64_t addr,
                       int32_t *value)
{
	uint32_t current = UINT32_MAX;

	for (bool first = true;; first = false) {
		uint32_t step = (uint32_t)bytes_uleb(b), pcs = (uint32_t)bytes_uleb(b);

		if (b->bad || (!step && !first))
			return false;
		current += step & 1 ? ~(step >> 1) : step >> 1;
		pc += (uint64_t)pcs * go->quantum;
		if (addr < pc)
			break;
	}
	*value = (int32_t)current;
	return true;
}

bool go_value_at(struct gopclntab *go, const struct gofunction *function, uint32_t offset,
                 uint64_t addr, int32_t *value)
{
	struct bytes b = bytes_behind(go, u64_add_sat(go->pcs, offset));
	const uint8_t *start = b.pos;
	bool found = find_value(go, &b, function->start, addr, value);

	return go_spend(go, (uint64_t)(b.pos - start)) && found;
}

bool go_value_of_field(struct gopclntab *go, const struct gofunction *function, enum go_field field,
                       uint64_t addr, int32_t *value)
{
	uint32_t offset;

	return go_read_field(go, function, field, &offset) && offset &&
	       go_value_at(go, function, offset, addr, value);
}

uint32_t go_line_at(struct gopclntab *go, const struct gofunction *function, uint64_t addr)
{
	int32_t line;

	return go_value_of_field(go, function, GO_FIELD_LINES, addr, &line) && line > 0
	               ? (uint32_t)line
	               : 0;
}

const char *go_file_at(struct gopclntab *go, const struct gofunction *function, uint64_t addr)
{
	const char *path;
	uint64_t place;
	uint32_t offset, unit;
	int32_t number;

	if (!go_value_of_field(go, function, GO_FIELD_FILES, addr, &number) || number < 0)
		return NULL;
	if (go->version == GO_1_2) {
		if (!read_u32(go, go->files + 4 * (uint64_t)number, &offset))
			return NULL;
		place = offset;
	} else {
		if (!go_read_field(go, function, GO_FIELD_UNIT, &unit) ||
		    !read_u32(go, go->units + 4 * ((uint64_t)unit + (uint32_t)number), &offset) ||
		    offset == NO_FILE)
			return NULL;
		place = u64_add_sat(go->files, offset);
	}
	path = place < go->size ? (const char *)go->data + place : NULL;
	return path && go_spend(go, strlen(path)) ? path : NULL;
}

const struct gofunction *go_find_function(const struct gopclntab *go, uint64_t addr)
{
	size_t behind = search_until(go->items, go->count, sizeof(*go->items), addr);

	return behind && addr < go->items[behind - 1].end ? &go->items[behind - 1] : NULL;
}

static bool read_functions(struct gopclntab *go, uint64_t count, struct err *err)
{
	uint64_t start, next, place, behind;

	if (count > go->size / 8)
		return err_set(err, ERR_FORMAT, ".gopclntab has no room for its functions");
	go->items = vec_new((size_t)count, sizeof(*go->items), err);
	if (!go->items)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		if (!read_entry(go, i, &start, &place))
			return err_set(err, ERR_FORMAT, ".gopclntab ends within its functions");
		/* after the last function comes the end of the text, which has no description */
		next = start;
		read_entry(go, i + 1, &next, &behind);
		if (next > start && (!go->count || start >= go->items[go->count - 1].end))
			go->items[go->count++] = (struct gofunction){ start, next, place };
	}
	return true;
}

/* Finds out where the text is, if the functions' addresses are relative to it. */
static bool find_text(struct gopclntab *go, const struct elf *elf, struct err *err)
{
	struct go_relocation filled_in = { .place = go->addr + 8 + 2 * (uint64_t)go->word };

	if (go->version < GO_1_18 || go->text)
		return true;
	/* the loader fills it in in position-independent programs; from 1.26 on it is not there */
	if (go_find_relocation(elf, &filled_in, err))
		go->text = filled_in.value;
	else if (err->code != ERR_NONE || !go_read_module(go, elf, err))
		return false;
	return go->text ||
	       err_set(err, ERR_UNSUPPORTED, ".gopclntab does not tell where the text is");
}

bool go_open(struct gopclntab *go, const struct elf *elf, struct err *err)
{
	const struct elf_section *section = elf_find_section(elf, ".gopclntab");
	uint64_t count;

	*go = (struct gopclntab){ .swap = elf->swap };
	if (!section)
		section = elf_find_section(elf, ".data.rel.ro.gopclntab");
	if (!section)
		return true;
	go->data = elf_section_data(elf, section, err);
	if (!go->data)
		return false;
	go->addr = section->addr;
	go->size = section->size;
	go->work = WORK_MIN + WORK_PER_BYTE * go->size;
	if (section->size >= UINT32_MAX || !read_version(go) || !read_parts(go, &count))
		return err_set(err, ERR_UNSUPPORTED, ".gopclntab is of an unknown version");
	return find_text(go, elf, err) && read_functions(go, count, err);
}

void go_release(struct gopclntab *go)
{
	free(go->items);
	free(go->data);
	*go = (struct gopclntab){ 0 };
}

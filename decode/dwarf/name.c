#ifdef HAVE_LIBDW
#include "decode/dwarf/name.h"

#include "decode/dwarf/reader.h"
#include "util/vec.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* More scopes than any function is in: damage may refer in circles. */
enum { PARTS_MAX = 32, STEPS_MAX = 64 };
/* What a step costs, compared with reading a byte. */
enum { STEP_WORK = 64 };

/* One part of a qualified name. */
struct part {
	const char *text; /* NULL: it has none, made stands for it */
	char made[64];
};

/* From the innermost part, the function's own name, outwards. */
struct name {
	struct part parts[PARTS_MAX];
	size_t count;
};

void names_release(struct names *names)
{
	map_release(&names->known);
	map_release(&names->units);
	while (names->count)
		free(names->scopes[--names->count].items);
	free(names->scopes);
}

void names_drop_splits(struct names *names)
{
	if (names->of_split)
		map_release(&names->known);
	names->of_split = false;
}

bool dwarf_has_scopes(Dwarf_CU *cu)
{
	uint64_t language;
	Dwarf_Die die;

	if (!dwarf_cu_die(cu, &die, NULL, NULL, NULL, NULL, NULL, NULL))
		return false;
	/* units that several share (dwz) need not say it */
	if (!dwarf_uint_attr(&die, DW_AT_language, &language))
		return true;
	return language != DW_LANG_C && language != DW_LANG_C89 && language != DW_LANG_C99 &&
	       language != DW_LANG_C11;
}

void dwarf_find_origin(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	/* The same limit as libdw's. */
	for (int chain = 16; chain > 0; chain--) {
		if (!dwarf_attr(die, DW_AT_abstract_origin, &attr) &&
		    !dwarf_attr(die, DW_AT_specification, &attr))
			return;
		if (!dwarf_formref_die(&attr, die))
			return;
	}
}

/* Reads the scopes of a unit, once; *number: which ones. */
static bool read_scopes(struct dwarf_reader *reader, Dwarf_CU *cu, uint32_t *number)
{
	struct names *names = &reader->names;
	struct scan scan = { .points = &reader->points, .scoped = true };
	struct scan_unit place = { 0 };
	struct scopes *grown = vec_grow(names->scopes, names->count, &names->capacity,
	                                sizeof(*grown), reader->err);
	bool ok = true;

	if (!grown)
		return false;
	names->scopes = grown;
	if (reader->points.work && dwarf_has_scopes(cu) && reader_place(reader, cu, &place))
		ok = scan_unit(&scan, &place, 0, reader->err);
	*number = (uint32_t)names->count;
	names->scopes[names->count++] = scan.scopes;
	scan.scopes = (struct scopes){ 0 };
	scan_release(&scan);
	return ok && map_put(&names->units, (uintptr_t)cu, *number, reader->err);
}

/* The scopes of a unit, or NULL if they cannot be known. */
static const struct scopes *scopes_of(struct dwarf_reader *reader, const struct unit *unit,
                                      Dwarf_CU *cu)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(cu);
	uint32_t number;
	uint8_t type;

	if (cu == unit->split.cu)
		return &reader->scan.scopes;
	/* units of types may be in a section of their own */
	if ((dwarf != reader->file.dwarf && dwarf != reader->shared.dwarf) ||
	    dwarf_cu_info(cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) != 0 || type == DW_UT_type)
		return NULL;
	number = map_get(&reader->names.units, (uintptr_t)cu);
	if (number == MAP_NONE && !read_scopes(reader, cu, &number))
		return NULL;
	return &reader->names.scopes[number];
}

/* Moves to the scope around a DIE. False: there is none, or it is not known. */
static bool move_out(struct dwarf_reader *reader, const struct unit *unit, Dwarf_Die *die)
{
	const struct scopes *scopes = scopes_of(reader, unit, die->cu);
	const struct scan_scope *scope;

	scope = scopes ? scopes_find(scopes, dwarf_dieoffset(die)) : NULL;
	return scope && scope->parent != POINT_NONE &&
	       dwarf_offdie(dwarf_cu_getdwarf(die->cu), scopes->items[scope->parent].offset, die);
}

/* The name of a scope; of a class that is described in a unit of types, it may stand there. */
static const char *scope_name(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	Dwarf_Attribute attr;
	Dwarf_Die type;

	if (!name && dwarf_attr(die, DW_AT_signature, &attr) && dwarf_formref_die(&attr, &type))
		name = dwarf_diename(&type);
	return name && *name ? name : NULL;
}

/* Whether a class without a name that has this function is what a lambda became. */
static bool is_lambda(const char *function)
{
	return strncmp(function, "operator()", 10) == 0 || strcmp(function, "_FUN") == 0 ||
	       strstr(function, "<lambda") != NULL;
}

/* What has no name: the place where it is keeps it apart from others. */
static void make_part(struct part *part, Dwarf_Die *die, const char *inner)
{
	uint64_t line = 0, column = 0;

	dwarf_uint_attr(die, DW_AT_decl_line, &line);
	dwarf_uint_attr(die, DW_AT_decl_column, &column);
	if (dwarf_tag(die) == DW_TAG_namespace)
		snprintf(part->made, sizeof(part->made), "(anonymous namespace)");
	else
		snprintf(part->made, sizeof(part->made), "{%s:%" PRIu64 ":%" PRIu64 "}",
		         inner && is_lambda(inner) ? "lambda" : "unnamed", line, column);
}

/* Finds the parts of a function's name. die moves to the outermost; count is 0 without a name. */
static void find_parts(struct dwarf_reader *reader, const struct unit *unit, Dwarf_Die *die,
                       struct name *name)
{
	const char *own = dwarf_diename(die);
	bool function = true;

	name->parts[0].text = own ? own : "";
	name->count = own && *own;
	dwarf_find_origin(die);
	for (int step = 0; step < STEPS_MAX && name->count && name->count < PARTS_MAX; step++) {
		struct part *part = &name->parts[name->count];

		if (!points_work(&reader->points, STEP_WORK) || !move_out(reader, unit, die))
			break;
		dwarf_find_origin(die);
		/* what is only declared inside a function belongs to what is around that */
		if (function && dwarf_tag(die) == DW_TAG_subprogram)
			continue;
		function = dwarf_tag(die) == DW_TAG_subprogram;
		part->text = scope_name(die);
		if (!part->text)
			make_part(part, die, part[-1].text);
		name->count++;
	}
}

/* A part's text, or what was made for it. */
static const char *part_text(const struct part *part)
{
	return part->text ? part->text : part->made;
}

/* Puts the parts together, from the outermost. */
static uint32_t join_parts(struct dwarf_reader *reader, const struct name *name)
{
	size_t size = 0, used = 0;
	uint32_t string;
	char *text;

	for (size_t i = 0; i < name->count; i++)
		size += strlen(part_text(&name->parts[i])) + 2;
	/* long names that many share are more text than the file has */
	if (name->count < 2 || !points_work(&reader->points, size))
		return strings_put_text(reader->query->strings, name->parts[0].text, reader->err);
	text = malloc(size);
	if (!text) {
		err_nomem(reader->err, size);
		return STRING_NONE;
	}
	for (size_t i = name->count; i-- > 0;) {
		const char *part = part_text(&name->parts[i]);
		size_t length = strlen(part);

		memcpy(text + used, part, length);
		memcpy(text + used + length, "::", 2);
		used += length + 2;
	}
	string = strings_put(reader->query->strings, text, used - 2, reader->err);
	free(text);
	return string;
}

/* The name that a DIE, or one that it refers to, has. */
static uint32_t name_of(struct dwarf_reader *reader, const struct unit *unit, Dwarf_Die *die)
{
	const char *linkage = NULL;
	Dwarf_Attribute attr;
	struct name name;
	uint32_t string;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		linkage = dwarf_formstring(&attr);
	if (linkage)
		return strings_put_text(reader->query->strings, linkage, reader->err);
	find_parts(reader, unit, die, &name);
	string = join_parts(reader, &name);
	return reader->err->code == ERR_NONE ? string : STRING_NONE;
}

uint32_t reader_name(struct dwarf_reader *reader, const struct unit *unit, uint64_t offset,
                     bool inlined)
{
	struct names *names = &reader->names;
	Dwarf_Attribute attr;
	Dwarf_Die die;
	uint32_t string;
	uint64_t key;
	Dwarf *dwarf;

	if (!dwarf_offdie(unit->dwarf, offset, &die))
		return STRING_EMPTY;
	/* a call has no name of its own, and there may be many of one function */
	if (!inlined || !dwarf_attr(&die, DW_AT_abstract_origin, &attr) ||
	    !dwarf_formref_die(&attr, &die))
		return name_of(reader, unit, &die);
	dwarf = dwarf_cu_getdwarf(die.cu);
	key = dwarf_dieoffset(&die) << 2 | (dwarf == reader->shared.dwarf);
	if (dwarf != reader->file.dwarf && dwarf != reader->shared.dwarf) {
		key |= 2;
		names->of_split = true;
	}
	string = map_get(&names->known, key);
	if (string == MAP_NONE) {
		string = name_of(reader, unit, &die);
		if (string != STRING_NONE && !map_put(&names->known, key, string, reader->err))
			string = STRING_NONE;
	}
	return string;
}
#else
/* Without libdw this file is empty, which C does not allow. */
extern const int dwarf_name_unused;
#endif

#include "decode/dwarf/name.h"

#include "decode/dwarf/file.h"
#include "util/text.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Limits of nested scopes; in damaged files, references may be circular. */
enum { PARTS_MAX = 32, STEPS_MAX = 64 };
/* Limits of nested types, and of a lambda's name: of its beginning, and of its end with the NUL. */
enum { TYPE_DEPTH_MAX = 16, LAMBDA_MOST = 239, LAMBDA_END_MAX = 16 };
/* Cost of a step, compared with reading a byte. */
enum { STEP_WORK = 64 };

/* Parts of a name, from the innermost one, the function's own name, outwards. */
struct name {
	const char *parts[PARTS_MAX];
	size_t count;
	struct arena made; /* texts of parts that have no name */
};

/* Takes steps from the budget. False when it is used up. */
static bool take_steps(const struct die *die, uint64_t steps)
{
	return points_work(die->unit->list->file->points, steps);
}

bool unit_has_scopes(const struct dwarf_unit *unit)
{
	enum { LANG_C89 = 1, LANG_C = 2, LANG_C99 = 0xc, LANG_C11 = 0x1d, LANG_C17 = 0x2c };
	uint64_t language;

	/* units shared by several others (dwz) may lack the language */
	if (!facts_uint(&unit->facts, FACT_LANGUAGE, &language))
		return true;
	return language != LANG_C && language != LANG_C89 && language != LANG_C99 &&
	       language != LANG_C11 && language != LANG_C17;
}

/* Reads the scopes of a unit, once. False: memory was refused. */
static bool read_scopes(struct dwarf_unit *unit)
{
	struct dwarf_file *file = unit->list->file;
	struct scan scan = { .scoped = true };
	bool ok = true;

	if (!unit->scopes.known && file->points->work && unit_has_scopes(unit))
		ok = scan_unit(&scan, unit);
	unit->scopes.known = true;
	scan_release(&scan);
	return ok;
}

/* The scope with this DIE; NULL: it is none, or they cannot be read. */
static const struct unit_scope *find_scope(const struct die *die)
{
	const struct unit_scopes *scopes = &die->unit->scopes;
	size_t number;

	if (!read_scopes(die->unit))
		return NULL;
	number = search_equal(scopes->items, scopes->count, sizeof(*scopes->items), die->offset);
	return number < scopes->count ? &scopes->items[number] : NULL;
}

/* Goes to the scope around a DIE. False: there is none, or it is not known. */
static bool move_out(struct die *die)
{
	const struct unit_scope *scope = find_scope(die);

	if (!scope || scope->parent == POINT_NONE)
		return false;
	die->offset = die->unit->scopes.items[scope->parent].offset;
	return true;
}

/* The name of a DIE, or of one that describes the same thing; NULL: none has a name. */
static const char *die_name(struct die die)
{
	struct die_facts facts;

	return die_find(&die, FACT_NAME, &facts) ? unit_text(die.unit, &facts, FACT_NAME) : NULL;
}

/* The name of a scope; for a class described in a type unit, the name may be there. */
static const char *scope_name(const struct die *die, const struct die_facts *facts)
{
	const char *name = die_name(*die);
	struct die type;

	if (!name && die_refer(die->unit, facts, FACT_SIGNATURE, &type))
		name = die_name(type);
	return name && *name ? name : NULL;
}

/* Whether a class without a name that has this function was made for a lambda. */
static bool is_lambda(const char *function)
{
	return text_starts(function, "operator()") || strcmp(function, "_FUN") == 0 ||
	       strstr(function, "<lambda") != NULL;
}

/* Makes a name for a class without one; its place distinguishes it from others. */
static const char *make_unnamed(struct arena *arena, const struct die_facts *facts, struct err *err)
{
	uint64_t line = 0, column = 0;
	char text[64];

	facts_uint(facts, FACT_DECL_LINE, &line);
	facts_uint(facts, FACT_DECL_COLUMN, &column);
	snprintf(text, sizeof(text), "{unnamed:%" PRIu64 ":%" PRIu64 "}", line, column);
	return arena_text(arena, text, strlen(text), err);
}

/* Appends to the beginning of a lambda's name; what does not fit is dropped. */
static void append_text(char *lambda, const char *more)
{
	strncat(lambda, more, LAMBDA_MOST - strlen(lambda));
}

/* Appends the scopes around the DIE of a type: "std::". */
static void append_scopes(struct die die, char *lambda)
{
	const char *outer[PARTS_MAX];
	struct die_facts facts;
	size_t count = 0;

	die_find_origin(&die);
	while (count < PARTS_MAX && take_steps(&die, STEP_WORK) && move_out(&die) &&
	       die_read(&die, &facts) && facts.tag != TAG_SUBPROGRAM) {
		outer[count] = scope_name(&die, &facts);
		if (!outer[count])
			outer[count] = facts.tag == TAG_NAMESPACE ? "(anonymous namespace)" : "?";
		count++;
	}
	while (count) {
		append_text(lambda, outer[--count]);
		append_text(lambda, "::");
	}
}

/* The words that C++ symbols use for types which gcc's debug information names differently. */
static const char *symbol_word(const char *type)
{
	static const char *const words[][2] = {
		{ "long int", "long" },
		{ "long unsigned int", "unsigned long" },
		{ "short int", "short" },
		{ "short unsigned int", "unsigned short" },
		{ "long long int", "long long" },
		{ "long long unsigned int", "unsigned long long" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcmp(words[i][0], type) == 0)
			return words[i][1];
	return type;
}

/* What a type appends to the type that it is made of; NULL: it is not made of one. */
static const char *type_suffix(uint16_t tag)
{
	switch (tag) {
	case TAG_TYPEDEF:
		return "";
	case TAG_CONST_TYPE:
		return " const";
	case TAG_VOLATILE_TYPE:
		return " volatile";
	case TAG_POINTER_TYPE:
		return "*";
	case TAG_REFERENCE_TYPE:
		return "&";
	case TAG_RVALUE_REFERENCE_TYPE:
		return "&&";
	default:
		return NULL;
	}
}

/* Appends the type of a DIE, as symbols spell it: "int const&". */
static void append_type(struct die die, struct die_facts *facts, char *lambda)
{
	const char *suffixes[TYPE_DEPTH_MAX], *name = "void";
	int count = 0;

	while (count < TYPE_DEPTH_MAX && die_refer(die.unit, facts, FACT_TYPE, &die) &&
	       die_read(&die, facts)) {
		suffixes[count] = type_suffix(facts->tag);
		if (suffixes[count]) {
			count++;
			continue;
		}
		name = die_name(die);
		break;
	}
	append_scopes(die, lambda);
	append_text(lambda, name ? symbol_word(name) : "?");
	while (count)
		append_text(lambda, suffixes[--count]);
}

/* Appends the types of a function's parameters, without that of the object itself. */
static void append_parameters(const struct die *function, char *lambda)
{
	struct die child = *function;
	struct die_facts facts;
	bool any = false;

	if (!die_read(function, &facts) || !facts.children)
		return;
	for (int i = 0; i < PARTS_MAX; i++) {
		child.offset = facts.behind;
		/* gcc writes the types of parameters first; DIEs with children follow them */
		if (!die_read(&child, &facts) || facts.children)
			return;
		if (facts.tag == TAG_FORMAL_PARAMETER && !facts.form[FACT_ARTIFICIAL]) {
			struct die_facts type = facts;

			append_text(lambda, any ? ", " : "");
			append_type(child, &type, lambda);
			any = true;
		}
	}
}

/* The place of a declaration; higher ones are behind it in the source. */
static uint64_t decl_place(const struct die_facts *facts)
{
	uint64_t line = 0, column = 0;

	facts_uint(facts, FACT_DECL_LINE, &line);
	facts_uint(facts, FACT_DECL_COLUMN, &column);
	return line << 16 | column;
}

/*
 * The number of a class without a name among those in the function around it. Compilers number
 * lambdas in source order.
 */
static unsigned closure_number(const struct die *die, const struct die_facts *own)
{
	const struct unit_scope *scope = find_scope(die);
	const struct unit_scopes *scopes = &die->unit->scopes;
	unsigned number = 1;
	struct die_facts facts;

	if (!scope || scope->parent == POINT_NONE)
		return number;
	for (size_t i = scope->parent + 1; i < scopes->count; i++) {
		struct die other = { die->unit, scopes->items[i].offset };

		if (scopes->items[i].parent == POINT_NONE ||
		    scopes->items[i].parent < scope->parent || !take_steps(die, 1))
			break;
		if (scopes->items[i].parent != scope->parent || !die_read(&other, &facts) ||
		    facts.form[FACT_NAME] ||
		    (facts.tag != TAG_CLASS_TYPE && facts.tag != TAG_STRUCTURE_TYPE))
			continue;
		number += decl_place(&facts) < decl_place(own);
	}
	return number;
}

/* Makes the name of a lambda as in symbols: "{lambda(int)#1}". function: its operator(). */
static const char *make_lambda(struct arena *arena, const struct die *die,
                               const struct die_facts *facts, const struct die *function)
{
	char text[LAMBDA_MOST + LAMBDA_END_MAX] = "{lambda(";

	append_parameters(function, text);
	snprintf(text + strlen(text), LAMBDA_END_MAX, ")#%u}", closure_number(die, facts));
	return arena_text(arena, text, strlen(text), die->unit->list->file->err);
}

/* Finds the parts of a function's name; count is 0 if it has none. */
static void find_parts(struct die die, struct name *name)
{
	struct err *err = die.unit->list->file->err;
	const char *last = die_name(die); /* of the last part; NULL: that has none itself */
	bool function = true;
	struct die_facts facts;

	*name = (struct name){ .parts = { last ? last : "" }, .count = last && *last };
	die_find_origin(&die);
	for (int step = 0; step < STEPS_MAX && name->count && name->count < PARTS_MAX; step++) {
		struct die inner = die;
		const char *part;

		if (!take_steps(&die, STEP_WORK) || !move_out(&die))
			break;
		die_find_origin(&die);
		if (!die_read(&die, &facts))
			break;
		/*
		 * what is only declared inside a function belongs to the scope around that function
		 */
		if (function && facts.tag == TAG_SUBPROGRAM)
			continue;
		function = facts.tag == TAG_SUBPROGRAM;
		part = scope_name(&die, &facts);
		if (part)
			name->parts[name->count++] = part;
		else if (facts.tag == TAG_NAMESPACE)
			name->parts[name->count++] = "(anonymous namespace)";
		else if (last && is_lambda(last))
			name->parts[name->count++] = make_lambda(&name->made, &die, &facts, &inner);
		else
			name->parts[name->count++] = make_unnamed(&name->made, &facts, err);
		last = part;
	}
}

/* Joins the parts, starting with the outermost one. */
static uint32_t join_parts(struct strings *strings, const struct name *name,
                           const struct dwarf_file *file)
{
	size_t size = 0, used = 0;
	uint32_t string;
	char *text;

	for (size_t i = 0; i < name->count; i++)
		size += strlen(name->parts[i]) + 2;
	/* long names shared by many functions would be larger than the file */
	if (name->count < 2 || !points_work(file->points, size))
		return strings_put_text(strings, name->parts[0], file->err);
	text = vec_new(size, 1, file->err);
	if (!text)
		return STRING_NONE;
	for (size_t i = name->count; i-- > 0;) {
		size_t length = strlen(name->parts[i]);

		memcpy(text + used, name->parts[i], length);
		memcpy(text + used + length, "::", 2);
		used += length + 2;
	}
	string = strings_put(strings, text, used - 2, file->err);
	free(text);
	return string;
}

static uint32_t make_name(struct strings *strings, const struct die *die)
{
	const struct dwarf_file *file = die->unit->list->file;
	const char *linkage = NULL;
	struct die found = *die;
	struct die_facts facts;
	struct name name;
	uint32_t string = STRING_NONE;

	if (die_find(&found, FACT_LINKAGE_NAME, &facts))
		linkage = unit_text(found.unit, &facts, FACT_LINKAGE_NAME);
	if (linkage)
		return strings_put_text(strings, linkage, file->err);
	find_parts(*die, &name);
	if (file->err->code == ERR_NONE)
		string = join_parts(strings, &name, file);
	arena_release(&name.made);
	return string;
}

uint32_t function_name(struct strings *strings, const struct die *die)
{
	struct dwarf_file *file = die->unit->list->file;
	uint32_t string = map_get(&file->names, die->offset);

	if (string != MAP_NONE)
		return string;
	/* one function may be inlined in many places */
	string = make_name(strings, die);
	if (string != STRING_NONE && !map_put(&file->names, die->offset, string, file->err))
		return STRING_NONE;
	return string;
}

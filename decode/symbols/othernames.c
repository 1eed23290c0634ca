#include "decode/symbols/othernames.h"

#include "util/digits.h"
#include "util/text.h"

#include <stdlib.h>

/* A parameter of Java has one letter in a symbol, and up to 9 as people know it: ", boolean". */
#define JAVA_NAME_ROOM 10

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static char *append_text(char *to, const char *text, size_t length)
{
	memcpy(to, text, length);
	return to + length;
}

/*
 * The functions *_name_unfold() write the name that people know to text, if a symbol is certainly
 * of that language. If it is not, they return false; what text holds is then undefined.
 */

/*
 * OCaml: "caml", a module, "__" for each dot, "$" and two hex digits for a character that
 * assemblers do not accept.
 */
static bool ocaml_name_unfold(char *text, const char *name)
{
	const char *from = name + 4;

	if (!text_starts(name, "caml") || *from < 'A' || *from > 'Z' || !strstr(name, "__"))
		return false;
	while (*from) {
		int high = from[0] == '$' ? hex_digit(from[1]) : -1;
		int low = high >= 0 ? hex_digit(from[2]) : -1;

		if (from[0] == '_' && from[1] == '_' && from[2] && from[2] != '_') {
			*text++ = '.';
			from += 2;
		} else if (low >= 0 && high * 16 + low >= ' ') {
			*text++ = (char)(high * 16 + low);
			from += 3;
		} else {
			*text++ = *from++;
		}
	}
	*text = '\0';
	return true;
}

/* gfortran: "__MODULE_MOD_PART" is "MODULE::PART". Such names have only small letters. */
static bool fortran_name_unfold(char *text, const char *name)
{
	const char *part = text_starts(name, "__") ? strstr(name, "_MOD_") : NULL;

	if (!part || part < name + 3 || !is_lower(part[5]) || !is_lower(name[2]))
		return false;
	for (const char *c = name + 2; c < part; c++) {
		if (!is_lower(*c) && *c != '_' && !is_digit(*c))
			return false;
		*text++ = *c;
	}
	strcpy(stpcpy(text, "::"), part + 5);
	return true;
}

/* --- Java */

/* Appends "java.lang.String" for "java/lang/String". */
static char *append_class(char *to, const char *from, size_t length)
{
	for (size_t i = 0; i < length; i++)
		*to++ = from[i] == '/' ? '.' : from[i];
	return to;
}

/* Appends the type that *from begins with, and moves *from behind it. NULL if it is no type. */
static char *append_type(char *to, const char **from)
{
	static const char letters[] = "BCDFIJSZ";
	static const char *const words[] = { "byte", "char", "double", "float",
		                             "int",  "long", "short",  "boolean" };
	size_t dimensions = strspn(*from, "["), length = 1;
	const char *type = *from + dimensions;
	const char *letter = *type ? strchr(letters, *type) : NULL;

	if (letter) {
		to = stpcpy(to, words[letter - letters]);
	} else {
		length = strcspn(type, ";()");
		if (*type != 'L' || length < 2 || type[length] != ';')
			return NULL;
		to = append_class(to, type + 1, length - 1);
		length++;
	}
	*from = type + length;
	while (dimensions--)
		to = stpcpy(to, "[]");
	return to;
}

/*
 * Compiled Java methods, as perf's JVMTI agent and perf inject --jit store them: the descriptor of
 * the class, the method, and the descriptor of its parameters and result.
 * "Ljava/lang/String;charAt(I)C" is "java.lang.String.charAt(int)", as perf report names it. Rule:
 * Java Virtual Machine Specification, 4.3; no name of C has a semicolon.
 */
static bool java_name_unfold(char *text, const char *name)
{
	const size_t class_length = strcspn(name, ";()");
	const char *method = name + class_length + 1, *from;
	size_t method_length;
	char *to = text;

	if (*name != 'L' || class_length < 2 || name[class_length] != ';')
		return false;
	method_length = strcspn(method, ";()[/");
	from = method + method_length;
	if (!method_length || *from != '(')
		return false;
	to = append_class(to, name + 1, class_length - 1);
	*to++ = '.';
	to = append_text(to, method, method_length);
	*to++ = *from++;
	while (to && *from && *from != ')') {
		if (to[-1] != '(')
			to = stpcpy(to, ", ");
		to = append_type(to, &from);
	}
	if (!to || *from != ')')
		return false;
	strcpy(to, ")");
	return true;
}

/* --- Free Pascal */

#define SEPARATOR "_$$_" /* before the name of the procedure */
#define METHOD "_$_"     /* before that, behind a class */
#define INNER "$_$"      /* between a unit and what is in it */

/* How many characters from there on are an identifier; 0: none begins there. */
static size_t identifier_length(const char *text)
{
	size_t length = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return is_digit(*text) || strspn(text, "_") == length ? 0 : length;
}

/* Appends "NAME", and a dot before it if it is not the first. */
static char *append_word(char *to, const char *start, const char *name, size_t length)
{
	if (to != start)
		*to++ = '.';
	return append_text(to, name, length);
}

/*
 * Appends the names of what contains the procedure: a class, or classes in each other, or the
 * procedure around, which may be a method. NULL if it is none of these.
 */
static char *append_container(char *to, const char *start, const char *from, const char *end)
{
	const char *const first = from;
	const char *method;
	size_t name = 0;

	for (; from < end; from = method + strlen(METHOD)) {
		name = identifier_length(from);
		if (!name)
			return NULL;
		/* the identifier takes the first character of what follows with it */
		method = from + name - 1;
		if (!text_starts(method, METHOD))
			break;
		to = append_word(to, start, from, name - 1);
	}
	if (from >= end)
		return from == end && from != first ? to : NULL;
	if (from + name > end)
		name = (size_t)(end - from);
	method = strstr(from, METHOD);
	/* with a method in it, it is a generic class */
	if ((from[name] != '$' && from + name != end) || (method && method < end))
		return NULL;
	return append_word(to, start, from, name);
}

/*
 * Free Pascal: UNIT.PROCEDURE, or UNIT.CLASS.METHOD, in capitals, as the compiler writes what has
 * none of its own. Rule: make_mangledname() and mangledname of tprocdef in compiler/symdef.pas of
 * Free Pascal 3; "_$$_" is in no name of other compilers.
 */
static bool pascal_name_unfold(char *text, const char *name)
{
	const char *separator = strstr(name, SEPARATOR);
	const char *unit = text_starts(name, "P$") ? name + 2 : name;
	const char *procedure, *inner, *end;
	char *to = text;
	size_t known, unit_length, name_length;

	if (!separator)
		return false;
	procedure = separator + strlen(SEPARATOR);
	name_length = identifier_length(procedure);
	if (!name_length || (procedure[name_length] && procedure[name_length] != '$'))
		return false;
	inner = strstr(unit, INNER);
	if (inner > separator)
		inner = NULL;
	end = inner ? inner : separator;
	unit_length = (size_t)(end - unit);
	/* the identifier may take the separator's first character with it */
	known = identifier_length(unit);
	if (!known || known < unit_length)
		return false;
	to = append_word(to, text, unit, unit_length);
	if (inner)
		to = append_container(to, text, inner + strlen(INNER), separator);
	if (!to)
		return false;
	to = append_word(to, text, procedure, name_length);
	*to = '\0';
	return true;
}

char *other_name_demangle(const char *name, bool parameters)
{
	static bool (*const unfold[])(
		char *, const char *) = { java_name_unfold, ghc_name_unfold, ocaml_name_unfold,
		                          fortran_name_unfold, pascal_name_unfold };
	const size_t length = strlen(name), ways = ARRAY_SIZE(unfold) - parameters;
	const size_t room = name[0] == 'L' ? JAVA_NAME_ROOM * length : length;
	char *text = malloc(room + GHC_NAME_ROOM + 1);

	if (!text)
		return NULL;
	for (size_t i = 0; i < ways; i++)
		if (unfold[i](text, name))
			return text;
	return memcpy(text, name, length + 1);
}

#include "decode/symbols/othernames.h"

#include "util/digits.h"
#include "util/text.h"

#define TUPLE_MAX 64 /* GHC has no larger ones */

/* A part of a name while it is decoded. Parts are separated by "_", which no encoded part has. */
struct part {
	const char *from, *end;
	char *to;
	/*
	 * It shows that this is no name of C: a tuple, a character such as "z3b1U", "ZC", "zi",
	 * "zm", "zd", or the module Main.
	 */
	bool escaped;
};

/* Appends a character as UTF-8. */
static char *append_character(char *to, unsigned long character)
{
	static const uint8_t leads[] = { 0, 0xc0, 0xe0, 0xf0 };
	int more = (character >= 0x80) + (character >= 0x800) + (character >= 0x10000);

	*to++ = (char)(leads[more] | character >> 6 * more);
	while (more--)
		*to++ = (char)(0x80 | (character >> 6 * more & 0x3f));
	return to;
}

/* Reads a number of that base, at most limit, that stands before one of the given letters. */
static bool decode_number(struct part *part, int base, unsigned long limit, const char *letters,
                          unsigned long *number)
{
	const char *start = part->from;

	for (*number = 0; part->from < part->end; part->from++) {
		int digit = hex_digit(*part->from);

		if (digit < 0 || digit >= base)
			break;
		*number = *number * (unsigned)base + (unsigned)digit;
		if (*number > limit)
			return false;
	}
	return part->from > start && part->from < part->end && strchr(letters, *part->from);
}

/* "Z3T" is (,,), "Z3H" is (#,,#): the whole part is a tuple. */
static bool decode_tuple(struct part *part)
{
	unsigned long count;
	bool unboxed;

	part->from++;
	if (!decode_number(part, 10, TUPLE_MAX, "TH", &count) || part->end - part->from != 1)
		return false;
	part->escaped = true;
	unboxed = *part->from++ == 'H';
	part->to = stpcpy(part->to, unboxed ? "(#" : "(");
	if (unboxed && count == 1)
		*part->to++ = ' ';
	for (; count > 1; count--)
		*part->to++ = ',';
	part->to = stpcpy(part->to, unboxed ? "#)" : ")");
	return true;
}

/* "z3b1U" is the character U+03B1. */
static bool decode_hex(struct part *part)
{
	unsigned long character;

	if (!decode_number(part, 16, 0x10ffff, "U", &character) || character < ' ' ||
	    (character >= 0xd800 && character < 0xe000))
		return false;
	part->from++;
	part->escaped = true;
	part->to = append_character(part->to, character);
	return true;
}

/* Decodes what follows a "z" or "Z". */
static bool decode_escape(struct part *part, char first)
{
	static const char upper[] = "LRMNCZ", upper_meant[] = "()[]:Z";
	static const char lower[] = "abcdeghilmnpqrstuvz", lower_meant[] = "&|^$=>#.<-!+'\\/*_%z";
	const char *codes = first == 'Z' ? upper : lower, *code;
	const char *meant = first == 'Z' ? upper_meant : lower_meant;

	if (part->from == part->end)
		return false;
	if (first == 'z' && is_digit(*part->from))
		return decode_hex(part);
	code = strchr(codes, *part->from);
	if (!code)
		return false;
	part->escaped |= first == 'Z' ? *code == 'C' : strchr("imd", *code) != NULL;
	*part->to++ = meant[code - codes];
	part->from++;
	return true;
}

/* Appends the decoded part to part->to. False if it is not encoded so. */
static bool decode_part(struct part *part)
{
	if (part->from == part->end)
		return false;
	if (part->end - part->from > 2 && *part->from == 'Z' && is_digit(part->from[1]))
		return decode_tuple(part);
	while (part->from < part->end) {
		char c = *part->from++;

		if (c == 'z' || c == 'Z') {
			if (!decode_escape(part, c))
				return false;
		} else if (is_digit(c) || (c >= 'a' && c <= 'y') || (c >= 'A' && c <= 'Y')) {
			*part->to++ = c;
		} else {
			return false;
		}
	}
	return true;
}

static bool is_word(char c)
{
	return is_of_identifier(c) || c == '\'' || (c & 0x80);
}

/* "Data.Map", or ":Main", which calls main. */
static bool is_module(const char *name, const char *end)
{
	bool first = true;

	if (end - name == 5 && !memcmp(name, ":Main", 5))
		return true;
	for (; name < end; name++) {
		if (first ? *name < 'A' || *name > 'Z' : !is_word(*name) && *name != '.')
			return false;
		first = *name == '.';
	}
	return !first;
}

/*
 * A function, an operator with a number, or what GHC made of one: behind "$" or ":" it puts
 * anything. A name of C with a "z" in it becomes a mixture of letters and operators.
 */
static bool is_function(const char *name, const char *end)
{
	const bool word = is_word(*name);

	for (; name < end && *name != '$' && *name != ':'; name++)
		if (word ? !is_word(*name) && *name != '#'
		         : is_word(*name) && *name != '_' && !is_digit(*name))
			return false;
	return true;
}

/* The length without the last part, which says what of a function it is; 0: no such part. */
static size_t length_without_suffix(const char *name, size_t length)
{
	static const char *const suffixes[] = { "_con_info",     "_static_info", "_con_entry",
		                                "_static_entry", "_info",        "_entry",
		                                "_slow",         "_closure" };

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		size_t suffix = strlen(suffixes[i]);

		if (length > suffix && !memcmp(name + length - suffix, suffixes[i], suffix))
			return length - suffix;
	}
	return 0;
}

/* Decodes "package_Module_function"; the package may be missing. */
static char *decode_name(char *text, const char *name, const char *end)
{
	const char *second = memchr(name, '_', (size_t)(end - name)), *third;
	struct part part = { .from = name, .to = text };
	char *function;

	if (!second)
		return NULL;
	third = memchr(second + 1, '_', (size_t)(end - second - 1));
	if (third) {
		part.end = second;
		if (!decode_part(&part))
			return NULL;
		part.from = second + 1;
		part.to = text;
		second = third;
	}
	part.end = second;
	if (!decode_part(&part) || !is_module(text, part.to))
		return NULL;
	part.escaped |= !third && part.to == text + 4 && !memcmp(text, "Main", 4);
	*part.to++ = '.';
	function = part.to;
	part.from = second + 1;
	part.end = end;
	return decode_part(&part) && part.escaped && is_function(function, part.to) ? part.to
	                                                                            : NULL;
}

bool ghc_name_unfold(char *text, const char *name)
{
	size_t length = length_without_suffix(name, strlen(name));
	char *end = length ? decode_name(text, name, name + length) : NULL;

	if (!end)
		return false;
	*end = '\0';
	return true;
}

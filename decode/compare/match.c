#include "decode/compare/match.h"

#include "util/digits.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *name, size_t length, const char *end)
{
	size_t size = strlen(end);

	return length >= size && !memcmp(name + length - size, end, size);
}

/* The length without digits and dots at the end: for "f.part.0" it is 6 of 8 characters. */
static size_t without_number(const char *name, size_t length)
{
	size_t left = length;

	while (left && is_digit(name[left - 1]))
		left--;
	return left < length && left && name[left - 1] == '.' ? left - 1 : length;
}

/* The length without one suffix of a compiler. */
static size_t without_suffix(const char *name, size_t length)
{
	static const char *const numbered[] = { ".isra",     ".part", ".constprop",
		                                ".lto_priv", ".llvm", ".cold" };
	size_t left = without_number(name, length);

	if (ends_with(name, length, ".cold"))
		return length - strlen(".cold");
	if (left == length)
		return length;
	for (size_t i = 0; i < ARRAY_SIZE(numbered); i++)
		if (ends_with(name, left, numbered[i]))
			return left - strlen(numbered[i]);
	return length;
}

/* The length without one "[clone .isra.0]", as demanglers write such suffixes. */
static size_t without_clone(const char *name, size_t length)
{
	static const char clone[] = " [clone .";
	size_t at = length;

	if (!length || name[length - 1] != ']')
		return length;
	while (at && name[at - 1] != '[')
		at--;
	/* at is after the bracket */
	if (at < 2 || length - at < 7 || memcmp(name + at - 2, clone, strlen(clone)) != 0)
		return length;
	at += strlen("clone ");
	return without_suffix(name + at, length - 1 - at) == 0 ? at - strlen(clone) + 1 : length;
}

/* The length without Rust's hash: "::h" and 16 hex digits. */
static size_t without_hash(const char *name, size_t length)
{
	size_t at = length;

	while (at && length - at < 16 && hex_digit(name[at - 1]) >= 0)
		at--;
	return length - at == 16 && at > 3 && !memcmp(name + at - 3, "::h", 3) ? at - 3 : length;
}

/* The length without the mark of the default version, which readperf 2 had: "pow@@GLIBC_2.29". */
static size_t without_version(const char *name, size_t length)
{
	for (size_t i = 1; i + 2 < length; i++)
		if (name[i] == '@' && name[i + 1] == '@')
			return name[0] == '?' ? length : i;
	return length;
}

static size_t without_suffixes(const char *name, size_t length)
{
	size_t before;

	do {
		before = length;
		length = without_suffix(name, length);
		length = without_clone(name, length);
		length = without_hash(name, length);
	} while (length && length < before);
	return length ? length : before;
}

/* Length of ":LINE:COLUMN" at the start of the text; 0 if it is not there. */
static size_t position_length(const char *text, size_t length)
{
	size_t at = 0;

	for (unsigned part = 0; part < 2; part++) {
		size_t digits;

		if (at >= length || text[at] != ':')
			return 0;
		digits = ++at;
		while (at < length && is_digit(text[at]))
			at++;
		if (at == digits)
			return 0;
	}
	return at;
}

size_t match_function(char *out, const char *name, size_t length)
{
	static const char lambda[] = "{lambda";
	size_t used = 0;

	length = without_suffixes(name, without_version(name, length));
	for (size_t i = 0; i < length;) {
		out[used++] = name[i++];
		if (used >= strlen(lambda) &&
		    !memcmp(out + used - strlen(lambda), lambda, strlen(lambda)))
			i += position_length(name + i, length - i);
	}
	return used;
}

size_t match_binary(char *out, const char *path, size_t length)
{
	static const char deleted[] = " (deleted)", jit[] = "[JIT] tid ", so[] = ".so.";
	size_t start = 0;

	if (length >= strlen(jit) && !memcmp(path, jit, strlen(jit))) {
		memcpy(out, jit, strlen("[JIT]"));
		return strlen("[JIT]");
	}
	if (ends_with(path, length, deleted))
		length -= strlen(deleted);
	/* "[kernel.kallsyms]" and the like are no paths; anonymous memory is "//anon" */
	for (size_t i = 0; i + 1 < length && path[0] == '/'; i++)
		if (path[i] == '/')
			start = i + 1;
	for (size_t i = start + 1; i + strlen(so) <= length; i++)
		if (!memcmp(path + i, so, strlen(so))) {
			length = i + strlen(so) - 1;
			break;
		}
	memcpy(out, path + start, length - start);
	return length - start;
}

void name_matcher_release(struct name_matcher *matcher)
{
	map_release(&matcher->functions);
	map_release(&matcher->binaries);
	free(matcher->room);
	memset(matcher, 0, sizeof(*matcher));
}

static uint32_t matched_name(struct name_matcher *matcher, struct map *known, uint32_t name,
                             size_t (*match)(char *, const char *, size_t), struct err *err)
{
	const struct string_entry *entry = &matcher->strings->entries[name];
	uint32_t matched = map_get(known, name);

	if (matched != MAP_NONE || entry->length == 0)
		return matched != MAP_NONE ? matched : name;
	if (!vec_reserve(&matcher->room, entry->length, &matcher->room_size, 1, err))
		return STRING_NONE;
	matched = strings_put(matcher->strings, matcher->room,
	                      match(matcher->room, entry->text, entry->length), err);
	if (matched == STRING_NONE || !map_put(known, name, matched, err))
		return STRING_NONE;
	return matched;
}

uint32_t name_matcher_function(struct name_matcher *matcher, uint32_t name, struct err *err)
{
	return matched_name(matcher, &matcher->functions, name, match_function, err);
}

uint32_t name_matcher_binary(struct name_matcher *matcher, uint32_t name, struct err *err)
{
	const uint32_t matched = matched_name(matcher, &matcher->binaries, name, match_binary, err);
	const uint32_t base = matcher->base_of ? map_get(matcher->base_of, matched) : MAP_NONE;

	return base == MAP_NONE ? matched : base;
}

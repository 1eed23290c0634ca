#include "decode/intervals/intervalrequest.h"

#include "util/nearest.h"

#include <string.h>

static const char *const list_words[LIST_COUNT + 1] = {
	[LIST_SCHED] = "sched", [LIST_SYSCALLS] = "syscalls", [LIST_LOCKS] = "locks",
	[LIST_IRQ] = "irq",     [LIST_WORK] = "work",         [LIST_BLOCK] = "block",
	[LIST_KVM] = "kvm",     [LIST_MEMORY] = "memory",     [LIST_PAIRS] = "pairs",
	[LIST_WALL] = "wall",   [LIST_COUNT] = "all",
};

const char *interval_list_at(const void *context, size_t index)
{
	(void)context;
	return index < ARRAY_SIZE(list_words) ? list_words[index] : NULL;
}

static bool wrong_pairing(const char *text, const char *what, struct err *err)
{
	return err_set(err, ERR_USAGE,
	               "--intervals: expected NAME=BEGIN..END[/KEY,...][:WHAT], found '%.200s': %s",
	               text, what);
}

/* Copies a part of the argument. False if it is empty or too long. */
static bool copy_part(char out[PAIRING_TEXT_SIZE], const char *text, size_t length)
{
	if (!length || length >= PAIRING_TEXT_SIZE)
		return false;
	memcpy(out, text, length);
	out[length] = '\0';
	return true;
}

/* KEY, or KEY=KEY if the two events call it differently; *text is moved behind it. */
static bool take_key(struct own_pairing *pairing, const char **text)
{
	const size_t length = strcspn(*text, ",:"), first = strcspn(*text, "=,:");
	const unsigned number = pairing->key_count;
	const char *second = first < length ? *text + first + 1 : *text;

	if (number == PAIRING_KEYS_MOST ||
	    !copy_part(pairing->begin_keys[number], *text, first < length ? first : length) ||
	    !copy_part(pairing->end_keys[number], second, (size_t)(*text + length - second)))
		return false;
	pairing->key_count++;
	*text += length;
	return true;
}

/* Where the name of the end stops: SYSTEM:EVENT may be followed by :WHAT. */
static size_t end_length(const char *text)
{
	const size_t all = strcspn(text, "/");
	const char *colon = memchr(text, ':', all);
	const char *second = colon ? memchr(colon + 1, ':', all - (size_t)(colon + 1 - text))
	                           : NULL;

	return second ? (size_t)(second - text) : all;
}

/*
 * One pairing; *text is moved behind it. Its keys are separated by commas, too, so nothing may
 * follow a pairing that has keys.
 */
static bool take_own(struct own_pairing *pairing, const char **text, struct err *err)
{
	const char *whole = *text, *begin = strchr(*text, '=') + 1, *end = strstr(begin, "..");
	size_t length;

	if (!copy_part(pairing->name, whole, (size_t)(begin - 1 - whole)))
		return wrong_pairing(whole, "a name is missing or too long", err);
	if (!end || !copy_part(pairing->begin, begin, (size_t)(end - begin)))
		return wrong_pairing(whole, "no BEGIN..END", err);
	end += 2;
	length = end_length(end);
	if (!memchr(end, '/', strlen(end)))
		length = strcspn(end, ",") < length ? strcspn(end, ",") : length;
	if (!copy_part(pairing->end, end, length))
		return wrong_pairing(whole, "no END", err);
	*text = end + length;
	if (**text == '/') {
		do {
			++*text;
			if (!take_key(pairing, text))
				return wrong_pairing(
					whole, "a KEY is missing, or there are too many", err);
		} while (**text == ',');
	}
	if (**text == ':') {
		length = strcspn(++*text, ",");
		if (!copy_part(pairing->what, *text, length))
			return wrong_pairing(whole, "no WHAT behind the colon", err);
		*text += length;
	}
	return true;
}

static bool take_list(struct interval_request *request, const char *text, size_t length,
                      struct err *err)
{
	char word[WORD_MOST + 1] = "";
	const char *near;

	for (unsigned i = 0; i <= LIST_COUNT; i++) {
		if (strlen(list_words[i]) != length || memcmp(list_words[i], text, length) != 0)
			continue;
		request->lists |= i == LIST_COUNT ? (1u << LIST_COUNT) - 1 : 1u << i;
		request->all |= i == LIST_COUNT;
		return true;
	}
	if (length <= WORD_MOST)
		memcpy(word, text, length);
	near = nearest_name(word, interval_list_at, NULL);
	return err_set(
		err, ERR_USAGE,
		"--intervals: unknown list '%.*s'%s%s%s: expected sched, syscalls, locks, irq, "
		"work, block, kvm, memory, pairs, wall, all, or NAME=BEGIN..END",
		(int)(length < 100 ? length : 100), text, near ? " (did you mean " : "",
		near ? near : "", near ? "?)" : "");
}

static bool is_new(const struct interval_request *request, const char *name, struct err *err)
{
	for (size_t i = 0; i < request->own_count; i++)
		if (strcmp(request->own[i].name, name) == 0)
			return err_set(err, ERR_USAGE, "--intervals: two pairings are called %s",
			               name);
	return true;
}

bool interval_request_add(struct interval_request *request, const char *text, struct err *err)
{
	do {
		const size_t length = strcspn(text, ",");

		if (memchr(text, '=', length)) {
			struct own_pairing *pairing = &request->own[request->own_count];

			if (request->own_count == OWN_PAIRINGS_MOST)
				return err_set(err, ERR_USAGE,
				               "--intervals: no more than %d pairings of your own",
				               OWN_PAIRINGS_MOST);
			*pairing = (struct own_pairing){ .name = "" };
			if (!take_own(pairing, &text, err) || !is_new(request, pairing->name, err))
				return false;
			request->own_count++;
		} else {
			if (!take_list(request, text, length, err))
				return false;
			text += length;
		}
	} while (*text++ == ',');
	return text[-1] == '\0' || wrong_pairing(text - 1, "nothing was expected here", err);
}

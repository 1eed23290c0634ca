#include "decode/options/optionentry.h"

#include "decode/options/numbers.h"

#include <stdio.h>
#include <string.h>

bool option_expect(bool usable, struct err *err, const char *expected, const char *found)
{
	return usable ||
	       err_set(err, ERR_USAGE, "%s, found %s", expected, *found ? found : "nothing");
}

/* Adds to an error about a value the known word that is nearest to its first unknown one. */
static void suggest_word(const struct option_entry *entry, const char *value, struct err *err)
{
	const char *equals = entry->list ? strchr(value, '=') : NULL, *near;
	size_t length, used = strlen(err->text);
	char word[WORD_MOST + 1];

	for (value = equals ? equals + 1 : value;; value += length + 1) {
		value += entry->list && (*value == '-' || *value == '!');
		length = entry->list ? strcspn(value, ",") : strlen(value);
		snprintf(word, sizeof(word), "%.*s", (int)u64_min(length, WORD_MOST), value);
		near = nearest_name(word, entry->word_at, entry->words);
		if (!near || strcmp(near, word) != 0 || !value[length])
			break;
	}
	if (near && strcmp(near, word) != 0)
		snprintf(err->text + used, sizeof(err->text) - used, "; did you mean %s", near);
}

static bool take_value(const struct option_entry *entry, struct options *options, const char *value,
                       struct err *err)
{
	void *field = (uint8_t *)options + entry->number;
	char expected[80];

	switch (entry->kind) {
	case OPTION_FLAG:
		return *(bool *)field = true;
	case OPTION_PERCENT:
		snprintf(expected, sizeof(expected), "--%s: expected a number of percent",
		         entry->name);
		return option_expect(parse_real(value, "%", 0, 1e6, field), err, expected, value);
	case OPTION_PATH:
		*(const char **)field = *value ? value : NULL;
		return true;
	case OPTION_FILE:
		*(const char **)field = value;
		return *value ||
		       err_set(err, ERR_USAGE, "--%s: expected a file, found nothing", entry->name);
	case OPTION_SELECTS:
		return select_request_add(&options->select, (enum select_field)entry->number, value,
		                          err);
	case OPTION_ACTION:
		options->action = (enum options_action)entry->number;
		return true;
	case OPTION_PARSED:
		break;
	}
	return entry->parse(options, value, err);
}

bool option_take(const struct option_entry *entry, struct options *options, const char *value,
                 struct err *err)
{
	if (take_value(entry, options, value, err))
		return true;
	if (entry->word_at && err->code == ERR_USAGE)
		suggest_word(entry, value, err);
	return false;
}

bool option_shapes_tables(const struct option_entry *entry)
{
	return entry->shapes || entry->section == SECTION_SAMPLES ||
	       entry->section == SECTION_NAMES;
}

void option_help(const struct option_entry *entry, char text[2 * OPTION_TEXT_SIZE])
{
	char more[OPTION_TEXT_SIZE] = "";

	if (entry->help_more)
		entry->help_more(more);
	else if (entry->help_words)
		join_names(more, sizeof(more), entry->word_at, entry->words);
	snprintf(text, 2 * OPTION_TEXT_SIZE, "%s%s%s", entry->help, *more ? " " : "", more);
}

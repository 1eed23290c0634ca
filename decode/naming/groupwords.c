#include "decode/naming/groupwords.h"

#include "decode/files/origin.h"
#include "decode/naming/rows.h"

static uint64_t text_word(const struct buildstat *stat, const char *text, struct err *err)
{
	return strings_put_text(stat->strings, text, err);
}

static uint64_t build_id_word(const struct buildstat *stat, uint32_t binary, struct err *err)
{
	char text[2 * PERF_BUILD_ID_SIZE + 1];

	build_id_format(&stat->binaries.items[binary].build_id, text);
	return text_word(stat, text, err);
}

/* Whether a word of the key may be the number of a place that has a name. */
static bool may_point(enum group_key key)
{
	return (key >= KEY_FIELD && key <= KEY_FIELD_LAST) || key == KEY_WHAT;
}

uint64_t group_sample_word(const struct buildstat *stat, const struct groups *groups,
                           enum group_key key, uint32_t group, struct err *err)
{
	const uint64_t word = groups_word(groups, group, key);

	if (key == KEY_MODE)
		return text_word(stat, cpu_mode_name((enum cpu_mode)word), err);
	if (key == KEY_TIME && word != WORD_NONE)
		return choice_slice_start(&stat->choice, word);
	if (key == KEY_CGROUP && word == WORD_NONE)
		return STRING_EMPTY;
	if (may_point(key) && word & FIELD_POINTS)
		return stat->pointed.names[(uint32_t)word];
	return word;
}

uint64_t group_place_word(const struct buildstat *stat, const struct place_names *names,
                          enum group_key key, const struct place_name *place, struct err *err)
{
	const struct function_name *function = &names->functions[place->function];

	switch (key) {
	case KEY_BINARY:
		return stat->binaries.items[function->binary].name;
	case KEY_BUILD_ID:
		return build_id_word(stat, function->binary, err);
	case KEY_FUNCTION:
		return function->name;
	case KEY_SOURCE_FILE:
		return function->file;
	case KEY_LINE:
		return place->line;
	case KEY_ADDRESS:
		return place->link_addr;
	default:
		return text_word(stat, symbol_origin_name((enum symbol_origin)function->origin),
		                 err);
	}
}

int group_compare_words(const struct strings *strings, enum group_key key, uint64_t x, uint64_t y)
{
	if (group_key_is_text(key))
		return rows_compare_texts(strings, (uint32_t)x, (uint32_t)y);
	if (key == KEY_PID || key == KEY_TID)
		return (int64_t)x < (int64_t)y ? -1 : 1;
	return x < y ? -1 : 1;
}

struct value group_word_value(const struct strings *strings, enum group_key key, uint64_t word)
{
	if (group_word_is_empty(key, word))
		return value_none();
	if (group_key_is_text(key))
		return value_str(strings_get(strings, (uint32_t)word));
	if (key == KEY_ADDRESS)
		return value_address(word);
	return key == KEY_TIME ? value_time(word) : value_i64((int64_t)word);
}

#include "perffile/fields/integertype.h"

#include "util/text.h"

/* What the words of a type say. */
struct type_words {
	bool is_unsigned; /* "unsigned" is one of them */
	unsigned longs;
	unsigned others; /* words that name a type, known or not */
	uint8_t width;   /* of the last one that is known; 0: none is */
	bool sign;       /* of the same */
};

static void add_type(struct type_words *words, const char *word, size_t length, uint8_t long_size)
{
	static const struct {
		const char *name;
		uint8_t width; /* 0: of a long */
		bool is_signed;
	} types[] = {
		{ "char", 1, true },      { "s8", 1, true },        { "int8_t", 1, true },
		{ "bool", 1, false },     { "_Bool", 1, false },    { "u8", 1, false },
		{ "uint8_t", 1, false },  { "short", 2, true },     { "s16", 2, true },
		{ "int16_t", 2, true },   { "u16", 2, false },      { "uint16_t", 2, false },
		{ "umode_t", 2, false },  { "int", 4, true },       { "s32", 4, true },
		{ "int32_t", 4, true },   { "pid_t", 4, true },     { "u32", 4, false },
		{ "uint32_t", 4, false }, { "unsigned", 4, false }, { "uint", 4, false },
		{ "dev_t", 4, false },    { "uid_t", 4, false },    { "gid_t", 4, false },
		{ "gfp_t", 4, false },    { "s64", 8, true },       { "int64_t", 8, true },
		{ "loff_t", 8, true },    { "u64", 8, false },      { "uint64_t", 8, false },
		{ "sector_t", 8, false }, { "long", 0, true },      { "ssize_t", 0, true },
		{ "size_t", 0, false },   { "ino_t", 0, false },    { "uintptr_t", 0, false },
	};

	words->others++;
	if (length > 2 && word[0] == '_' && word[1] == '_') {
		word += 2;
		length -= 2;
	}
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (text_is(word, length, types[i].name)) {
			words->width = types[i].width ? types[i].width : long_size;
			words->sign = types[i].is_signed;
		}
}

static void add_word(struct type_words *words, const char *word, size_t length, uint8_t long_size)
{
	if (text_is(word, length, "unsigned"))
		words->is_unsigned = true;
	else if (text_is(word, length, "long"))
		words->longs++;
	else if (!text_is(word, length, "const") && !text_is(word, length, "volatile") &&
	         !text_is(word, length, "signed"))
		add_type(words, word, length, long_size);
}

uint8_t integer_width(const char *type, size_t length, uint8_t long_size, bool *is_signed)
{
	const char *const end = type + length;
	struct type_words words = { .sign = true };

	while (type < end) {
		const char *start = type;

		while (type < end && is_of_identifier(*type))
			type++;
		if (type > start)
			add_word(&words, start, (size_t)(type - start), long_size);
		else if (*type == ' ' || *type == '\t')
			type++;
		else
			return 0;
	}
	*is_signed = words.sign && !words.is_unsigned;
	if (words.longs && words.others <= 1)
		return words.longs > 1 ? 8 : long_size;
	return !words.others && words.is_unsigned ? 4 : words.width;
}

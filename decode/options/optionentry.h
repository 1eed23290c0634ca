/* An option: how its value is taken, what --help says of it. */
#ifndef READPERF_DECODE_OPTIONS_OPTIONENTRY_H
#define READPERF_DECODE_OPTIONS_OPTIONENTRY_H

#include "decode/options/options.h"
#include "util/nearest.h"

enum option_section {
	SECTION_OUTPUT,
	SECTION_SAMPLES,
	SECTION_NAMES,
	SECTION_COMPARE,
	SECTION_RUN,
	SECTION_ABOUT,
	SECTION_COUNT
};

/* What is done with the value of an option. */
enum option_kind {
	OPTION_PARSED,  /* see parse */
	OPTION_FLAG,    /* it has none: a bool becomes true */
	OPTION_PERCENT, /* sets a double, with or without a percent sign */
	OPTION_PATH,    /* sets a text; an empty one is as good as none */
	OPTION_FILE,    /* the same, but it may not be empty */
	OPTION_SELECTS, /* selects samples by a field */
	OPTION_ACTION   /* it has none: sets what the program does */
};

struct option_entry {
	const char *name;     /* without "--" */
	char letter;          /* '\0': none */
	const char *argument; /* name of its value in --help; NULL: it has no value */
	enum option_section section;
	const char *help; /* one clause, lower case, no full stop; the default in [] */
	/* May be NULL: writes the rest of the help text, which depends on other lists. */
	void (*help_more)(char text[OPTION_TEXT_SIZE]);
	/*
	 * The words that the value is one of, for completions and for suggestions where it is none;
	 * NULL: any text. words is the context of word_at.
	 */
	name_at *word_at;
	const void *words;
	bool list;       /* it may be several of them, with commas between */
	bool help_words; /* they are the rest of the help text */
	enum option_kind kind;
	/* offset in struct options of the field that is set; enum select_field; enum options_action
	 */
	size_t number;
	/*
	 * Of OPTION_PARSED: parses the value (NULL without argument), which the options may borrow.
	 * False with err set if it is invalid: "--name: expected ..., found ...".
	 */
	bool (*parse)(struct options *options, const char *value, struct err *err);
	bool shapes; /* see option_shapes_tables() */
	/*
	 * May be NULL: whether it has an effect beside the other options; if not, no_effect says
	 * what is missing.
	 */
	bool (*has_effect)(const struct options *options);
	const char *no_effect;
};

/*
 * Sets what the option is about. value: NULL if it has none; otherwise the options may borrow it.
 * False with err set if the value is invalid.
 */
bool option_take(const struct option_entry *entry, struct options *options, const char *value,
                 struct err *err);
/*
 * Whether it changes the contents of tables, so that about.csv has it: all that select samples or
 * choose names do.
 */
bool option_shapes_tables(const struct option_entry *entry);
/* The text for --help and the man page. */
void option_help(const struct option_entry *entry, char text[2 * OPTION_TEXT_SIZE]);
/* Whether a value could be used; if not, err says what was expected and what was found. */
bool option_expect(bool usable, struct err *err, const char *expected, const char *found);

#endif

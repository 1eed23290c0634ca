/*
 * The options: one descriptor for each, in one list. Parsing, --help and messages come from it. A
 * new option is an entry of option_list and the function that parses its value.
 */
#ifndef READPERF_DECODE_OPTIONLIST_H
#define READPERF_DECODE_OPTIONLIST_H

#include "decode/options.h"

enum option_section {
	SECTION_OUTPUT,
	SECTION_SAMPLES,
	SECTION_NAMES,
	SECTION_COMPARE,
	SECTION_RUN,
	SECTION_ABOUT,
	SECTION_COUNT
};

struct option_entry {
	const char *name;     /* without "--" */
	char letter;          /* '\0': it has none */
	const char *argument; /* what --help calls its value; NULL: it takes none */
	enum option_section section;
	const char *help; /* one clause, lower case, no full stop; what is in [] is the default */
	/* May be NULL: writes what help cannot say before the program runs, to be read behind it.
	 */
	void (*help_more)(char text[OPTION_TEXT_SIZE]);
	/*
	 * Takes the value (NULL without argument), which the options may borrow. False with err set
	 * if it is not usable: "--name: expected ..., found ...".
	 */
	bool (*parse)(struct options *options, const char *value, struct err *err);
	bool shapes; /* it changes what the tables say, so about.csv names it */
};

#define OPTIONS_MOST 96 /* that the parser has room for */

extern const struct option_entry option_list[];
extern const size_t option_count;
/* For nearest_name(). */
const char *name_of_option(const void *context, size_t index);
/* "Tables", ...: the heading of a section. */
extern const char *const option_sections[SECTION_COUNT];

#endif

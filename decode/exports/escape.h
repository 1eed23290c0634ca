/* Names in other formats, where some characters have a meaning and others are not allowed. */
#ifndef READPERF_DECODE_EXPORTS_ESCAPE_H
#define READPERF_DECODE_EXPORTS_ESCAPE_H

#include <stdbool.h>
#include <stdio.h>

/* Where a name is printed. */
enum text_format {
	TEXT_JSON,       /* in a string */
	TEXT_JSON_SHOWN, /* for a program that shows it */
	TEXT_MARKDOWN,
	TEXT_XML,     /* in the value of an attribute */
	TEXT_HTML,    /* the same, for people */
	TEXT_COMMAND, /* in a workflow command of GitHub Actions, and in one of its properties */
	TEXT_PROPERTY
};

/*
 * Prints a name literally: control bytes as \xNN, and characters that have a meaning in the format
 * as it writes them; for people as format_shown() does.
 */
void print_escaped(FILE *out, enum text_format format, const char *name);
/* Prints a text as a JSON string, with the quotes. */
void print_json_string(FILE *out, const char *text);
void print_json_shown(FILE *out, const char *text);
/*
 * Whether a character of valid UTF-8 is U+FFFE or U+FFFF, which XML 1.0 does not allow, not even as
 * references.
 */
bool is_no_character(const char *text);

#endif

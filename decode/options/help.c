#include "decode/options/help.h"

#include "decode/options/generate.h"
#include "decode/options/optionlist.h"
#include "decode/tables/schema.h"
#include "decode/tables/version.h"

#include <string.h>
#include <unistd.h>

#define HELP_COLUMN 25 /* column in which the texts begin, from 0 */
#define HELP_WIDTH 80  /* columns of a line */

static const char help_head[] =
	"usage: readperf [OPTION]... [FILE]\n"
	"       readperf [OPTION]... FILE FILE..., FOLDER or @LIST\n"
	"       readperf [OPTION]... --base=OLD... NEW...\n"
	"       readperf [OPTION]... --trend VERSION...\n"
	"Reads a perf.data recording (a file, a perf record --threads directory, or - for\n"
	"standard input; perf.data if none is named) and writes tables. With --base:\n"
	"compares recordings; with --trend: since which version do functions cost more?\n";

static const char help_tail[] =
	"\n"
	"Exit status: 0 clean; 1 failed, no table written; 2 wrong usage; 3 finished, but\n"
	"the recording is damaged: every complete record was used; 4 a rule of --fail-on\n"
	"is met.\n";

/* Prints words, starting in the column of help texts. */
static void print_wrapped(FILE *out, const char *text)
{
	size_t column = HELP_COLUMN;

	while (*text) {
		size_t length = strcspn(text, " ");

		if (column > HELP_COLUMN && column + 1 + length > HELP_WIDTH) {
			fprintf(out, "\n%*s", HELP_COLUMN, "");
			column = HELP_COLUMN;
		}
		if (column > HELP_COLUMN)
			column += (size_t)fprintf(out, " ");
		column += (size_t)fprintf(out, "%.*s", (int)length, text);
		text += length + (text[length] == ' ');
	}
}

static void print_option(FILE *out, const struct option_entry *entry)
{
	char text[2 * OPTION_TEXT_SIZE];
	size_t column = 6;

	if (entry->letter)
		fprintf(out, "  -%c, ", entry->letter);
	else
		fprintf(out, "      ");
	column += (size_t)fprintf(out, "--%s%s%s", entry->name, entry->argument ? "=" : "",
	                          entry->argument ? entry->argument : "");
	if (column + 2 > HELP_COLUMN)
		fprintf(out, "\n%*s", HELP_COLUMN, "");
	else
		fprintf(out, "%*s", (int)(HELP_COLUMN - column), "");
	option_help(entry, text);
	print_wrapped(out, text);
	fputs("\n", out);
}

void help_print(FILE *out)
{
	fputs(help_head, out);
	for (unsigned section = 0; section < SECTION_COUNT; section++) {
		fprintf(out, "\n%s:\n", option_sections[section]);
		for (size_t i = 0; i < option_count; i++)
			if (option_list[i].section == section)
				print_option(out, &option_list[i]);
	}
	fputs(help_tail, out);
}

/* Version, schema number, and the libraries that this build has. */
static void print_version(FILE *out)
{
	fprintf(out, "readperf %s, schema %d\n", READPERF_VERSION, SCHEMA_NUMBER);
	/* the Makefile knows what it found */
	fputs("with:" LIBRARIES_FOUND "\nwithout:" LIBRARIES_MISSING "\n", out);
}

static bool print_schema(struct err *err)
{
	struct err failure = { 0 };
	const char *why;

	if (schema_write(STDOUT_FILENO, &failure))
		return true;
	/* it begins with the name of the table; there is no such file here */
	why = strchr(failure.text, ':');
	return err_set(err, failure.code, "standard output%s", why ? why : "");
}

bool options_answer(const struct options *options, struct err *err)
{
	switch (options->action) {
	case ACTION_HELP:
		help_print(stdout);
		break;
	case ACTION_VERSION:
		print_version(stdout);
		break;
	case ACTION_SCHEMA:
		return print_schema(err);
	case ACTION_GENERATE:
		generate_print(stdout, options->generate, &options->tables, &options->groups);
		break;
	case ACTION_RUN:
		break;
	}
	return fflush(stdout) == 0 || err_errno(err, "standard output: cannot write");
}

/*
 * A table on the console: shares and numbers, and behind them names. A terminal gets short numbers
 * and names that fit its width; a pipe or a file gets the full text.
 */
#ifndef READPERF_DECODE_TABLES_CONSOLETABLE_H
#define READPERF_DECODE_TABLES_CONSOLETABLE_H

#include "decode/tables/terminal.h"
#include "decode/tally/groups.h"

struct console_column {
	const char *title;
	bool number; /* aligned to the right */
	bool binary; /* paths; see shortened_binary() */
};

struct console_row {
	uint64_t period, samples;
	uint64_t total;               /* period with all that is called, if the table has totals */
	const char *names[KEY_COUNT]; /* by column */
};

struct console_table {
	struct terminal terminal;
	struct console_column columns[KEY_COUNT]; /* of names */
	unsigned column_count;
	struct console_row *rows; /* those that are shown; on a terminal, names become shorter */
	size_t count, shown;      /* number of all rows, and of those */
	const char *noun;         /* "function": what a row is */
	const char *file;         /* name of the table that has all rows; "": none */
	uint64_t whole;           /* the period of which shares are shown */
	bool clock;               /* periods are ns */
	bool total;
	bool intervals; /* samples are intervals: their period is a time in all, and they a count */
};

/*
 * Prints the header, the rows that are shown, how many are not, and an empty line. A terminal gets
 * the last part of a binary's path, if no other binary shown has the same. False with err set when
 * memory is refused.
 */
bool console_table_print(FILE *out, const struct console_table *table, struct err *err);

/* "1.204 s" or "3.1 G" on a terminal, otherwise all digits. */
void console_period(char text[SHORT_NUMBER_SIZE], const struct terminal *terminal, uint64_t period,
                    bool clock);
/*
 * Prints "# FILE NAME: FACTS"; on a terminal in bold, and on more lines if one is too narrow. file
 * and facts may be "".
 */
void console_title(FILE *out, const struct terminal *terminal, const char *file, const char *name,
                   const char *facts);

#endif

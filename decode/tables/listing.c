#include "decode/tables/listing.h"

#include "decode/naming/instructions.h"
#include "decode/tables/arrows.h"
#include "decode/tables/consoletable.h"
#include "decode/tables/sourcetext.h"
#include "util/digits.h"
#include "util/search.h"
#include "util/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MOST 4096 /* bytes of a line that are looked at */
#define TAB_COLUMNS 8
#define ADDRESS_WIDTH 7  /* of the word "address" */
#define ARROW_COLUMNS 60 /* of a terminal, from which on there are arrows */

struct listing {
	FILE *out;
	const struct terminal *terminal;
	const struct report *report;
	const struct instruction_block *block;
	const struct instruction_row *rows;
	struct arrows arrows;
	struct source_texts sources;
	int address_width;
	uint32_t file, line; /* the source line that was printed last */
	struct err *err;
};

/*
 * Prints a text of a foreign file, with escapes; on a terminal what fits into the line behind
 * `used` columns. Ends the line.
 */
static void print_text(const struct listing *listing, const char *text, size_t used)
{
	const size_t columns = listing->terminal->columns;
	char *safe;

	if (columns)
		safe = shortened(text, columns > used + 8 ? columns - used : 8);
	else
		safe = text_shown(text);
	if (safe)
		fprintf(listing->out, "%s\n", safe);
	else
		err_nomem(listing->err, strlen(text));
	free(safe);
}

/* Copies a line of source text with blanks instead of tabs; the blanks at its start are kept. */
static void expand_tabs(const char *from, size_t length, char to[TEXT_MOST])
{
	size_t used = 0;

	for (size_t i = 0; i < length && used < TEXT_MOST - TAB_COLUMNS - 1; i++) {
		if (from[i] != '\t') {
			to[used++] = from[i] ? from[i] : ' ';
			continue;
		}
		do
			to[used++] = ' ';
		while (used % TAB_COLUMNS);
	}
	to[used] = '\0';
}

static int margin(const struct listing *listing)
{
	return 8 + listing->address_width + 2;
}

/* A line that is no instruction: below the column of addresses and behind the arrows. */
static void print_between(const struct listing *listing, size_t row, const char *text)
{
	char arrows[ARROWS_SIZE];

	arrows_draw(&listing->arrows, row, true, arrows);
	fprintf(listing->out, "%*s%s", margin(listing), "", arrows);
	print_text(listing, text, (size_t)margin(listing) + strlen(arrows));
}

/* The file where it changes, and the line with its text. */
static void print_source(struct listing *listing, size_t row)
{
	const struct instruction_row *at = &listing->rows[row];
	const char *name = strings_get(listing->report->stat->strings, at->file), *found;
	char text[TEXT_MOST], line[TEXT_MOST + 24];
	size_t length;

	if (!at->line || (at->file == listing->file && at->line == listing->line))
		return;
	if (at->file != listing->file)
		print_between(listing, row, name);
	listing->file = at->file;
	listing->line = at->line;
	found = source_text_line(&listing->sources, name, at->line, &length, listing->err);
	expand_tabs(found ? found : "", found ? length : 0, text);
	snprintf(line, sizeof(line), "%" PRIu32 ":%s%s", at->line, *text ? "  " : "", text);
	print_between(listing, row, line);
}

static void print_percent(const struct listing *listing, const struct instruction_row *row)
{
	if (row->samples)
		print_share(listing->out, row->period, listing->block->period, 6,
		            listing->terminal->colour);
	else
		fprintf(listing->out, "%8s", "");
}

static void print_instruction(struct listing *listing, size_t row)
{
	const struct instruction_row *at = &listing->rows[row];
	const struct strings *strings = listing->report->stat->strings;
	const char *text = strings_get(strings, at->text),
		   *target = strings_get(strings, at->target);
	char arrows[ARROWS_SIZE], line[TEXT_MOST];

	arrows_draw(&listing->arrows, row, false, arrows);
	print_percent(listing, at);
	fprintf(listing->out, "%*" PRIx64 "  %s", listing->address_width, at->addr, arrows);
	snprintf(line, sizeof(line), "%s%s%s%s", *text ? text : "(no instruction begins here)",
	         *target ? " <" : "", target, *target ? ">" : "");
	print_text(listing, line, (size_t)margin(listing) + strlen(arrows));
}

/* The number of the row of an address; count if there is none. */
static size_t find_row(const struct listing *listing, uint64_t addr)
{
	return search_equal(listing->rows, listing->block->count, sizeof(*listing->rows), addr);
}

/* Arrows take a tenth of the width, and no more than that. */
static bool place_arrows(struct listing *listing)
{
	const size_t count = listing->block->count, columns = listing->terminal->columns;

	for (size_t i = 0; columns >= ARROW_COLUMNS && i < count; i++) {
		const struct instruction_row *row = &listing->rows[i];
		const size_t to = row->jump ? find_row(listing, row->jump) : count;

		if (to < count && to != i && !arrows_add(&listing->arrows, i, to, listing->err))
			return false;
	}
	return arrows_place(&listing->arrows, count, (unsigned)columns / 10 - (columns > 10),
	                    listing->err);
}

static void print_title(const struct listing *listing)
{
	const struct buildstat *stat = listing->report->stat;
	const struct instruction_block *block = listing->block;
	char facts[64], *name, *binary;

	snprintf(facts, sizeof(facts), "%" PRIu64 " sample%s", block->samples,
	         block->samples == 1 ? "" : "s");
	console_title(listing->out, listing->terminal, "", strings_get(stat->strings, block->name),
	              "");
	binary = text_shown(strings_get(stat->strings, stat->binaries.items[block->binary].name));
	name = text_shown(buildstat_event_name(stat->session, block->event));
	if (binary && name)
		fprintf(listing->out, "# %s\n# %s: %s\n", binary, name, facts);
	else
		err_nomem(listing->err, 1);
	free(binary);
	free(name);
}

static bool print_block(struct listing *listing)
{
	const struct instruction_block *block = listing->block;
	char digits[24];

	listing->rows = &listing->report->instructions->rows[block->first];
	listing->file = STRING_EMPTY;
	listing->line = 0;
	listing->address_width = snprintf(digits, sizeof(digits), "%" PRIx64,
	                                  listing->rows[block->count - 1].addr);
	if (listing->address_width < ADDRESS_WIDTH)
		listing->address_width = ADDRESS_WIDTH;
	if (!place_arrows(listing))
		return false;
	print_title(listing);
	fprintf(listing->out, "percent %*s  instruction\n", listing->address_width, "address");
	for (size_t i = 0; i < block->count && listing->err->code == ERR_NONE; i++) {
		print_source(listing, i);
		print_instruction(listing, i);
	}
	fputs("\n", listing->out);
	arrows_release(&listing->arrows);
	return listing->err->code == ERR_NONE;
}

bool listing_print(FILE *out, const struct terminal *terminal, const struct report *report,
                   uint64_t limit, struct err *err)
{
	const struct instructions *all = report->instructions;
	struct listing listing = { .out = out,
		                   .terminal = terminal,
		                   .report = report,
		                   .sources = { .options = all->files },
		                   .err = err };
	uint64_t shown = 0;
	bool ok = true;

	for (size_t i = 0; ok && i < all->block_count; i++) {
		listing.block = &all->blocks[i];
		shown = i && all->blocks[i - 1].event == listing.block->event ? shown + 1 : 0;
		ok = shown >= limit || print_block(&listing);
	}
	arrows_release(&listing.arrows);
	source_texts_release(&listing.sources);
	return ok;
}

/*
 * folded.txt: a line per stack, "process;outermost;...;innermost period", as flamegraph.pl and
 * others read it; of a comparison "... base new", as difffolded.pl writes it. Names are spelled as
 * stackcollapse-perf.pl --all does: no quotes, ":" for ";", blanks in names of processes are
 * "_", and _[k], _[j], _[i] mark the kernel, code made at run time, and inlined functions.
 */
#include "decode/tables/eventfile.h"
#include "decode/exports/labeltree.h"
#include "util/digits.h"
#include "util/path.h"
#include "util/text.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * Escapes text and replaces characters that have a meaning in this format. Returns the end, without
 * a NUL.
 */
static char *write_folded_text(char *out, const char *text)
{
	char *end = format_shown(out, text, strlen(text));
	char *to = out;

	for (const char *from = out; from < end; from++)
		if (*from != '"' && *from != '\'')
			*to++ = *from == ';' ? ':' : *from;
	return to;
}

static void write_folded_label(char *text, const struct call_node *node,
                               const struct strings *strings)
{
	static const char *const suffixes[] = {
		[CALL_USER] = "",        [CALL_KERNEL] = "_[k]", [CALL_RUN_TIME] = "_[j]",
		[CALL_INLINED] = "_[i]", [CALL_UNNAMED] = "",    [CALL_STATE] = "",
		[CALL_REMARK] = "",
	};
	const char *name = strings_get(strings, node->name);
	const char *binary = strings_get(strings, node->binary);
	char *end;

	if (node->kind == CALL_UNNAMED && !strcmp(name, "[unknown]") && *binary) {
		/* the binary is more useful: [libc.so.6], [kernel.kallsyms] */
		bool bracket = *binary != '[';

		end = text;
		if (bracket)
			*end++ = '[';
		end = write_folded_text(end, bracket ? path_base(binary) : binary);
		if (bracket)
			*end++ = ']';
	} else {
		end = write_folded_text(text, name);
	}
	if (node->parent != CALL_NODE_NONE) {
		strcpy(end, suffixes[node->kind]);
		return;
	}
	*end = '\0';
	while ((text = strchr(text, ' ')))
		*text = '_';
}

/* The line up to the current node: labels, starting with the outermost one. */
struct folded_line {
	char *text;
	size_t capacity;
	size_t *ends; /* by depth: the end of the label */
	size_t end_capacity;
};

static bool put_label_at(struct folded_line *line, const struct label_tree *tree, uint32_t number,
                         struct err *err)
{
	const struct label_node *node = &tree->nodes[number];
	const struct string_entry *label = &tree->labels.entries[node->label];
	size_t start = node->depth ? line->ends[node->depth - 1] : 0;

	if (!vec_room(&line->ends, node->depth, &line->end_capacity, sizeof(*line->ends), err))
		return false;
	if (!vec_reserve(&line->text, start + label->length + 2, &line->capacity, 1, err))
		return false;
	if (node->depth)
		line->text[start++] = ';';
	memcpy(line->text + start, label->text, label->length);
	line->ends[node->depth] = start + label->length;
	return true;
}

static bool write_folded(FILE *out, const struct report *report, size_t event, struct err *err)
{
	const struct label_request request = { report, event, write_folded_label,
		                               report_has_processes(report) };
	struct folded_line line = { .text = NULL };
	char number[24], *end; /* the digits of a period, and the end of the line */
	struct label_tree tree;
	bool ok = label_tree_make(&tree, &request, err);

	for (size_t i = 0; ok && i < tree.count; i++) {
		const struct label_node *node = &tree.nodes[tree.order[i]];

		ok = put_label_at(&line, &tree, tree.order[i], err);
		if (!ok || !(node->samples || node->base))
			continue;
		fwrite(line.text, 1, line.ends[node->depth], out);
		if (report->comparison)
			fprintf(out, " %" PRIu64, node->base);
		end = format_u64(number, node->period);
		*end++ = '\n';
		putc(' ', out);
		fwrite(number, 1, (size_t)(end - number), out);
	}
	free(line.text);
	free(line.ends);
	label_tree_release(&tree);
	return ok;
}

const struct table folded_table = {
	.format = FORMAT_OF_FILE("folded"),
	.file = "folded.txt",
	.content =
		"a line per stack, as flamegraph.pl reads it; of further events folded-EVENT.txt; with --base, two counts",
	.compares_too = true,
	.needs = NEEDS_LABELS | NEEDS_STACKS | NEEDS_EVERY_STACK | NEEDS_PROCESSES,
	.can_fill = report_has_chains,
	.write_event = write_folded,
};

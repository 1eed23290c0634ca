/* flame.svg: a flame graph of the stacks of an event; see flame.h. */
#include "decode/compare/comparison.h"
#include "decode/compare/mergedcalls.h"
#include "decode/tables/eventfile.h"
#include "decode/exports/flame.h"
#include "decode/exports/labeltree.h"
#include "util/arena.h"
#include "util/csv.h"

#include <stdlib.h>
#include <string.h>

static enum flame_kind flame_kind_of_call(const struct call_node *node, const char *name)
{
	switch ((enum call_kind)node->kind) {
	case CALL_KERNEL:
		return FLAME_KERNEL;
	case CALL_RUN_TIME:
		return FLAME_JIT;
	case CALL_INLINED:
		return FLAME_INLINE;
	case CALL_UNNAMED:
	case CALL_REMARK:
		return FLAME_UNNAMED;
	case CALL_USER:
		break;
	}
	return flame_kind_of_name(name);
}

/*
 * "function TAB binary TAB kind": a text for each name of a frame, by which siblings are sorted. An
 * escaped text has no tabs.
 */
static void write_flame_function(char *text, const struct call_node *node,
                                 const struct strings *strings)
{
	const char *name = strings_get(strings, node->name);
	const char *binary = strings_get(strings, node->binary);

	text = format_escaped(text, name, strlen(name));
	*text++ = '\t';
	text = format_escaped(text, binary, strlen(binary));
	*text++ = '\t';
	*text++ = (char)('0' + flame_kind_of_call(node, name));
	*text = '\0';
}

/* The parts of a flame graph. */
struct flame_parts {
	struct flame_name *names;
	size_t name_count;
	uint32_t *numbers; /* of names, by label; 0: no frame has the label */
	struct flame_frame *frames;
	struct arena texts; /* of names */
};

static void release_parts(struct flame_parts *parts)
{
	arena_release(&parts->texts);
	free(parts->numbers);
	free(parts->names);
	free(parts->frames);
}

/* Adds the name with this label: "function TAB binary TAB kind". */
static bool add_name(struct flame_parts *parts, const struct string_entry *label, struct err *err)
{
	char *function = arena_text(&parts->texts, label->text, label->length, err);
	char *binary = function ? strchr(function, '\t') : NULL;
	char *kind = binary ? strchr(binary + 1, '\t') : NULL;

	if (!kind)
		return false;
	*binary++ = '\0';
	*kind++ = '\0';
	parts->names[parts->name_count++] = (struct flame_name){ function, binary,
		                                                 (enum flame_kind)(*kind - '0') };
	return true;
}

/*
 * Name 0 is for the frame that contains all others. The others are numbered in the order of the
 * frames that have them: numbers of labels are not the same in every run.
 */
static bool make_names(struct flame_parts *parts, const struct label_tree *tree, struct err *err)
{
	parts->names[parts->name_count++] = (struct flame_name){ "all", "", FLAME_UNNAMED };
	for (size_t i = 0; i < tree->count; i++) {
		const uint32_t label = tree->nodes[tree->order[i]].label;

		if (parts->numbers[label])
			continue;
		parts->numbers[label] = (uint32_t)parts->name_count;
		if (!add_name(parts, &tree->labels.entries[label], err))
			return false;
	}
	return true;
}

/* Frame 0 contains all others; frame n + 1 is the n-th node in order. place: room, by node. */
static void make_frames(struct flame_parts *parts, const struct label_tree *tree, uint32_t *place)
{
	struct flame_frame *frames = parts->frames;

	frames[0] = (struct flame_frame){ .name = 0 };
	for (size_t i = 0; i < tree->count; i++) {
		const struct label_node *node = &tree->nodes[tree->order[i]];

		place[tree->order[i]] = (uint32_t)i + 1;
		frames[i + 1] = (struct flame_frame){ .period = node->period,
			                              .delta = (int64_t)(node->period - node->base),
			                              .samples = node->samples,
			                              .name = parts->numbers[node->label],
			                              .depth = node->depth + 1 };
	}
	/* backwards, since children come after their parents */
	for (size_t i = tree->count; i-- > 0;) {
		uint32_t parent = tree->nodes[tree->order[i]].parent;
		struct flame_frame *outer = &frames[parent == LABEL_NODE_NONE ? 0 : place[parent]];

		outer->period += frames[i + 1].period;
		outer->samples += frames[i + 1].samples;
		/* modulo 2^64, as the periods, since those of a damaged recording may be any */
		outer->delta = (int64_t)((uint64_t)outer->delta + (uint64_t)frames[i + 1].delta);
	}
}

/* Whether there are several processes, so that stacks begin with their names. */
static bool has_several_processes(const struct report *report)
{
	const struct stackstat *stacks = report->stat ? report->stat->stacks : NULL;

	if (report->comparison)
		return report_has_processes(report) &&
		       merged_calls_processes(report->comparison->options.calls) > 1;
	for (size_t i = 1; stacks && i < stacks->groups.count; i++)
		if (stack_group_at(stacks, i)->comm != stack_group_at(stacks, 0)->comm)
			return true;
	return false;
}

/* Malloc'd; NULL with err set. */
static char *title_of(const struct report *report, size_t event, struct err *err)
{
	static const char compared[] =
		": the new side, red where it costs more than the base, blue where less";
	const char *name = report_event_name(report, event);
	char *title = calloc(1, 4 * strlen(name) + sizeof(compared)), *end;

	if (!title) {
		err_nomem(err, strlen(name));
		return NULL;
	}
	end = format_escaped(title, name, strlen(name));
	if (report->comparison)
		strcpy(end, compared);
	return title;
}

static bool write_flame(FILE *out, const struct report *report, size_t event, struct err *err)
{
	const struct label_request request = { report, event, write_flame_function,
		                               has_several_processes(report) ? write_flame_function
		                                                             : NULL };
	struct flame_parts parts = { .names = NULL };
	struct label_tree tree;
	uint32_t *place = NULL;
	char *title = title_of(report, event, err);
	bool ok = label_tree_make(&tree, &request, err) && title;

	if (ok) {
		parts.names = calloc(tree.labels.count + 1, sizeof(*parts.names));
		parts.numbers = calloc(tree.labels.count + 1, sizeof(*parts.numbers));
		parts.frames = calloc(tree.count + 1, sizeof(*parts.frames));
		place = calloc(tree.count + 1, sizeof(*place));
		ok = (parts.names && parts.numbers && parts.frames && place) ||
		     err_nomem(err, tree.count * sizeof(*parts.frames));
	}
	if (ok && make_names(&parts, &tree, err)) {
		const struct flame_graph graph = {
			.title = title,
			.names = parts.names,
			.name_count = parts.name_count,
			.frames = parts.frames,
			.count = tree.count + 1,
			.clock = report_event_is_clock(report, event),
			.differential = report->comparison != NULL,
		};

		make_frames(&parts, &tree, place);
		flame_print(out, &graph, err);
	}
	free(title);
	free(place);
	release_parts(&parts);
	label_tree_release(&tree);
	return err->code == ERR_NONE;
}

static bool print_flame(struct table_writer *out, const struct report *report, struct err *err)
{
	(void)out;
	return event_files_write(report, &flame_table, err);
}

static const struct table_format flame_format = { .name = "flame" };

const struct table flame_table = {
	.format = &flame_format,
	.file = "flame.svg",
	.content =
		"a flame graph of the stacks; of further events flame-EVENT.svg; with --base, of what changed",
	.compares_too = true,
	.needs = NEEDS_NAMES | NEEDS_STACKS | NEEDS_EVERY_STACK | NEEDS_PROCESSES,
	.can_fill = report_has_chains,
	.write_event = write_flame,
	.print = print_flame,
};

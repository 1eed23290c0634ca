/*
 * Writes a made-up flame graph to standard output, for tests/exports/run.
 *
 * usage: make known | differential | hostile | wide | COUNT
 *
 * known: 15 frames whose numbers browser.js knows. hostile: names and numbers that break out of XML, of CDATA
 * and of script text, if they can. COUNT: that many frames, shaped as in a recording of many programs.
 */
#include "decode/exports/flame.h"

#include <stdlib.h>
#include <string.h>

#define LINUX "[kernel.kallsyms]"

struct name {
	const char *function, *binary;
	enum flame_kind kind;
};

/* The cost of a frame with all that it calls. */
struct frame {
	uint64_t period, samples;
	int64_t delta; /* what the period is more than on the base side */
	uint32_t name, depth;
};

/* The first name and the first frame are those of the whole. */
struct picture {
	const char *title;
	const struct name *names;
	const struct frame *frames; /* depth first */
	size_t count;
	bool clock, differential;
};

static struct label_node node_of_frame(const struct picture *picture, size_t number, struct strings *labels)
{
	const struct frame *frame = &picture->frames[number];
	const struct name *name = &picture->names[frame->name];
	struct err err = { 0 };
	char label[300];

	snprintf(label, sizeof(label), "%s\t%s\t%d", name->function, name->binary, (int)name->kind);
	return (struct label_node){ .depth = frame->depth,
		                    .label = strings_put_text(labels, label, &err),
		                    .samples = frame->samples,
		                    .period = frame->period,
		                    .base = frame->period - (uint64_t)frame->delta };
}

static int write_graph(const struct picture *picture)
{
	const size_t count = picture->count - 1;
	struct flame_graph graph = { picture->title, "summary of " "]]> <b>", .tree.count = count, .clock = picture->clock,
		                     .differential = picture->differential };
	struct label_tree *tree = &graph.tree;
	struct err err = { 0 };
	bool ok;

	tree->nodes = calloc(count + 1, sizeof(*tree->nodes));
	tree->order = calloc(count + 1, sizeof(*tree->order));
	if (!tree->nodes || !tree->order || !strings_init(&tree->labels, &err))
		return 1;
	for (size_t i = 0; i < count; i++) {
		tree->nodes[i] = node_of_frame(picture, i + 1, &tree->labels);
		tree->order[i] = (uint32_t)i;
	}
	graph.all = node_of_frame(picture, 0, &tree->labels);
	ok = flame_print(stdout, &graph, &err) && fflush(stdout) == 0 && !ferror(stdout);
	strings_release(&tree->labels);
	free(tree->nodes);
	free(tree->order);
	return !ok;
}

/*
 * all 1000: main 900 (walk 600 (walk 400 (walk 100, leaf 250), sort 150), do_sys 200 (copy 180)), other 100.
 * Nested: walk is in 600 once, in itself three times.
 */
static int write_known(bool differential)
{
	static const struct name names[] = {
		{ "all", "", FLAME_UNNAMED },
		{ "main", "/usr/bin/known", FLAME_USER },
		{ "walk", "/usr/bin/known", FLAME_USER },
		{ "leaf<int>", "/usr/bin/known", FLAME_INLINE },
		{ "std::sort", "/usr/lib/libstdc++.so.6", FLAME_CPLUSPLUS },
		{ "do_sys_read", LINUX, FLAME_KERNEL },
		{ "copy_to_user", LINUX, FLAME_KERNEL },
		{ "LazyCompile:~run", "[JIT] tid 7", FLAME_JIT },
		{ "[unknown]", "/usr/lib/libc.so.6", FLAME_UNNAMED },
	};
	static const struct frame frames[] = {
		{ 1000000000, 1000, 0, 0, 0 },         { 900000000, 900, 50000000, 1, 1 },
		{ 600000000, 600, 100000000, 2, 2 },   { 400000000, 400, 100000000, 2, 3 },
		{ 250000000, 250, 150000000, 3, 4 },   { 100000000, 100, -50000000, 2, 4 },
		{ 150000000, 150, 0, 4, 3 },           { 200000000, 200, -50000000, 5, 2 },
		{ 180000000, 180, -50000000, 6, 3 },   { 60000000, 60, 0, 7, 2 },
		{ 100000000, 100, -50000000, 8, 1 },
	};
	const struct picture graph = {
		.title = differential ? "known.data, against base.data: cpu-clock"
		                      : "known.data: cpu-clock",
		.names = names,
		.frames = frames,
		.count = sizeof(frames) / sizeof(*frames),
		.clock = true,
		.differential = differential,
	};

	return write_graph(&graph);
}

static int write_hostile(void)
{
	static const struct name names[] = {
		{ "all", "", FLAME_UNNAMED },
		{ "]]></script><script>alert(1)</script>", "/tmp/]]>", FLAME_USER },
		{ "\"],x=[\"\\", "/tmp/\\\"", FLAME_USER },
		{ "a & b < c > d ' e", "/tmp/&lt;", FLAME_USER },
		{ "\\u0022 \\x0a `${1}` // /* <!-- -->", "/tmp/]]&gt;", FLAME_USER },
		{ "no characters \xef\xbf\xbf\xef\xbf\xbe", "/tmp/\xef\xbf\xbe", FLAME_USER },
		{ "\xc3\xbc\xe2\x82\xac\xf0\x9f\x94\xa5 \xe2\x80\xa8 \xe2\x80\xa9", "/tmp/\xe2\x80\xae", FLAME_USER },
		{ "", "", FLAME_UNNAMED },
	};
	struct frame frames[8];
	const struct picture graph = {
		.title = "</title><script>alert(2)</script>]]> &",
		.names = names,
		.frames = frames,
		.count = sizeof(frames) / sizeof(*frames),
	};

	for (uint32_t i = 0; i < graph.count; i++)
		frames[i] = (struct frame){
			i ? UINT64_MAX / 8 : UINT64_MAX, i ? 3 : 21, 0, i, i ? 1 : 0
		};
	return write_graph(&graph);
}

/* A hundred pixels for names of wide characters: 13 columns. */
static int write_wide(void)
{
#define FIVE(text) text text text text text
	static const struct name names[] = {
		{ "all", "", FLAME_UNNAMED },
		{ FIVE("\xe6\xbc\xa2") FIVE("\xe6\xbc\xa2"), "/tmp/wide", FLAME_USER },
		{ FIVE("\xf0\x9f\x94\xa5") FIVE("\xf0\x9f\x94\xa5"), "/tmp/wide", FLAME_USER },
		{ "a" FIVE("\xf0\x9f\x94\xa5") FIVE("\xf0\x9f\x94\xa5"), "/tmp/wide", FLAME_USER },
		{ FIVE("\xe6\xbc\xa2") "::" FIVE("\xc3\xa9") "12345678", "/tmp/wide", FLAME_CPLUSPLUS },
	};
	static const struct frame frames[] = { { 1200, 1200, 0, 0, 0 },
		                                     { 100, 100, 0, 1, 1 },
		                                     { 100, 100, 0, 2, 1 },
		                                     { 100, 100, 0, 3, 1 },
		                                     { 100, 100, 0, 4, 1 } };
	const struct picture graph = { .title = "wide.data: cycles",
		                           .names = names,
		                           .frames = frames,
		                           .count = sizeof(frames) / sizeof(*frames) };

	return write_graph(&graph);
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* Names as programs have them: long ones of templates, short ones of C. */
static char *make_name(uint32_t number)
{
	static const char *const forms[] = {
		"ns::Container<Key%u, std::vector<Value> >::insert(Key const&, Value&&)",
		"lib_%u_read",
		"main_loop_%u",
		"__do_softirq_%u",
		"operator()<%u>",
	};
	char *name = malloc(100);

	if (name)
		snprintf(name, 100, forms[number % 5], number);
	return name;
}

static int write_many(uint32_t count)
{
	const uint32_t name_count = count / 20 + 2;
	struct name *names = calloc(name_count, sizeof(*names));
	struct frame *frames = calloc(count, sizeof(*frames));
	uint32_t state = 1, open[60], depth = 0;
	struct picture graph = { .title = "many.data: cycles", .names = names,
		                     .frames = frames, .count = count };
	int status;

	if (!names || !frames)
		return 1;
	for (uint32_t i = 0; i < name_count; i++)
		names[i] = (struct name){ i ? make_name(i) : "all", i ? "/usr/lib/libmany.so" : "",
			                        i ? (enum flame_kind)(i % FLAME_KINDS) : FLAME_UNNAMED };
	open[0] = 0;
	for (uint32_t i = 1; i < count; i++) {
		uint32_t up = next_random(&state) % 8;

		depth = up < 3 && depth > up ? depth - up : depth;
		depth = depth < 58 ? depth + 1 : 58;
		open[depth] = i;
		frames[i] = (struct frame){ .name = 1 + next_random(&state) % (name_count - 1),
			                          .depth = depth };
		/* the outermost ones of a stack have most of what is below them */
		uint32_t samples = 1 + next_random(&state) % 40;

		for (uint32_t d = 0; d <= depth; d++) {
			frames[open[d]].samples += samples;
			frames[open[d]].period += samples * (uint64_t)(250000 + depth);
		}
	}
	status = write_graph(&graph);
	for (uint32_t i = 1; i < name_count; i++)
		free((void *)(uintptr_t)names[i].function);
	free(names);
	free(frames);
	return status;
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";
	long count = strtol(what, NULL, 10);

	if (!strcmp(what, "known") || !strcmp(what, "differential"))
		return write_known(*what == 'd');
	if (!strcmp(what, "hostile"))
		return write_hostile();
	if (!strcmp(what, "wide"))
		return write_wide();
	if (count >= 2 && count <= 10000000)
		return write_many((uint32_t)count);
	fputs("usage: make known | differential | hostile | wide | COUNT\n", stderr);
	return 2;
}

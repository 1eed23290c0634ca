/* The tables of a processed profile that all threads refer to: see firefox.c. */
#include "decode/exports/firefox.h"

#include "perffile/facts/facts.h"
#include "util/path.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define GUID_BYTES 16

void firefox_tables_release(struct firefox_tables *shared)
{
	free(shared->nodes);
	free(shared->funcs);
	map_release(&shared->func_of);
	map_release(&shared->library_of);
	map_release(&shared->source_of);
	free(shared->rows);
	free(shared->libraries);
	free(shared->sources);
}

/*
 * Lists the nodes with samples of the event in the order of calltree.csv, which does not depend on
 * the number of threads, as the numbers of nodes do.
 */
static bool list_nodes(struct firefox_tables *shared, struct firefox *firefox)
{
	const struct call_tree *calls = firefox->report->calls;
	uint32_t *frames = call_tree_frames(calls, firefox->report->stat->strings, NULL, NULL,
	                                    firefox->err);
	uint32_t *nodes = vec_new(calls->count, sizeof(*nodes), firefox->err);
	const bool ok = frames && nodes &&
	                (shared->nodes = vec_new(calls->count, sizeof(*nodes), firefox->err)) &&
	                (firefox->stack_of = vec_new(calls->count, sizeof(*nodes), firefox->err));

	for (uint32_t i = 0; ok && i < calls->count; i++)
		firefox->stack_of[i] = nodes[i] = STACK_NULL;
	for (uint32_t i = 0; ok && i < calls->count; i++)
		if (frames[i] && call_tree_total(calls, i, firefox->event)->samples)
			nodes[frames[i] - 1] = i;
	for (size_t i = 0; ok && i < calls->count; i++) {
		if (nodes[i] == STACK_NULL)
			continue;
		firefox->stack_of[nodes[i]] = (uint32_t)shared->count;
		shared->nodes[shared->count++] = nodes[i];
	}
	free(frames);
	free(nodes);
	return ok;
}

static const struct binary *binary_of(const struct firefox *firefox, const struct call_node *node)
{
	const struct report *report = firefox->report;

	return node->function == CALL_NO_FUNCTION
	               ? NULL
	               : &report->stat->binaries
	                          .items[report->names->functions[node->function].binary];
}

/* The binary of a function, if it is one that the page should list. */
static bool put_library(struct firefox_tables *shared, struct firefox *firefox,
                        const struct call_node *node)
{
	const struct binary *binary = binary_of(firefox, node);

	if (!binary || binary->kind == BINARY_UNKNOWN ||
	    map_number(&shared->library_of, node->binary, firefox->err) != shared->library_count)
		return firefox->err->code == ERR_NONE;
	return vec_append(&shared->libraries, &shared->library_count, &shared->library_capacity,
	                  &node->function, sizeof(node->function), firefox->err);
}

static bool put_source(struct firefox_tables *shared, struct firefox *firefox, uint32_t file)
{
	uint32_t text;

	if (file == STRING_EMPTY ||
	    map_number(&shared->source_of, file, firefox->err) != shared->source_count)
		return firefox->err->code == ERR_NONE;
	text = strings_put_text(&firefox->texts, strings_get(firefox->report->stat->strings, file),
	                        firefox->err);
	return text != STRING_NONE &&
	       vec_append(&shared->sources, &shared->source_count, &shared->source_capacity, &text,
	                  sizeof(text), firefox->err);
}

static bool list_functions(struct firefox_tables *shared, struct firefox *firefox)
{
	struct err *err = firefox->err;

	shared->funcs = vec_new(shared->count, sizeof(*shared->funcs), err);
	for (size_t i = 0; shared->funcs && i < shared->count; i++) {
		const struct call_node *node = &firefox->report->calls->nodes[shared->nodes[i]];
		const uint64_t key = node->function == CALL_NO_FUNCTION
		                             ? (uint64_t)1 << 32 | node->name
		                             : node->function;

		shared->funcs[i] = map_number(&shared->func_of, key, err);
		if (shared->funcs[i] == shared->row_count &&
		    !(put_library(shared, firefox, node) &&
		      put_source(shared, firefox, node->file) &&
		      vec_append(&shared->rows, &shared->row_count, &shared->row_capacity, &node,
		                 sizeof(const struct call_node *), err)))
			return false;
	}
	return err->code == ERR_NONE;
}

bool firefox_tables_make(struct firefox_tables *shared, struct firefox *firefox)
{
	return list_nodes(shared, firefox) && list_functions(shared, firefox);
}

bool firefox_event_waits(const char *event)
{
	static const char *const names[] = { "off-cpu",      "wait",      "lock",
		                             "softirq-wait", "work-wait", "block-queue",
		                             "offcpu-time" /* of perf record --off-cpu */ };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(event, names[i]))
			return true;
	return false;
}

static enum firefox_category category_of(const struct firefox *firefox,
                                         const struct call_node *node)
{
	const struct binary *binary = binary_of(firefox, node);

	if (firefox_event_waits(report_event_name(firefox->report, firefox->event)))
		return CATEGORY_WAITING;
	if (!binary)
		return CATEGORY_OTHER;
	if (binary->stands_for_state) /* of `wall` */
		return CATEGORY_WAITING;
	switch (binary->kind) {
	case BINARY_KERNEL:
	case BINARY_MODULE:
	case BINARY_KSYMBOL:
		return CATEGORY_KERNEL;
	case BINARY_JIT:
	case BINARY_JITDUMP:
		return CATEGORY_JIT;
	case BINARY_UNKNOWN:
		return CATEGORY_OTHER;
	case BINARY_FILE:
	case BINARY_VDSO:
	case BINARY_SPECIAL:
		break;
	}
	return CATEGORY_USER;
}

/* Prints a list of a table with a value for each row. */
#define PRINT_LIST(out, key, count, format, value)                    \
	do {                                                          \
		fprintf(out, ",\"%s\":[", key);                       \
		for (size_t i = 0; i < (count); i++)                  \
			fprintf(out, i ? "," format : format, value); \
		fputc(']', out);                                      \
	} while (0)

static void print_stack_table(const struct firefox_tables *shared, const struct firefox *firefox)
{
	FILE *out = firefox->out;

	fprintf(out, "\"stackTable\":{\"length\":%zu", shared->count);
	PRINT_LIST(out, "frame", shared->count, "%" PRIu32, shared->funcs[i]);
	fputs(",\"prefix\":[", out);
	for (size_t i = 0; i < shared->count; i++) {
		const uint32_t parent = firefox->report->calls->nodes[shared->nodes[i]].parent;

		if (parent == CALL_NODE_NONE)
			fputs(i ? ",null" : "null", out);
		else
			fprintf(out, i ? ",%" PRIu32 : "%" PRIu32, firefox->stack_of[parent]);
	}
	fputs("]}", out);
}

static void print_frame_table(const struct firefox_tables *shared, const struct firefox *firefox)
{
	const size_t count = shared->row_count;
	FILE *out = firefox->out;

	fprintf(out, ",\n\"frameTable\":{\"length\":%zu", count);
	PRINT_LIST(out, "address", count, "%d", -1);
	PRINT_LIST(out, "inlineDepth", count, "%d", 0);
	PRINT_LIST(out, "category", count, "%d", (int)category_of(firefox, shared->rows[i]));
	PRINT_LIST(out, "subcategory", count, "%d", 0);
	PRINT_LIST(out, "func", count, "%zu", i);
	PRINT_LIST(out, "nativeSymbol", count, "%s", "null");
	PRINT_LIST(out, "innerWindowID", count, "%d", 0);
	PRINT_LIST(out, "line", count, "%s", "null");
	PRINT_LIST(out, "column", count, "%s", "null");
	fputc('}', out);
}

static uint32_t line_of(const struct firefox *firefox, const struct call_node *node)
{
	return node->function == CALL_NO_FUNCTION
	               ? 0
	               : firefox->report->names->functions[node->function].line;
}

/* Prints a number, or in place of another one null. */
static void print_or_null(FILE *out, size_t i, uint32_t number, uint32_t null)
{
	fputs(i ? "," : "", out);
	if (number == null)
		fputs("null", out);
	else
		fprintf(out, "%" PRIu32, number);
}

static void print_func_table(const struct firefox_tables *shared, struct firefox *firefox)
{
	const struct strings *strings = firefox->report->stat->strings;
	const size_t count = shared->row_count;
	FILE *out = firefox->out;

	fprintf(out, ",\n\"funcTable\":{\"length\":%zu", count);
	PRINT_LIST(out, "name", count, "%" PRIu32,
	           strings_put_text(&firefox->texts, strings_get(strings, shared->rows[i]->name),
	                            firefox->err));
	PRINT_LIST(out, "isJS", count, "%s", "false");
	PRINT_LIST(out, "relevantForJS", count, "%s", "false");
	fputs(",\"resource\":[", out);
	for (size_t i = 0; i < count; i++) {
		const struct binary *binary = binary_of(firefox, shared->rows[i]);

		fprintf(out, i ? ",%d" : "%d",
		        binary && binary->kind != BINARY_UNKNOWN
		                ? (int)map_get(&shared->library_of, shared->rows[i]->binary)
		                : -1);
	}
	fputs("],\"source\":[", out);
	for (size_t i = 0; i < count; i++)
		print_or_null(out, i, map_get(&shared->source_of, shared->rows[i]->file), MAP_NONE);
	fputs("],\"lineNumber\":[", out);
	for (size_t i = 0; i < count; i++)
		print_or_null(out, i, line_of(firefox, shared->rows[i]), 0);
	fputc(']', out);
	PRINT_LIST(out, "columnNumber", count, "%s", "null");
	fputc('}', out);
}

static const struct binary *library_at(const struct firefox_tables *shared,
                                       const struct firefox *firefox, size_t index)
{
	const struct report *report = firefox->report;

	return &report->stat->binaries
	                .items[report->names->functions[shared->libraries[index]].binary];
}

static const char *library_name(const struct firefox_tables *shared, const struct firefox *firefox,
                                size_t index)
{
	const struct strings *strings = firefox->report->stat->strings;

	return path_base(strings_get(strings, library_at(shared, firefox, index)->name));
}

static void print_resource_table(const struct firefox_tables *shared, struct firefox *firefox)
{
	const size_t count = shared->library_count;
	FILE *out = firefox->out;

	fprintf(out, ",\n\"resourceTable\":{\"length\":%zu", count);
	PRINT_LIST(out, "lib", count, "%zu", i);
	PRINT_LIST(
		out, "name", count, "%" PRIu32,
		strings_put_text(&firefox->texts, library_name(shared, firefox, i), firefox->err));
	PRINT_LIST(out, "host", count, "%s", "null");
	PRINT_LIST(out, "type", count, "%d", 1); /* a library */
	fputc('}', out);
}

void firefox_print_shared(const struct firefox_tables *shared, struct firefox *firefox)
{
	FILE *out = firefox->out;

	fputs(",\n\"shared\":{", out);
	print_stack_table(shared, firefox);
	print_frame_table(shared, firefox);
	print_func_table(shared, firefox);
	print_resource_table(shared, firefox);
	fputs(",\n\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],"
	      "\"functionSize\":[]}",
	      out);
	fprintf(out, ",\n\"sources\":{\"length\":%zu", shared->source_count);
	PRINT_LIST(out, "id", shared->source_count, "%s", "null");
	PRINT_LIST(out, "filename", shared->source_count, "%" PRIu32, shared->sources[i]);
	fputs("},\n\"stringArray\":[", out);
	for (size_t i = 0; i < firefox->texts.count; i++) {
		fputs(i ? ",\n" : "", out);
		print_json_shown(out, strings_get(&firefox->texts, (uint32_t)i));
	}
	fputs("]}", out);
}

/*
 * The id by which symbol servers know a file: the first 16 bytes of the build id as a GUID, whose
 * first three parts are little-endian, and an age of 0. text has room for 34 bytes.
 */
static void format_breakpad_id(const struct build_id *id, char *text)
{
	static const uint8_t order[GUID_BYTES] = { 3, 2, 1,  0,  5,  4,  7,  6,
		                                   8, 9, 10, 11, 12, 13, 14, 15 };

	for (size_t i = 0; i < GUID_BYTES; i++)
		text += snprintf(text, 3, "%02X", order[i] < id->size ? id->bytes[order[i]] : 0);
	memcpy(text, "0", 2);
}

void firefox_print_libs(const struct firefox_tables *shared, const struct firefox *firefox)
{
	const char *arch = facts_value(firefox->report->facts, PERF_FEATURE_ARCH);
	FILE *out = firefox->out;

	fputs(",\n\"libs\":[", out);
	for (size_t i = 0; i < shared->library_count; i++) {
		const struct binary *binary = library_at(shared, firefox, i);
		const char *path = strings_get(firefox->report->stat->strings, binary->name);
		char hex[2 * PERF_BUILD_ID_SIZE + 1], breakpad[2 * GUID_BYTES + 2];

		build_id_format(&binary->build_id, hex);
		format_breakpad_id(&binary->build_id, breakpad);
		fputs(i ? ",\n{\"arch\":" : "{\"arch\":", out);
		print_json_shown(out, arch ? arch : "");
		fputs(",\"name\":", out);
		print_json_shown(out, path_base(path));
		fputs(",\"debugName\":", out);
		print_json_shown(out, path_base(path));
		fputs(",\"path\":", out);
		print_json_shown(out, path);
		fputs(",\"debugPath\":", out);
		print_json_shown(out, path);
		fprintf(out, ",\"breakpadId\":\"%s\",\"codeId\":", breakpad);
		fprintf(out, binary->build_id.size ? "\"%s\"}" : "null}", hex);
	}
	fputc(']', out);
}

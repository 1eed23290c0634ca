#include "decode/exports/page.h"

#include "decode/exports/flame.h"
#include "decode/exports/pagestatic.h"
#include "decode/exports/verdicttext.h"
#include "decode/tables/about.h"
#include "decode/tables/eventfile.h"
#include "decode/tables/version.h"
#include "page_css.h"
#include "page_js.h"
#include "util/csv.h"
#include "util/deflate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define KINDS 8 /* a node is its function * KINDS + its kind */

_Static_assert(FLAME_KINDS <= KINDS, "a kind fits beside the function");

struct page {
	FILE *out;
	const struct page_request *request;
	const struct report *report;
	struct page_samples samples;
	struct page_tree tree;
	struct err *err;
};

/* --- pieces of data */

static bool print_data(const struct page *page, const char *name, const void *data, size_t size)
{
	const bool pack = deflate_can();
	uint8_t *packed = NULL;
	size_t packed_size = size;

	if (pack && !deflate_zlib(data, size, &packed, &packed_size, page->err))
		return false;
	fprintf(page->out, "<script type=\"text/plain\" id=\"%s\" data-packed=\"%s\">", name,
	        pack ? "zlib" : "no");
	print_base64(page->out, pack ? packed : data, packed_size);
	fputs("</script>\n", page->out);
	free(packed);
	return true;
}

static bool print_column(const struct page *page, const char *name,
                         const struct page_column *column)
{
	return print_data(page, name, column->bytes, column->size);
}

/* Prints the column, unless something failed before, and releases it. */
static void end_column(const struct page *page, const char *name, struct page_column *column)
{
	if (page->err->code == ERR_NONE)
		print_column(page, name, column);
	free(column->bytes);
}

static void put(const struct page *page, struct page_column *column, uint64_t number)
{
	if (page->err->code == ERR_NONE)
		page_column_put(column, number, page->err);
}

/* The number of a text, which is added if it is new. */
static void put_text(struct page *page, struct page_column *column, uint32_t string)
{
	if (page->err->code == ERR_NONE)
		put(page, column, page_tree_text(&page->tree, string, page->err));
}

/* --- what the data are */

static void print_event(FILE *out, const struct report *report, uint32_t event)
{
	const uint32_t number = event < report->session->event_count ? event : EVENT_UNKNOWN;
	const struct event_totals *totals = buildstat_totals(report->stat, number);

	fputs(event ? ",{\"name\":\"" : "{\"name\":\"", out);
	print_escaped(out, TEXT_JSON, buildstat_event_name(report->session, number));
	fprintf(out,
	        "\",\"clock\":%s,\"samples\":%" PRIu64 ",\"period\":%" PRIu64 ",\"lost\":%" PRIu64
	        "}",
	        report_event_is_clock(report, number) ? "true" : "false", totals->samples,
	        totals->period, totals->lost);
}

static void print_about(FILE *out, const struct page *page)
{
	const struct report *report = page->report;
	const struct page_samples *samples = &page->samples;
	const struct read_summary *summary = report->summary;
	const bool timed = summary->first_time != TIME_NONE;

	fputs("{\"readperf\":\"" READPERF_VERSION "\",\"file\":\"", out);
	print_escaped(out, TEXT_JSON, report->about->file);
	fprintf(out,
	        "\",\"recording\":\"%s\",\"chains\":%s,\"timed\":%s,\"first\":\"%" PRIu64
	        "\",\"duration\":%" PRIu64 ",\"unit\":%" PRIu64
	        ",\"sliced\":%s,\"rows\":%zu,\"untimed\":%zu,\"places\":%s,\"events\":[",
	        report->about->recording, report->totals->chains ? "true" : "false",
	        timed ? "true" : "false", samples->first,
	        timed ? summary->last_time - summary->first_time : 0, samples->unit,
	        samples->sliced ? "true" : "false", samples->count, samples->untimed,
	        page->request->places ? "true" : "false");
	for (uint32_t i = 0; i <= report->session->event_count; i++)
		print_event(out, report, i);
	fputs("]}\n", out);
}

static bool print_about_data(const struct page *page)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	bool ok;

	if (!out)
		return err_errno(page->err, "cannot make a page");
	print_about(out, page);
	ok = fclose(out) == 0 || err_nomem(page->err, size);
	ok = ok && print_data(page, "about", text, size);
	free(text);
	return ok;
}

/* --- samples */

static void print_threads(struct page *page)
{
	const struct page_samples *samples = &page->samples;
	struct page_column pid = { 0 }, tid = { 0 }, comm = { 0 };

	for (size_t i = 0; i < samples->threads.count; i++) {
		const struct page_thread *thread = tuples_get(&samples->threads, i);

		put(page, &pid, page_signed(thread->pid));
		put(page, &tid, page_signed(thread->tid));
		put_text(page, &comm, thread->comm);
	}
	end_column(page, "threads.pid", &pid);
	end_column(page, "threads.tid", &tid);
	end_column(page, "threads.comm", &comm);
}

static void print_tasks(struct page *page)
{
	const struct page_samples *samples = &page->samples;
	struct page_column thread = { 0 }, cpu = { 0 }, event = { 0 };

	for (size_t i = 0; i < samples->tasks.count; i++) {
		const struct page_task *task = tuples_get(&samples->tasks, i);

		put(page, &thread, task->thread);
		put(page, &cpu, page_signed(task->cpu));
		put(page, &event, task->event);
	}
	end_column(page, "tasks.thread", &thread);
	end_column(page, "tasks.cpu", &cpu);
	end_column(page, "tasks.event", &event);
}

static bool print_samples(struct page *page)
{
	const struct page_samples *samples = &page->samples;
	struct page_column nodes = { 0 };

	print_threads(page);
	print_tasks(page);
	for (size_t i = 0; i < samples->count; i++)
		put(page, &nodes, page->tree.number[samples->nodes[i]]);
	end_column(page, "samples.node", &nodes);
	return page->err->code == ERR_NONE && print_column(page, "samples.time", &samples->time) &&
	       print_column(page, "samples.task", &samples->task) &&
	       print_column(page, "samples.weight", &samples->weight) &&
	       (!samples->sliced || print_column(page, "samples.count", &samples->samples)) &&
	       (!page->request->places || print_column(page, "samples.place", &samples->place));
}

/* --- names */

static void print_places(struct page *page)
{
	const struct page_samples *samples = &page->samples;
	struct page_column addr = { 0 }, file = { 0 }, line = { 0 }, function = { 0 };

	for (size_t i = 0; i < samples->places.count; i++) {
		const uint32_t number = *(const uint32_t *)tuples_get(&samples->places, i);
		const struct place_name *place = &page->report->names->places[number];

		put(page, &addr, place->link_addr);
		put_text(page, &file, place->file);
		put(page, &line, place->line);
		put(page, &function, page_tree_function(&page->tree, place->function, page->err));
	}
	end_column(page, "places.address", &addr);
	end_column(page, "places.file", &file);
	end_column(page, "places.line", &line);
	end_column(page, "places.function", &function);
}

static void print_nodes(struct page *page)
{
	const struct page_tree *tree = &page->tree;
	const struct strings *strings = page->report->stat->strings;
	struct page_column depth = { 0 }, function = { 0 };

	for (size_t i = 0; i < tree->count; i++) {
		const struct page_node *node = &tree->nodes[tree->order[i]];
		const uint32_t name = page_function_at(tree, node->function)->name;
		const enum flame_kind kind = node->kind == CALL_REMARK
		                                     ? FLAME_KINDS
		                                     : flame_kind_of_call(
							       (enum call_kind)node->kind,
							       strings_get(strings, name));

		put(page, &depth, node->depth);
		put(page, &function, (uint64_t)node->function * KINDS + kind);
	}
	end_column(page, "nodes.depth", &depth);
	end_column(page, "nodes.function", &function);
}

static void print_functions(struct page *page)
{
	struct page_column name = { 0 }, binary = { 0 }, file = { 0 };

	for (size_t i = 0; i < page->tree.functions.count; i++) {
		/* texts are added meanwhile, functions are not */
		const struct page_function *function = page_function_at(&page->tree, i);

		put_text(page, &name, function->name);
		put_text(page, &binary, function->binary);
		put_text(page, &file, function->file);
	}
	end_column(page, "functions.name", &name);
	end_column(page, "functions.binary", &binary);
	end_column(page, "functions.file", &file);
}

/* A text without control characters, and a line feed. False with err set. */
static bool append_text(struct page_column *texts, const char *text, struct err *err)
{
	const size_t length = strlen(text);
	char *end;

	if (!vec_reserve(&texts->bytes, texts->size + 4 * length + 1, &texts->capacity, 1, err))
		return false;
	end = format_escaped((char *)texts->bytes + texts->size, text, length);
	*end++ = '\n';
	texts->size = (size_t)(end - (char *)texts->bytes);
	return true;
}

static void print_texts(struct page *page)
{
	const struct strings *strings = page->report->stat->strings;
	struct page_column texts = { 0 };
	bool ok = true;

	for (size_t i = 0; ok && i < page->tree.texts.count; i++) {
		const uint32_t string = *(const uint32_t *)tuples_get(&page->tree.texts, i);

		ok = append_text(&texts, strings_get(strings, string), page->err);
	}
	end_column(page, "texts", &texts);
}

/* In this order, as the later ones have texts and functions that the earlier ones need. */
static bool print_all_data(struct page *page)
{
	if (!print_about_data(page) || !print_samples(page))
		return false;
	if (page->request->places)
		print_places(page);
	print_nodes(page);
	print_functions(page);
	print_texts(page);
	return page->err->code == ERR_NONE;
}

/* --- the page */

static void print_lines(FILE *out, const char *const *lines)
{
	for (; *lines; lines++)
		fputs(*lines, out);
}

static void print_head(FILE *out, const struct report *report)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
	      out);
	page_print_text(out, report->about->file);
	fputs(" - readperf</title>\n<style>\n", out);
	print_lines(out, page_css);
	fputs("</style>\n</head>\n<body>\n", out);
}

static bool print_still(const struct page *page)
{
	FILE *out = page->out;

	fputs("<header id=\"head\"><h1>readperf: ", out);
	page_print_text(out, page->report->about->file);
	fputs("</h1></header>\n<main id=\"main\">\n<section id=\"summary\">\n", out);
	page_print_summary(out, page->report, page->request->diag);
	fputs("</section>\n<section id=\"still\">\n", out);
	page_print_functions(out, page->report);
	if (!page_print_flame(out, &page->tree, &page->samples, page->err))
		return false;
	fputs("</section>\n</main>\n", out);
	return true;
}

static bool print_page(struct page *page)
{
	print_head(page->out, page->report);
	if (!print_still(page) || !print_all_data(page))
		return false;
	fputs("<script>\n", page->out);
	print_lines(page->out, page_js);
	fputs("</script>\n</body>\n</html>\n", page->out);
	return true;
}

bool page_print(FILE *out, const struct page_request *request, struct err *err)
{
	struct page page = {
		.out = out, .request = request, .report = request->report, .err = err
	};
	bool ok = page_samples_make(&page.samples, request->report, request->places, err) &&
	          page_tree_make(&page.tree, request->report, &page.samples, err) &&
	          print_page(&page);

	page_tree_release(&page.tree);
	page_samples_release(&page.samples);
	return ok;
}

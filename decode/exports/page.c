#include "decode/exports/page.h"

#include "decode/compare/comparison.h"
#include "decode/exports/pagecompare.h"
#include "decode/exports/pagedata.h"
#include "decode/exports/pagestatic.h"
#include "decode/tables/about.h"
#include "page_css.h"
#include "page_js.h"

struct page {
	FILE *out;
	const struct page_request *request;
	const struct report *report;
	struct page_samples samples;
	struct page_tree tree;
	struct err *err;
};

static void print_lines(FILE *out, const char *const *lines)
{
	for (; *lines; lines++)
		fputs(*lines, out);
}

/* What the page is called. */
static void print_name(FILE *out, const struct report *report)
{
	const struct comparison *comparison = report->comparison;

	if (report->title)
		page_print_text(out, report->title);
	else if (!comparison)
		page_print_text(out, report->about->file);
	else
		fprintf(out, "comparison of %zu runs", comparison->run_count);
}

static void print_head(FILE *out, const struct report *report)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
	      out);
	print_name(out, report);
	fputs(" - readperf</title>\n<style>\n", out);
	print_lines(out, page_css);
	fputs("</style>\n</head>\n<body>\n", out);
}

static bool print_still(const struct page *page)
{
	FILE *out = page->out;

	fputs("<header id=\"head\"><h1>readperf: ", out);
	print_name(out, page->report);
	fputs("</h1></header>\n<main id=\"main\">\n<section id=\"summary\">\n", out);
	page_print_summary(out, page->report, page->request->diag, page->request->verdicts);
	fputs("</section>\n<section id=\"still\">\n", out);
	if (page->report->comparison)
		page_print_verdicts(out, page->report->comparison);
	else
		page_print_functions(out, page->report);
	if (!page_print_flame(out, &page->tree, &page->samples, page->err))
		return false;
	fputs("</section>\n</main>\n", out);
	return true;
}

static bool print_page(struct page *page)
{
	const struct page_request *request = page->request;

	print_head(page->out, page->report);
	if (!print_still(page) ||
	    !page_data_print(page->out, &page->tree, &page->samples, request->instructions,
	                     request->threads, page->err))
		return false;
	fputs("<script>\n", page->out);
	print_lines(page->out, page_js);
	fputs("</script>\n</body>\n</html>\n", page->out);
	return true;
}

static bool make_data(struct page *page)
{
	const struct report *report = page->report;

	if (report->comparison)
		return page_compared_make(&page->samples, &page->tree, report, page->err);
	return page_samples_make(&page->samples, report, page->request->places, page->err) &&
	       page_tree_make(&page->tree, report, &page->samples, page->err);
}

bool page_print(FILE *out, const struct page_request *request, struct err *err)
{
	struct page page = {
		.out = out, .request = request, .report = request->report, .err = err
	};
	bool ok = make_data(&page) && print_page(&page);

	page_tree_release(&page.tree);
	page_samples_release(&page.samples);
	return ok;
}

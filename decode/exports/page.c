#include "decode/exports/page.h"

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

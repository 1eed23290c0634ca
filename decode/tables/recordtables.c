/* The descriptors of stat.csv and overview.csv; perffile/overview makes their rows. */
#include "decode/tables/tables.h"
#include "perffile/overview/overviewprinter.h"

static bool print_stat(struct table_writer *out, const struct report *report, struct err *err)
{
	(void)err;
	stat_print(out, report->summary);
	return true;
}

const struct table stat_table = {
	.format = &stat_format,
	.by_default = true,
	.print = print_stat,
};

const struct table overview_table = {
	.format = &overview_format,
	.by_default = true,
};

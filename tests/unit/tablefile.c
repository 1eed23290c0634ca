#include "tests/unit/tablefile.h"

#include "util/csvtable.h"

static int same_file(void *context, const char *name, struct err *err)
{
	(void)name, (void)err;
	return *(int *)context;
}

bool table_to_file(int fd, const struct table *table, const struct report *report, struct err *err)
{
	struct table_files files = { .context = &fd, .open = same_file };
	struct csv_tables csv_tables;
	struct table_writer out;
	bool ok;

	csv_tables_init(&csv_tables, &files, false);
	out = csv_tables_writer(&csv_tables);
	ok = out.kind->begin(out.context, table->format, err) && table->print(&out, report, err) &&
	     out.kind->end(out.context, err);
	out.kind->discard(out.context);
	return ok;
}

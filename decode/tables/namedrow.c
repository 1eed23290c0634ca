#include "decode/tables/namedrow.h"

static const struct named_row *named(const void *row)
{
	return row;
}

static const char *named_text(const void *row, uint32_t string)
{
	return strings_get(named(row)->report->stat->strings, string);
}

/* The build id in hex, in this room; NULL: it is not known. */
static const char *build_id_text(const struct buildstat *stat, uint32_t binary, char *text)
{
	const struct build_id *id = &stat->binaries.items[binary].build_id;

	build_id_format(id, text);
	return id->size ? text : NULL;
}

struct value named_period(const void *row)
{
	return value_u64(named(row)->period);
}

struct value named_samples(const void *row)
{
	return value_u64(named(row)->samples);
}

struct value named_percent(const void *row)
{
	return value_percent(named(row)->period,
	                     buildstat_totals(named(row)->report->stat, named(row)->event)->period);
}

struct value named_total_period(const void *row)
{
	return named(row)->total ? value_u64(named(row)->total->period) : value_none();
}

struct value named_total_samples(const void *row)
{
	return named(row)->total ? value_u64(named(row)->total->samples) : value_none();
}

struct value named_function(const void *row)
{
	return value_str(named_text(row, named(row)->function));
}

struct value named_binary(const void *row)
{
	return value_str(named_text(row, named(row)->binary));
}

struct value named_source_file(const void *row)
{
	return value_str(named_text(row, named(row)->file));
}

struct value named_line(const void *row)
{
	return value_if(named(row)->line != 0, value_u64(named(row)->line));
}

struct value named_address(const void *row)
{
	return value_address(named(row)->address);
}

struct value named_event(const void *row)
{
	return value_str(buildstat_event_name(named(row)->report->session, named(row)->event));
}

struct value named_symbols(const void *row)
{
	return value_str(symbol_origin_name(named(row)->origin));
}

struct value named_build_id(const void *row)
{
	return value_str(
		build_id_text(named(row)->report->stat, named(row)->build, named(row)->text));
}

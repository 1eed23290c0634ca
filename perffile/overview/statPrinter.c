/* stat.csv: how many records of each type. */
#include "perffile/overview/overviewPrinter.h"

#include "perffile/record/recordtypes.h"

#include <inttypes.h>
#include <stdio.h>

static void print_count(struct csv *csv, const struct record_count *count)
{
	char name[32];

	snprintf(name, sizeof(name), "UNKNOWN_%" PRIu32, count->type);
	csv_str(csv, record_type_name(count->type) ? record_type_name(count->type) : name);
	csv_u64(csv, count->count);
	csv_u64(csv, count->bytes);
	csv_end(csv);
}

void stat_print(struct csv *csv, const struct read_summary *summary)
{
	for (uint32_t type = 0; type < RECORD_TYPES; type++)
		if (record_type_name(type))
			print_count(csv, &summary->types[type]);
	for (uint32_t type = 0; type < RECORD_TYPES; type++)
		if (!record_type_name(type) && summary->types[type].count)
			print_count(csv, &summary->types[type]);
	for (size_t i = 0; i < summary->other_count; i++)
		print_count(csv, &summary->others[i]);
}

#include "decode/options/generate.h"

#include "decode/options/loaders.h"
#include "decode/tables/latencyformat.h"

static void print_loader(FILE *out, enum generated what, const struct table_set *set,
                         const struct group_tables *groups)
{
	const struct loader_place here = { .folder = NULL };
	struct latency_format latency;

	latency_format_init(&latency, group_tables_latency(groups));
	loader_print_head(out, what, NULL);
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		if (table_set_has(set, tables[i]) && !tables[i]->file && !tables[i]->several)
			loader_print(out, what,
			             tables[i] == &latency_table ? &latency.format
			                                         : tables[i]->format,
			             &here);
	for (unsigned i = 0; i < groups->count; i++) {
		struct group_format made;

		group_format_init(&made, &groups->items[i]);
		loader_print(out, what, &made.format, &here);
	}
}

void generate_print(FILE *out, enum generated what, const struct table_set *set,
                    const struct group_tables *groups)
{
	static void (*const others[GENERATE_COUNT])(FILE * out) = {
		[GENERATE_MAN] = man_print,
		[GENERATE_BASH] = bash_print,
		[GENERATE_ZSH] = zsh_print,
		[GENERATE_FISH] = fish_print,
	};

	if (is_loader(what))
		print_loader(out, what, set, groups);
	else
		others[what](out);
}

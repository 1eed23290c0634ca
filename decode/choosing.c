#include "decode/choosing.h"

/* Functions are selected by their names, so samples are counted in groups until there are some. */
static bool selects_functions(const struct options *options)
{
	return options->select.fields[SELECT_FUNCTION].count != 0;
}

bool choosing_needs_names(const struct options *options)
{
	return selects_functions(options) ||
	       group_tables_keys(&options->groups) >> KEY_SAMPLE_END != 0;
}

bool choosing_needs_times(const struct options *options)
{
	return select_request_needs_times(&options->select) ||
	       group_tables_keys(&options->groups) >> KEY_TIME & 1;
}

bool choosing_begin(const struct options *options, struct buildstat *stat, struct err *err)
{
	struct choice_options how = { .request = &options->select, .slice = options->groups.slice };

	for (unsigned i = 0; i < options->groups.count; i++) {
		unsigned keys = group_table_keys(&options->groups.items[i]);

		if (keys >> KEY_SAMPLE_END || selects_functions(options))
			how.keys |= keys;
		else
			how.apart_keys |= keys;
	}
	if (!options->groups.count && select_request_is_empty(&options->select))
		return true;
	/* processes.csv then counts only the samples of these functions */
	if (selects_functions(options))
		how.keys |= 1u << KEY_PROCESS;
	return buildstat_choose(stat, &how, err);
}

bool choosing_end(const struct options *options, const struct buildstat *stat, struct diag *diag,
                  struct err *err)
{
	if (select_request_is_empty(&options->select))
		return true;
	selection_report(&stat->choice.selection, diag);
	for (size_t i = 0; i < stat->total_count; i++)
		if (stat->totals[i].selected_samples)
			return true;
	return err_set(err, ERR_FORMAT, "the selection leaves no sample");
}

#include "decode/naming/functionselect.h"

#include <stdlib.h>

bool functions_select(struct buildstat *stat, const struct place_names *names, struct err *err)
{
	struct selection *selection = &stat->choice.selection;
	bool *keep = malloc(names->place_count + 1);
	bool ok;

	if (!keep)
		return err_nomem(err, names->place_count);
	for (size_t i = 0; i < names->place_count; i++)
		keep[i] = selection_function_passes(
			selection, names->functions[names->places[i].function].name, err);
	ok = err->code == ERR_NONE && buildstat_keep(stat, keep, err);
	free(keep);
	return ok;
}

/*
 * Names the places after the last record: each place once, binary by binary, in ascending order.
 *
 * In:  the counted samples (struct buildstat).
 * Out: the name of each place (struct place_names). Tables are projections of the cells by these
 * names: results.h, grouprows.h.
 */
#ifndef READPERF_DECODE_NAMING_NAMING_H
#define READPERF_DECODE_NAMING_NAMING_H

#include "decode/tally/buildstat.h"
#include "decode/naming/lookup.h"
#include "decode/naming/placenames.h"

struct naming_options {
	struct lookup_options lookup; /* its fields about the recording are set here */
	bool raw_names;               /* --no-demangle */
	bool parameters;              /* C++ functions with their parameters */
	unsigned threads;             /* how many may be used */
};

/*
 * Settles the cells of stat and names its places. False with err set when memory is refused;
 * place_names_release() must be called in any case.
 */
bool naming_run(struct place_names *names, struct buildstat *stat,
                const struct naming_options *options, struct diag *diag, struct err *err);

/*
 * Names more places of the same recording after naming_run(), which has given all warnings: see
 * placelist.h. place_names_release() must be called in any case.
 */
bool naming_run_places(struct place_names *names, struct buildstat *stat,
                       const struct places *places, const struct naming_options *options,
                       struct err *err);
/*
 * The user's options with what lookups need of the recording; check err. cache: all zeros, for
 * symbol_cache_release().
 */
struct lookup_options naming_lookup_options(const struct lookup_options *wanted,
                                            const struct buildstat *stat,
                                            struct symbol_cache *cache, struct err *err);

/*
 * Removes the cells of all functions but those that were asked for, once places have been named.
 * False with err set when memory is refused.
 */
bool functions_select(struct buildstat *stat, const struct place_names *names, struct err *err);

#endif

#include "decode/naming/naming.h"

#include "decode/symbols/demangle.h"
#include "decode/symbols/kernel.h"
#include "decode/symbols/symbolpack.h"
#include "perffile/session/features.h"
#include "perffile/session/simpleperf.h"
#include "perffile/session/tracingdata.h"
#include "util/tuples.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

struct naming {
	struct place_names *names;
	struct buildstat *stat;
	const struct places *places;
	const struct naming_options *options;
	struct diag *diag;
	struct err *err;
	uint32_t unknown; /* string */
	/* The current binary. */
	const struct lookup *lookup;
	uint32_t binary_number;
	uint32_t first_function; /* its first function among all */
	uint32_t *shared; /* string of the lookup -> string of the recording; STRING_NONE: not
	                     converted yet */
	size_t packed;    /* number of binaries with names from the pack */
	size_t cell;      /* the first one of later binaries */
	/* of an inlined function: name, string of the lookup, << 32 | file -> its number */
	struct map inlined;
};

void place_names_release(struct place_names *names)
{
	free(names->functions);
	free(names->places);
	free(names->frames);
	memset(names, 0, sizeof(*names));
}

/* The string of a name as it is printed. */
static uint32_t shown_name(struct naming *naming, const char *raw)
{
	const enum binary_kind kind = naming->lookup->binary->kind;
	struct strings *strings = naming->stat->strings;
	uint32_t shown;
	char *readable;

	/* the kernel is written in C: its names may look mangled, but are not */
	if (naming->options->raw_names || kind == BINARY_KERNEL || kind == BINARY_MODULE ||
	    kind == BINARY_KSYMBOL)
		return strings_put_text(strings, raw, naming->err);
	readable = symbol_demangle(raw, naming->options->parameters);
	if (!readable) {
		err_nomem(naming->err, strlen(raw));
		return STRING_NONE;
	}
	shown = strings_put_text(strings, readable, naming->err);
	free(readable);
	return shown;
}

/* Converts a string of the lookup to one of the recording. */
static uint32_t shared_text(struct naming *naming, uint32_t number)
{
	if (naming->shared[number] == STRING_NONE)
		naming->shared[number] = strings_put_text(
			naming->stat->strings, strings_get(&naming->lookup->strings, number),
			naming->err);
	return naming->shared[number];
}

/* The number of a new function, or MAP_NONE. */
static uint32_t add_function(struct naming *naming, const struct function_name *function)
{
	struct place_names *names = naming->names;

	return vec_append(&names->functions, &names->function_count, &names->function_capacity,
	                  function, sizeof(*function), naming->err)
	               ? (uint32_t)names->function_count - 1
	               : MAP_NONE;
}

/* Adds the functions of the lookup to those of the recording. */
static bool take_functions(struct naming *naming)
{
	const struct lookup *lookup = naming->lookup;
	bool packed = false;

	for (size_t i = 0; i < lookup->function_count; i++) {
		const struct lookup_function *found = &lookup->functions[i];
		struct function_name function = found->named;

		naming->names->symbols += found->has_symbol;
		packed |= found->packed;
		function.binary = naming->binary_number;
		function.name = !found->has_symbol ? naming->unknown
		                : found->packed    ? shared_text(naming, function.name)
		                                : shown_name(naming, strings_get(&lookup->strings,
		                                                                 function.name));
		function.file = shared_text(naming, function.file);
		if (lookup->binary->stands_for_state) {
			function.name = lookup->binary->name;
			function.origin = ORIGIN_STATE;
		}
		if (function.name == STRING_NONE || function.file == STRING_NONE ||
		    add_function(naming, &function) == MAP_NONE)
			return false;
	}
	naming->packed += packed;
	return true;
}

/* The number of an inlined function, or MAP_NONE. outer: the function that it was inlined into. */
static uint32_t inlined_function(struct naming *naming, const struct source_frame *frame,
                                 uint32_t outer)
{
	const bool has_file = naming->options->lookup.sources;
	struct function_name function = { .binary = naming->binary_number,
		                          .file = naming->names->functions[outer].file,
		                          .origin = ORIGIN_INLINE };
	const uint64_t key = (uint64_t)frame->function << 32 |
	                     (has_file ? frame->decl_file : function.file);
	uint32_t number = map_get(&naming->inlined, key);

	if (number != MAP_NONE)
		return number;
	function.name = frame->function == STRING_EMPTY
	                        ? naming->unknown
	                        : shown_name(naming, strings_get(&naming->lookup->strings,
	                                                         frame->function));
	if (has_file)
		function.file = shared_text(naming, frame->decl_file);
	if (function.name == STRING_NONE || function.file == STRING_NONE)
		return MAP_NONE;
	number = add_function(naming, &function);
	return number != MAP_NONE && map_put(&naming->inlined, key, number, naming->err) ? number
	                                                                                 : MAP_NONE;
}

/* Adds the functions inlined at a place; the innermost receives its samples. */
static bool take_frames(struct naming *naming, const struct source_addr *where,
                        struct place_name *place)
{
	const struct source_frame *frames = naming->lookup->query.frames + where->frame;
	struct place_names *names = naming->names;
	uint32_t outer = place->function;

	/* the last frame is the function itself, whose symbol has the better name */
	if (where->frame_count < 2 || frames->function == STRING_EMPTY)
		return true;
	place->frames = (uint32_t)names->frame_count;
	for (uint32_t i = 0; i < where->frame_count; i++) {
		bool last = i == where->frame_count - 1;
		struct frame_name frame = { .line = frames[i].line, .outermost = last };

		frame.function = last ? outer : inlined_function(naming, &frames[i], outer);
		frame.file = shared_text(naming, frames[i].file);
		if (frame.function == MAP_NONE || frame.file == STRING_NONE ||
		    !vec_append(&names->frames, &names->frame_count, &names->frame_capacity, &frame,
		                sizeof(frame), naming->err))
			return false;
	}
	place->function = names->frames[place->frames].function;
	return true;
}

/* Stores the results of the lookup for its addresses. */
static bool take_places(struct naming *naming)
{
	const struct lookup *lookup = naming->lookup;

	for (size_t i = 0; i < lookup->count; i++) {
		struct place_name *place = &lookup->places[i];
		const struct source_addr *where = lookup_line(lookup, i);

		place->function += naming->first_function;
		place->file = where ? shared_text(naming, where->file) : STRING_EMPTY;
		place->line = where ? where->line : 0;
		place->frames = PLACE_NO_FRAMES;
		if (place->file == STRING_NONE || (naming->options->lookup.inlines && where &&
		                                   !take_frames(naming, where, place)))
			return false;
	}
	return true;
}

/* The samples at the addresses of the lookup; cells are sorted by place. */
static uint64_t next_samples(struct naming *naming, const struct lookup *lookup)
{
	const struct cells *cells = &naming->stat->cells;
	const size_t end = (size_t)(lookup->places - naming->names->places) + lookup->count;
	uint64_t samples = 0;

	for (; naming->cell < cells->count && cell_place(&cells->items[naming->cell]) < end;
	     naming->cell++)
		samples += cells->items[naming->cell].samples;
	return samples;
}

static bool take_lookup(struct naming *naming, const struct lookup *lookup)
{
	const size_t count = lookup->strings.count;
	bool ok;

	naming->lookup = lookup;
	naming->binary_number = (uint32_t)(lookup->binary - naming->stat->binaries.items);
	naming->first_function = (uint32_t)naming->names->function_count;
	naming->names->binaries++;
	naming->stat->binaries.items[naming->binary_number].build_id = lookup->build_id;
	naming->shared = vec_new(count, sizeof(*naming->shared), naming->err);
	if (!naming->shared)
		return false;
	memset(naming->shared, 0xff, count * sizeof(*naming->shared));
	ok = take_functions(naming) && take_places(naming);
	diag_replay(naming->diag, &lookup->diag, next_samples(naming, lookup));
	free(naming->shared);
	map_release(&naming->inlined);
	return ok;
}

/* Makes a lookup for each binary with places. False with err set when memory is refused. */
static bool make_lookups(struct naming *naming, struct lookups *lookups)
{
	const struct places *places = naming->places;

	naming->names->places = vec_new(places->count, sizeof(struct place_name), naming->err);
	lookups->items = vec_new(places->range_count, sizeof(*lookups->items), naming->err);
	if (!naming->names->places || !lookups->items)
		return false;
	naming->names->place_count = places->count;
	for (size_t i = 0; i < places->range_count; i++) {
		const struct place_range *range = &places->ranges[i];

		lookups->items[lookups->count++] = (struct lookup){
			.binary = &naming->stat->binaries.items[range->binary],
			.addrs = places->addrs + range->first,
			.places = naming->names->places + range->first,
			.count = range->count
		};
	}
	return true;
}

/* After the last function: finds those with the same name and file in binaries of one name. */
static bool find_alike(struct place_names *names, const struct binaries *binaries, struct err *err)
{
	uint32_t *first = vec_new(names->function_count, sizeof(*first), err); /* by row */
	struct tuples rows;
	bool ok = first;

	tuples_init(&rows, 3 * sizeof(uint32_t));
	for (uint32_t i = 0; ok && i < names->function_count; i++) {
		struct function_name *function = &names->functions[i];
		const uint32_t row[3] = { binaries->items[function->binary].name, function->name,
			                  function->file };
		const size_t count = rows.count;
		const uint32_t number = tuples_put(&rows, row, err);

		ok = number != MAP_NONE;
		if (number == count)
			first[number] = i;
		function->alike = ok ? first[number] : 0;
	}
	tuples_release(&rows);
	free(first);
	return ok;
}

static bool name_all(struct naming *naming, const struct lookup_options *how)
{
	struct buildstat *stat = naming->stat;
	struct lookups lookups = { .options = *how,
		                   .names = stat->strings,
		                   .threads = naming->options->threads };
	bool ok = make_lookups(naming, &lookups) && lookups_run(&lookups, naming->err);

	for (size_t i = 0; i < lookups.count; i++) {
		ok = ok && take_lookup(naming, &lookups.items[i]);
		lookup_release(&lookups.items[i]);
	}
	free(lookups.items);
	return ok && find_alike(naming->names, &stat->binaries, naming->err);
}

struct lookup_options naming_lookup_options(const struct lookup_options *wanted,
                                            const struct buildstat *stat,
                                            struct symbol_cache *cache, struct err *err)
{
	struct lookup_options how = *wanted;
	struct tracing_data tracing;

	how.symbols.osrelease = feature_text(stat->session, PERF_FEATURE_OSRELEASE);
	/* the session owns its text */
	if (session_tracing_data(stat->session, &tracing, err)) {
		how.symbols.recorded_list = tracing.kallsyms;
		how.symbols.recorded_list_size = tracing.kallsyms_size;
	}
	tracing_data_release(&tracing);
	if (!how.symbols.recorded_list) {
		how.symbols.recorded_list = stat->session->stored_names.kernel_list;
		how.symbols.recorded_list_size = stat->session->stored_names.kernel_list_size;
	}
	how.symbols.recorded_files = session_recorded_files(stat->session, err);
	file_options_complete(&how.symbols.files,
	                      feature_text(stat->session, PERF_FEATURE_HOSTNAME),
	                      how.symbols.osrelease);
	how.symbols.files.want_debug = how.sources || how.lines || how.inlines;
	how.symbols.cache = cache;
	if (stat->mappings.kernel_binary != UINT32_MAX)
		how.symbols.kernel = &stat->binaries.items[stat->mappings.kernel_binary];
	return how;
}

/* Warns of what the pack that was given could not be used for. */
static void remark_on_pack(const struct naming *naming, const struct symbol_options *symbols)
{
	const struct lookup_options *lookup = &naming->options->lookup;
	size_t unusable = symbol_pack_unusable(symbols->pack);

	if (!naming->packed)
		diag_warn(
			naming->diag, ERR_NO_OFFSET,
			"--symbol-pack=%s: it has no function of any build id that was sampled here",
			symbols->pack_path);
	if (unusable)
		diag_warn(
			naming->diag, ERR_NO_OFFSET,
			"--symbol-pack=%s: functions of binaries without a build id, which are not used: %zu",
			symbols->pack_path, unusable);
	if (naming->packed && lookup->lines)
		diag_warn(
			naming->diag, ERR_NO_OFFSET,
			"--symbol-pack=%s: it has no lines of addresses, which are left empty; binaries that it names: %zu",
			symbols->pack_path, naming->packed);
	if (naming->packed && lookup->inlines)
		diag_warn(
			naming->diag, ERR_NO_OFFSET,
			"--symbol-pack=%s: it has no inlined functions, whose samples count for the functions around them; binaries that it names: %zu",
			symbols->pack_path, naming->packed);
}

/* Reports what is wrong with the jitdump files that code with places is from. */
static void report_jitdumps(struct buildstat *stat, struct diag *diag)
{
	for (size_t i = 0; i < stat->places.range_count; i++)
		run_time_code_report(&stat->code,
		                     &stat->binaries.items[stat->places.ranges[i].binary], diag);
}

bool naming_run(struct place_names *names, struct buildstat *stat,
                const struct naming_options *options, struct diag *diag, struct err *err)
{
	struct naming naming = { .names = names,
		                 .stat = stat,
		                 .places = &stat->places,
		                 .options = options,
		                 .diag = diag,
		                 .err = err };
	struct symbol_cache cache = { .searched = false };
	struct lookup_options how;
	bool ok;

	memset(names, 0, sizeof(*names));
	naming.unknown = strings_put_text(stat->strings, "[unknown]", err);
	ok = err->code == ERR_NONE &&
	     settle_places(&stat->cells, stat->sums.wanted ? &stat->sums : NULL, stat->stacks,
	                   &stat->places, err);
	if (ok)
		report_jitdumps(stat, diag);
	how = naming_lookup_options(&options->lookup, stat, &cache, err);
	ok = ok && err->code == ERR_NONE && name_all(&naming, &how);
	if (ok && how.symbols.pack)
		remark_on_pack(&naming, &how.symbols);
	symbol_cache_release(&cache);
	return ok;
}

bool naming_run_places(struct place_names *names, struct buildstat *stat,
                       const struct places *places, const struct naming_options *options,
                       struct err *err)
{
	struct diag silent;
	struct naming naming = {
		.names = names,
		.stat = stat,
		.places = places,
		.options = options,
		.diag = &silent,
		.err = err,
		.cell = stat->cells.count /* samples only matter for warnings */
	};
	struct symbol_cache cache = { .searched = false };
	struct lookup_options how;
	bool ok;

	memset(names, 0, sizeof(*names));
	diag_init(&silent, NULL, NULL);
	naming.unknown = strings_put_text(stat->strings, "[unknown]", err);
	how = naming_lookup_options(&options->lookup, stat, &cache, err);
	ok = err->code == ERR_NONE && name_all(&naming, &how);
	symbol_cache_release(&cache);
	diag_release(&silent);
	return ok;
}

bool functions_select(struct buildstat *stat, const struct place_names *names, struct err *err)
{
	bool *keep = vec_new(names->place_count, sizeof(*keep), err);
	bool ok;

	if (!keep)
		return false;
	for (size_t i = 0; i < names->place_count; i++)
		keep[i] = selection_function_passes(
			&stat->choice.selection, names->functions[names->places[i].function].name,
			err);
	ok = err->code == ERR_NONE && buildstat_keep(stat, keep, err);
	free(keep);
	return ok;
}

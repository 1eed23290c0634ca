#include "decode/naming/naming.h"

#include "decode/naming/jittimes.h"
#include "decode/naming/lookups.h"
#include "decode/symbols/demangle.h"
#include "decode/symbols/kernel.h"
#include "util/csv.h"
#include "util/digits.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

struct naming {
	struct results *results;
	struct buildstat *stat;
	const struct naming_options *options;
	struct diag *diag;
	struct err *err;
	uint32_t unknown;     /* string */
	struct map demangled; /* raw name -> shown name, strings */
	/* the binary at work */
	const struct lookup *lookup;
	const struct binary *binary;
	uint32_t binary_name;
	uint32_t *shared; /* per string of the lookup: of the recording; STRING_NONE: not yet */
};

/* The number of the name as it is shown. */
static uint32_t shown_name(struct naming *naming, const char *raw)
{
	struct strings *strings = naming->stat->strings;
	uint32_t number = strings_put_text(strings, raw, naming->err), shown;
	char *readable;

	/* the kernel writes C: its names may look mangled, but are not */
	if (number == STRING_NONE || naming->options->raw_names ||
	    naming->binary->kind == BINARY_KERNEL || naming->binary->kind == BINARY_MODULE ||
	    naming->binary->kind == BINARY_KSYMBOL)
		return number;
	shown = map_get(&naming->demangled, number);
	if (shown != MAP_NONE)
		return shown;
	readable = symbol_demangle(raw);
	if (!readable) {
		err_nomem(naming->err, strlen(raw));
		return STRING_NONE;
	}
	shown = strings_put_text(strings, readable, naming->err);
	free(readable);
	if (shown == STRING_NONE || !map_put(&naming->demangled, number, shown, naming->err))
		return STRING_NONE;
	return shown;
}

/* The number that a text of the lookup has among all strings. */
static uint32_t shared_text(struct naming *naming, uint32_t number)
{
	if (naming->shared[number] == STRING_NONE)
		naming->shared[number] = strings_put_text(
			naming->stat->strings, strings_get(&naming->lookup->strings, number),
			naming->err);
	return naming->shared[number];
}

static uint64_t lookup_samples(const struct lookup *lookup)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < lookup->count; i++)
		samples += lookup->entries[i].samples;
	return samples;
}

/* How much of an event's period another file's names would have been given to. */
static void warn_mismatch(struct naming *naming, const struct tally_entry *entries, size_t count)
{
	const struct buildstat *stat = naming->stat;
	uint32_t event = stat->tally.targets[entries->target].event;
	uint64_t whole, part = 0, samples = lookup_samples(naming->lookup);
	const char *name;
	char percent[40];

	for (size_t i = 0; i < count; i++)
		if (stat->tally.targets[entries[i].target].event == event)
			part += entries[i].period;
	whole = event < stat->total_count ? stat->totals[event].period : stat->unknown.period;
	*format_percent(percent, part, whole, 2) = '\0';
	name = strings_get(stat->strings, naming->binary_name);
	diag_warn_about(naming->diag, (struct diag_about){ name, samples },
	                "%s is not the file that was recorded (its build id differs): not used, "
	                "%s %% of the period has no name for it",
	                name, percent);
}

static void note_unnamed(struct naming *naming, const struct unnamed *per_reason)
{
	for (size_t i = ORIGIN_FIRST_REASON; i < ORIGIN_COUNT; i++) {
		struct unnamed *unnamed = &naming->results->unnamed[i];

		unnamed->samples += per_reason[i].samples;
		unnamed->period += per_reason[i].period;
		if (per_reason[i].samples > unnamed->worst_samples) {
			unnamed->worst_samples = per_reason[i].samples;
			unnamed->worst = naming->binary_name;
		}
	}
}

/* The function that was inlined at this address, if it is asked for: its name and file. */
static bool take_inline(struct naming *naming, const struct source_addr *where,
                        struct result_row *row)
{
	const struct source_frame *frame;
	uint32_t name;

	/* the last frame is the function itself, which the symbol names better */
	if (!naming->options->lookup.inlines || !where || where->frame_count < 2)
		return true;
	frame = &naming->lookup->query.frames[where->frame];
	if (frame->function == STRING_EMPTY)
		return true;
	name = shown_name(naming, strings_get(&naming->lookup->strings, frame->function));
	if (name == STRING_NONE)
		return false;
	row->function = name;
	row->origin = ORIGIN_INLINE;
	if (naming->options->lookup.sources)
		row->file = shared_text(naming, frame->decl_file);
	return row->file != STRING_NONE;
}

/* function: string, as it is shown */
static bool add_entry(struct naming *naming, const struct tally_entry *entry,
                      const struct named *named, uint32_t function)
{
	const struct naming_options *options = naming->options;
	const struct source_addr *where = lookup_line(naming->lookup, named);
	uint32_t event = naming->stat->tally.targets[entry->target].event;
	struct result_row row = { .period = entry->period,
		                  .samples = entry->samples,
		                  .event = event,
		                  .binary = naming->binary_name,
		                  .function = function,
		                  .file = shared_text(naming, lookup_file(naming->lookup, named)),
		                  .origin = named->origin };
	struct place_row place;

	if (row.file == STRING_NONE || !take_inline(naming, where, &row) ||
	    !results_add(naming->results, &row, naming->err))
		return false;
	place = (struct place_row){ .period = row.period,
		                    .samples = row.samples,
		                    .event = event,
		                    .binary = row.binary,
		                    .function = row.function,
		                    .file = where ? shared_text(naming, where->file) : STRING_EMPTY,
		                    .line = where ? where->line : 0 };
	if (place.file == STRING_NONE ||
	    (options->lookup.lines &&
	     !results_add_place(&naming->results->lines, &place, naming->err)))
		return false;
	if (!options->addresses)
		return true;
	place.addr = named->link_addr;
	return results_add_place(&naming->results->addresses, &place, naming->err);
}

static bool add_entries(struct naming *naming, struct unnamed *per_reason)
{
	const struct lookup *lookup = naming->lookup;
	uint32_t raw = STRING_NONE, shown = naming->unknown;
	const struct named *named = lookup->named;

	for (size_t i = 0; i < lookup->count; i++) {
		const struct tally_entry *entry = &lookup->entries[i];

		while (named->addr != entry->addr)
			named++;
		if (!named->has_symbol) {
			raw = STRING_NONE;
			shown = naming->unknown;
		} else if (named->function != raw) {
			raw = named->function;
			shown = shown_name(naming, strings_get(&lookup->strings, raw));
		}
		per_reason[named->origin].samples += entry->samples;
		per_reason[named->origin].period += entry->period;
		naming->results->samples += entry->samples;
		naming->results->period += entry->period;
		if (shown == STRING_NONE || !add_entry(naming, entry, named, shown))
			return false;
	}
	return true;
}

/* Turns the answers about one binary into rows. */
static bool take_lookup(struct naming *naming, const struct lookup *lookup)
{
	struct unnamed per_reason[ORIGIN_COUNT] = { { 0 } };
	bool ok;

	naming->lookup = lookup;
	naming->binary = lookup->binary;
	naming->binary_name = lookup->binary->name;
	naming->shared = malloc(lookup->strings.count * sizeof(*naming->shared));
	if (!naming->shared)
		return err_nomem(naming->err, lookup->strings.count * sizeof(*naming->shared));
	memset(naming->shared, 0xff, lookup->strings.count * sizeof(*naming->shared));
	naming->results->binaries++;
	naming->results->functions += lookup->functions;
	naming->results->distinct += lookup->named_count;
	ok = add_entries(naming, per_reason);
	diag_replay(naming->diag, &lookup->diag, lookup_samples(lookup));
	if (lookup->reason == ORIGIN_BUILD_ID_MISMATCH && lookup->binary->kind == BINARY_FILE)
		warn_mismatch(naming, lookup->entries, lookup->count);
	note_unnamed(naming, per_reason);
	free(naming->shared);
	return ok;
}

/* One lookup for each binary with entries in the tally. False with err set when memory is refused. */
static bool make_lookups(struct naming *naming, struct lookups *lookups)
{
	const struct tally *tally = &naming->stat->tally;
	size_t capacity = 0;
	struct lookup *items;

	for (size_t i = 0, next; i < tally->count; i = next) {
		uint32_t binary = tally->targets[tally->entries[i].target].binary;

		for (next = i + 1; next < tally->count; next++)
			if (tally->targets[tally->entries[next].target].binary != binary)
				break;
		items = vec_grow(lookups->items, lookups->count, &capacity, sizeof(*items),
		                 naming->err);
		if (!items)
			return false;
		lookups->items = items;
		items[lookups->count++] = (struct lookup){
			.binary = &naming->stat->binaries.items[binary],
			.entries = tally->entries + i,
			.count = next - i
		};
	}
	return true;
}

static bool name_all(struct naming *naming, const struct lookup_options *how)
{
	struct buildstat *stat = naming->stat;
	struct lookups lookups = { .options = how,
		                   .tally = &stat->tally,
		                   .names = stat->strings,
		                   .threads = naming->options->threads,
		                   .meanwhile = naming->options->meanwhile,
		                   .context = naming->options->context };
	bool ok;

	ok = tally_group(&stat->tally, naming->err) && make_lookups(naming, &lookups) &&
	     lookups_run(&lookups, naming->err);
	for (size_t i = 0; i < lookups.count; i++) {
		ok = ok && take_lookup(naming, &lookups.items[i]);
		lookup_release(&lookups.items[i]);
	}
	free(lookups.items);
	return ok;
}

/* What lookups need of the recording, beside what the user wants. */
static struct lookup_options complete(const struct lookup_options *wanted,
                                      const struct buildstat *stat, struct symbol_cache *cache)
{
	struct lookup_options how = *wanted;

	how.symbols.osrelease = session_feature_text(stat->session, PERF_FEATURE_OSRELEASE);
	how.symbols.files.want_debug = how.sources || how.lines || how.inlines;
	how.symbols.cache = cache;
	if (stat->mappings.kernel_binary != UINT32_MAX)
		how.symbols.kernel = &stat->binaries.items[stat->mappings.kernel_binary];
	return how;
}

bool naming_run(struct results *results, struct buildstat *stat,
                const struct naming_options *options, struct diag *diag, struct err *err)
{
	struct naming naming = {
		.results = results, .stat = stat, .options = options, .diag = diag, .err = err
	};
	struct symbol_cache *cache = symbol_cache_new(err);
	struct lookup_options how;
	bool ok;

	results_init(results);
	map_init(&naming.demangled);
	naming.unknown = strings_put_text(stat->strings, "[unknown]", err);
	/* adds binaries: before anything points to one */
	ok = err->code == ERR_NONE && jit_times_place(stat, &options->lookup.symbols, diag, err);
	how = complete(&options->lookup, stat, cache);
	ok = ok && name_all(&naming, &how) && results_sort(results, stat->strings, err);
	symbol_cache_free(cache);
	map_release(&naming.demangled);
	return ok;
}

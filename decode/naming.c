#include "decode/naming.h"

#include "decode/lookup.h"
#include "util/csv.h"
#include "util/digits.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* Open-addressed index of rows by their key. */
struct row_index {
	uint32_t *slots; /* row + 1; 0: free */
	size_t capacity;
	uint64_t seed;
};

struct naming {
	struct results *results;
	struct buildstat *stat;
	const struct naming_options *options;
	struct diag *diag;
	struct err *err;
	uint32_t unknown;         /* string */
	struct row_index row_index, line_index;
	size_t last_row;          /* found last: the addresses of a function come one after the other */
	struct map demangled;     /* raw name -> shown name, strings */
	/* the binary at work */
	const struct lookup *lookup;
	const struct binary *binary;
	uint32_t binary_name;
	uint32_t *shared;         /* per string of the lookup: of the recording; STRING_NONE: not yet */
};

void results_release(struct results *results)
{
	free(results->rows);
	free(results->lines);
	free(results->addresses);
	memset(results, 0, sizeof(*results));
}

static bool index_grow(struct row_index *index, size_t count, struct err *err)
{
	if (count < index->capacity / 2)
		return true;
	free(index->slots);
	index->capacity = index->capacity ? 2 * index->capacity : 1024;
	index->slots = calloc(index->capacity, sizeof(*index->slots));
	if (!index->slots) {
		index->capacity = 0;
		return err_nomem(err, 2 * count * sizeof(*index->slots));
	}
	return true;
}

static void index_put(struct row_index *index, uint64_t hash, uint32_t row)
{
	size_t slot = hash & (index->capacity - 1);

	while (index->slots[slot])
		slot = (slot + 1) & (index->capacity - 1);
	index->slots[slot] = row + 1;
}

static uint64_t result_hash(const struct result_row *row, uint64_t seed)
{
	return hash_pair(seed, (uint64_t)row->event << 32 | row->binary,
	                 (uint64_t)row->function << 32 | row->file);
}

static uint64_t line_hash(const struct place_row *row, uint64_t seed)
{
	uint64_t hash = hash_pair(seed, (uint64_t)row->event << 32 | row->binary,
	                          (uint64_t)row->function << 32 | row->file);

	return hash_pair(seed, hash, row->line);
}

static bool same_result(const struct result_row *a, const struct result_row *b)
{
	return a->event == b->event && a->binary == b->binary && a->function == b->function &&
	       a->file == b->file;
}

static struct result_row *find_result(struct naming *naming, const struct result_row *wanted)
{
	const struct row_index *index = &naming->row_index;
	struct result_row *rows = naming->results->rows;
	size_t slot;

	if (naming->last_row < naming->results->row_count && same_result(&rows[naming->last_row], wanted))
		return &rows[naming->last_row];
	slot = result_hash(wanted, index->seed) & (index->capacity - 1);
	for (; index->slots[slot]; slot = (slot + 1) & (index->capacity - 1)) {
		naming->last_row = index->slots[slot] - 1;
		if (same_result(&rows[naming->last_row], wanted))
			return &rows[naming->last_row];
	}
	return NULL;
}

static bool add_result(struct naming *naming, const struct result_row *added)
{
	struct results *results = naming->results;
	size_t capacity = naming->row_index.capacity;
	struct result_row *row, *rows;

	if (!index_grow(&naming->row_index, results->row_count, naming->err))
		return false;
	for (size_t i = 0; capacity != naming->row_index.capacity && i < results->row_count; i++)
		index_put(&naming->row_index, result_hash(&results->rows[i], naming->row_index.seed),
		          (uint32_t)i);
	row = find_result(naming, added);
	if (row) {
		/* a function may be named from several tables: the one of most samples is told */
		if (added->samples > row->samples)
			row->origin = added->origin;
		row->samples += added->samples;
		row->period += added->period;
		return true;
	}
	rows = vec_grow(results->rows, results->row_count, &results->row_capacity, sizeof(*rows),
	                naming->err);
	if (!rows)
		return false;
	results->rows = rows;
	rows[results->row_count] = *added;
	naming->last_row = results->row_count++;
	index_put(&naming->row_index, result_hash(added, naming->row_index.seed), (uint32_t)naming->last_row);
	return true;
}

static bool add_line(struct naming *naming, const struct place_row *added)
{
	struct results *results = naming->results;
	struct row_index *index = &naming->line_index;
	size_t capacity = index->capacity, slot;
	struct place_row *lines;

	if (!index_grow(index, results->line_count, naming->err))
		return false;
	for (size_t i = 0; capacity != index->capacity && i < results->line_count; i++)
		index_put(index, line_hash(&results->lines[i], index->seed), (uint32_t)i);
	slot = line_hash(added, index->seed) & (index->capacity - 1);
	for (; index->slots[slot]; slot = (slot + 1) & (index->capacity - 1)) {
		struct place_row *row = &results->lines[index->slots[slot] - 1];

		if (row->event == added->event && row->binary == added->binary &&
		    row->function == added->function && row->file == added->file &&
		    row->line == added->line) {
			row->samples += added->samples;
			row->period += added->period;
			return true;
		}
	}
	lines = vec_grow(results->lines, results->line_count, &results->line_capacity,
	                 sizeof(*lines), naming->err);
	if (!lines)
		return false;
	results->lines = lines;
	lines[results->line_count] = *added;
	index_put(index, line_hash(added, index->seed), (uint32_t)results->line_count++);
	return true;
}

static bool add_address(struct naming *naming, const struct place_row *added)
{
	struct results *results = naming->results;
	struct place_row *rows = vec_grow(results->addresses, results->address_count,
	                                  &results->address_capacity, sizeof(*rows), naming->err);

	if (!rows)
		return false;
	results->addresses = rows;
	rows[results->address_count++] = *added;
	return true;
}

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
		naming->shared[number] =
			strings_put_text(naming->stat->strings,
		                         strings_get(&naming->lookup->strings, number), naming->err);
	return naming->shared[number];
}

/* How much of an event's period another file's names would have been given to. */
static void warn_mismatch(struct naming *naming, const struct tally_entry *entries, size_t count)
{
	const struct buildstat *stat = naming->stat;
	uint32_t event = stat->tally.targets[entries->target].event;
	uint64_t whole, part = 0;
	char percent[40];

	for (size_t i = 0; i < count; i++)
		if (stat->tally.targets[entries[i].target].event == event)
			part += entries[i].period;
	whole = event < stat->total_count ? stat->totals[event].period : stat->unknown.period;
	*format_percent(percent, part, whole, 2) = '\0';
	diag_warn(naming->diag, ERR_NO_OFFSET,
	          "%s is not the file that was recorded (its build id differs): not used, %s %% of "
	          "the period has no name for it",
	          strings_get(stat->strings, naming->binary_name), percent);
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
	if (!naming->options->inlines || !where || where->frame_count < 2)
		return true;
	frame = &naming->lookup->query.frames[where->frame];
	if (frame->function == STRING_EMPTY)
		return true;
	name = shown_name(naming, strings_get(&naming->lookup->strings, frame->function));
	if (name == STRING_NONE)
		return false;
	row->function = name;
	row->origin = ORIGIN_INLINE;
	if (naming->options->sources)
		row->file = shared_text(naming, frame->decl_file);
	return row->file != STRING_NONE;
}

/* function: string, as it is shown */
static bool add_entry(struct naming *naming, const struct tally_entry *entry,
                      const struct named *named, uint32_t function)
{
	const struct naming_options *options = naming->options;
	const struct source_addr *where = lookup_line(naming->lookup, named->link_addr);
	uint32_t event = naming->stat->tally.targets[entry->target].event;
	struct result_row row = { entry->period, entry->samples, event, naming->binary_name, function,
		                  shared_text(naming, lookup_file(naming->lookup, named)),
		                  named->origin };
	struct place_row place;

	if (row.file == STRING_NONE || !take_inline(naming, where, &row) || !add_result(naming, &row))
		return false;
	place = (struct place_row){ row.period, row.samples, 0, event, row.binary, row.function,
		                    where ? shared_text(naming, where->file) : STRING_EMPTY,
		                    where ? where->line : 0 };
	if (place.file == STRING_NONE || (options->lines && !add_line(naming, &place)))
		return false;
	if (!options->addresses)
		return true;
	place.addr = named->link_addr;
	return add_address(naming, &place);
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
	if (lookup->binary == &naming->stat->binaries.items[naming->stat->damaged])
		naming->binary_name = naming->unknown;
	naming->shared = malloc(lookup->strings.count * sizeof(*naming->shared));
	if (!naming->shared)
		return err_nomem(naming->err, lookup->strings.count * sizeof(*naming->shared));
	memset(naming->shared, 0xff, lookup->strings.count * sizeof(*naming->shared));
	naming->results->binaries++;
	naming->results->functions += lookup->functions;
	naming->results->distinct += lookup->named_count;
	ok = add_entries(naming, per_reason);
	diag_replay(naming->diag, &lookup->diag);
	if (lookup->reason == ORIGIN_BUILD_ID_MISMATCH && lookup->binary->kind == BINARY_FILE)
		warn_mismatch(naming, lookup->entries, lookup->count);
	note_unnamed(naming, per_reason);
	free(naming->shared);
	return ok;
}

/* The tally's entries, binary by binary; malloc'd, NULL with err set when memory is refused. */
static struct lookup *make_lookups(struct naming *naming, size_t *count)
{
	const struct tally *tally = &naming->stat->tally;
	struct lookup *lookups = NULL, *grown;
	size_t capacity = 0;

	*count = 0;
	for (size_t i = 0, next; i < tally->count; i = next) {
		uint32_t binary = tally->targets[tally->entries[i].target].binary;

		for (next = i + 1; next < tally->count; next++)
			if (tally->targets[tally->entries[next].target].binary != binary)
				break;
		grown = vec_grow(lookups, *count, &capacity, sizeof(*lookups), naming->err);
		if (!grown) {
			free(lookups);
			*count = 0;
			return NULL;
		}
		lookups = grown;
		lookups[(*count)++] = (struct lookup){ .binary = &naming->stat->binaries.items[binary],
			                               .entries = tally->entries + i,
			                               .count = next - i };
	}
	return lookups;
}

static bool name_all(struct naming *naming, const struct lookup_options *how)
{
	struct lookup *lookups;
	size_t count;
	bool ok;

	if (!tally_group(&naming->stat->tally, naming->err))
		return false;
	lookups = make_lookups(naming, &count);
	ok = lookup_all(lookups, count, how, &naming->stat->tally, naming->stat->strings, naming->err) &&
	     naming->err->code == ERR_NONE;
	for (size_t i = 0; i < count; i++) {
		ok = ok && take_lookup(naming, &lookups[i]);
		lookup_release(&lookups[i]);
	}
	free(lookups);
	return ok;
}

/* Ties are ordered by what the table shows, so that every run prints the same. */
static int compare_texts(const struct strings *strings, uint32_t a, uint32_t b)
{
	return a == b ? 0 : strcmp(strings_get(strings, a), strings_get(strings, b));
}

/* qsort() has no context: rows are sorted through records that carry their strings. */
struct sortable {
	const struct strings *strings;
	const void *row;
};

/* The most expensive comes first. */
static int compare_costs(uint64_t period, uint64_t samples, uint64_t other_period,
                         uint64_t other_samples)
{
	if (period != other_period)
		return period > other_period ? -1 : 1;
	return samples > other_samples ? -1 : samples < other_samples;
}

static int compare_rows(const void *a, const void *b)
{
	const struct strings *strings = ((const struct sortable *)a)->strings;
	const struct result_row *x = ((const struct sortable *)a)->row;
	const struct result_row *y = ((const struct sortable *)b)->row;
	int order;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	order = compare_costs(x->period, x->samples, y->period, y->samples);
	if (!order)
		order = compare_texts(strings, x->binary, y->binary);
	if (!order)
		order = compare_texts(strings, x->function, y->function);
	return order ? order : compare_texts(strings, x->file, y->file);
}

static int compare_places(const void *a, const void *b)
{
	const struct strings *strings = ((const struct sortable *)a)->strings;
	const struct place_row *x = ((const struct sortable *)a)->row;
	const struct place_row *y = ((const struct sortable *)b)->row;
	int order;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	order = compare_costs(x->period, x->samples, y->period, y->samples);
	if (!order)
		order = compare_texts(strings, x->binary, y->binary);
	if (!order && x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (!order)
		order = compare_texts(strings, x->file, y->file);
	if (!order && x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return order ? order : compare_texts(strings, x->function, y->function);
}

/* Sorts count rows of size bytes, which may move. */
static bool sort_rows(struct naming *naming, void **rows, size_t count, size_t size,
                      int (*compare)(const void *, const void *))
{
	struct sortable *order = calloc(count ? count : 1, sizeof(*order));
	uint8_t *sorted = malloc(count ? count * size : 1);

	if (!order || !sorted) {
		free(order);
		free(sorted);
		return err_nomem(naming->err, count * size);
	}
	for (size_t i = 0; i < count; i++)
		order[i] = (struct sortable){ naming->stat->strings, (uint8_t *)*rows + i * size };
	qsort(order, count, sizeof(*order), compare);
	for (size_t i = 0; i < count; i++)
		memcpy(sorted + i * size, order[i].row, size);
	free(order);
	free(*rows);
	*rows = sorted;
	return true;
}

static bool sort_all(struct naming *naming)
{
	struct results *results = naming->results;
	void *rows = results->rows, *lines = results->lines, *addresses = results->addresses;
	bool ok = sort_rows(naming, &rows, results->row_count, sizeof(*results->rows),
	                    compare_rows) &&
	          sort_rows(naming, &lines, results->line_count, sizeof(*results->lines),
	                    compare_places) &&
	          sort_rows(naming, &addresses, results->address_count,
	                    sizeof(*results->addresses), compare_places);

	results->rows = rows;
	results->lines = lines;
	results->addresses = addresses;
	return ok;
}

bool naming_run(struct results *results, struct buildstat *stat,
                const struct naming_options *options, struct diag *diag, struct err *err)
{
	struct naming naming = { .results = results, .stat = stat, .options = options, .diag = diag,
		                 .err = err };
	struct lookup_options how = { options->symbols, options->symbolizer, options->sources,
		                      options->lines, options->inlines, options->threads,
		                      options->meanwhile, options->context };
	bool ok;

	memset(results, 0, sizeof(*results));
	naming.row_index.seed = naming.line_index.seed = hash_seed();
	map_init(&naming.demangled);
	naming.unknown = strings_put_text(stat->strings, "[unknown]", err);
	how.symbols.osrelease = session_feature_text(stat->session, PERF_FEATURE_OSRELEASE);
	how.symbols.arch = session_feature_text(stat->session, PERF_FEATURE_ARCH);
	how.symbols.want_debug = options->sources || options->lines || options->inlines;
	how.symbols.cache = symbol_cache_new(err);
	if (stat->kernel_binary != UINT32_MAX)
		how.symbols.kernel = &stat->binaries.items[stat->kernel_binary];
	ok = err->code == ERR_NONE && name_all(&naming, &how) && sort_all(&naming);
	symbol_cache_free(how.symbols.cache);
	map_release(&naming.demangled);
	free(naming.row_index.slots);
	free(naming.line_index.slots);
	return ok;
}

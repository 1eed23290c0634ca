#include "decode/machine/binaries.h"
#include "decode/machine/cpumode.h"
#include "decode/tables/tables.h"
#include "perffile/record/collector.h"
#include "perffile/session/buildid.h"
#include "util/hash.h"
#include "util/strings.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define KERNEL_MAP "[kernel.kallsyms]"
#define GUEST_MAP "[guest.kernel.kallsyms]"

/* Each pair of a build id and a binary once, in order of first appearance. */
struct buildids {
	struct strings pairs; /* "HEX NAME"; and the empty text, which is none */
	struct map modes;     /* pair -> its first cpumode */
};

static bool buildids_open(void *kept, const struct session *session, struct err *err)
{
	struct buildids *buildids = kept;

	(void)session;
	return strings_init(&buildids->pairs, err);
}

static void buildids_close(void *kept)
{
	struct buildids *buildids = kept;

	strings_release(&buildids->pairs);
	map_release(&buildids->modes);
}

/* The kernel's map is named after its reference symbol: "[kernel.kallsyms]_text". */
static size_t binary_length(const char *name, size_t length)
{
	static const char *const kernels[] = { KERNEL_MAP, GUEST_MAP };

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		size_t size = strlen(kernels[i]);

		if (length > size && memcmp(name, kernels[i], size) == 0 && name[size] == '_')
			return size;
	}
	return length;
}

/* Sets the mode of a pair that is new. number: of its text, or STRING_NONE with err set. */
static bool set_mode(struct buildids *buildids, uint32_t number, uint16_t misc, struct err *err)
{
	return number != STRING_NONE &&
	       (map_get(&buildids->modes, number) != MAP_NONE ||
	        map_put(&buildids->modes, number, misc & PERF_MISC_CPUMODE_MASK, err));
}

static bool add_pair(struct buildids *buildids, const struct build_id *id, uint16_t misc,
                     struct record_text name, struct err *err)
{
	const size_t used = 2 * (size_t)id->size + 1;
	const size_t length = binary_length(name.text, strnlen(name.text, name.length));
	char *pair = vec_new(used + length, 1, err);
	uint32_t number;

	if (!pair)
		return false;
	build_id_format(id, pair);
	pair[used - 1] = ' ';
	memcpy(pair + used, name.text, length);
	number = strings_put(&buildids->pairs, pair, used + length, err);
	free(pair);
	return set_mode(buildids, number, misc, err);
}

static bool add_record(void *context, const struct record *record, struct err *err)
{
	const struct record_mmap *map = &record->mmap;

	if (record->type != PERF_RECORD_MMAP2 || record->damaged || !map->has_build_id)
		return true;
	return add_pair(context, &map->build_id, record->misc, map->name, err);
}

static struct record_handler buildids_handler(void *kept)
{
	return (struct record_handler){ .context = kept,
		                        .any_sample_order = true,
		                        .record = add_record,
		                        .samples = samples_skip };
}

static const struct collector buildids_collector = {
	.size = sizeof(struct buildids),
	.open = buildids_open,
	.close = buildids_close,
	.handler = buildids_handler,
};

struct build_id_row {
	const char *pair; /* the build id, a blank, and the binary */
	enum cpu_mode mode;
};

VALUE(build_id_row, build_id_hex, value_text(row->pair, strcspn(row->pair, " ")));
VALUE(build_id_row, build_id_binary, value_str(strchr(row->pair, ' ') + 1));
VALUE(build_id_row, build_id_mode, value_str(cpu_mode_name(row->mode)));

/* The build ids of the session (feature BUILD_ID and BUILD_ID records) first, then those that were
 * kept. */
static bool print_build_ids(struct table_writer *out, const struct report *report, struct err *err)
{
	const struct buildids *buildids = collection_get(report->kept, &buildids_collector);
	struct session *session = report->session;
	struct buildids all = { .modes = { 0 } };
	bool ok = buildids_open(&all, session, err) && session_load_build_ids(session, err);

	for (size_t i = 0; i < session->build_id_count && ok; i++) {
		const struct session_build_id *item = &session->build_ids[i];
		const struct record_text name = { item->name, strlen(item->name) };

		ok = add_pair(&all, &item->id, item->misc, name, err);
	}
	for (uint32_t i = STRING_EMPTY + 1; ok && i < buildids->pairs.count; i++)
		ok = set_mode(&all,
		              strings_put_text(&all.pairs, strings_get(&buildids->pairs, i), err),
		              (uint16_t)map_get(&buildids->modes, i), err);
	for (uint32_t i = STRING_EMPTY + 1; ok && i < all.pairs.count; i++) {
		const struct build_id_row row = {
			strings_get(&all.pairs, i),
			cpu_mode_of((uint16_t)map_get(&all.modes, i)),
		};

		table_row(out, &row);
	}
	buildids_close(&all);
	return ok;
}

static const struct column buildids_columns[] = {
	{ "build_id", COLUMN_TEXT, "", "lower-case hex", 3, build_id_hex },
	{ "binary", COLUMN_PATH, "", "as recorded", 1, build_id_binary },
	{ "mode", COLUMN_TEXT, "", "kernel, user, guest-kernel or guest-user", 2, build_id_mode },
};

const struct table buildids_table = {
	.format = FORMAT_OF("buildids", buildids_columns),
	.collects = &buildids_collector,
	.print = print_build_ids,
};

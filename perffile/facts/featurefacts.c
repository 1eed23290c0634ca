/* The features as keys and values for people: facts.h. */
#include "perffile/facts/factwork.h"
#include "perffile/session/features.h"
#include "perffile/session/simpleperf.h"
#include "perffile/session/tracingdata.h"

#include <inttypes.h>
#include <string.h>

#define NS_PER_SECOND 1000000000u
#define COMPRESSED_ZSTD 1

/* Parts of bpf_prog_info that are used; offsets in bytes. */
#define BPF_INFO_SIZE_MIN 24
#define BPF_INFO_NAME_AT 64
#define BPF_INFO_NAME_SIZE 16

typedef void decoder(struct work *work);

static void decode_tracing(struct work *work)
{
	struct tracing_data data;

	if (tracing_data_parse(&data, work->c->pos, cur_left(work->c), work->c->offset,
	                       work->facts->arena, work->c->err))
		facts_put(work->facts, "tracing data", "version %s, %zu formats", data.version,
		          data.count);
	tracing_data_release(&data);
}

static void decode_nrcpus(struct work *work)
{
	uint32_t available = cur_u32(work->c), online = cur_u32(work->c);

	facts_put(work->facts, "nrcpus online", "%u", online);
	facts_put(work->facts, "nrcpus avail", "%u", available);
}

static void decode_total_memory(struct work *work)
{
	facts_put(work->facts, "total memory", "%" PRIu64 " kB", cur_u64(work->c));
}

/* As perf prints it: arguments are not quoted, but quotes in them are escaped. */
static void decode_cmdline(struct work *work)
{
	uint32_t count = work_count(work, STR_SIZE_MIN);

	for (uint32_t i = 0; i < count && work_fine(work); i++) {
		const char *text = work_str(work);

		facts_say(work->facts, "%s", i ? " " : "");
		for (size_t part = strcspn(text, "'"); text[part]; part = strcspn(text, "'")) {
			facts_say(work->facts, "%.*s\\'", (int)part, text);
			text += part + 1;
		}
		facts_say(work->facts, "%s", text);
	}
	facts_add(work->facts, "cmdline");
}

static void decode_branch_stack(struct work *work)
{
	facts_put(work->facts, "contains samples with branch stack", "yes");
}

static void decode_pmu_mappings(struct work *work)
{
	uint32_t count = work_count(work, 2 * STR_SIZE_MIN);

	for (uint32_t i = 0; i < count && work_fine(work); i++) {
		uint32_t type = cur_u32(work->c);

		facts_say(work->facts, "%s%s = %u", i ? ", " : "", work_str(work), type);
	}
	facts_add(work->facts, "pmu mappings");
}

static void decode_auxtrace(struct work *work)
{
	facts_put(work->facts, "contains AUX area data (e.g. instruction trace)", "yes");
	facts_put(work->facts, "AUX area index entries", "%" PRIu64, cur_u64(work->c));
}

static void decode_stat(struct work *work)
{
	facts_put(work->facts, "contains stat data", "yes");
}

static void decode_sample_time(struct work *work)
{
	uint64_t first = cur_u64(work->c), last = cur_u64(work->c);

	facts_put(work->facts, "time of first sample", "%" PRIu64 ".%06" PRIu64,
	          first / NS_PER_SECOND, first % NS_PER_SECOND / 1000);
	facts_put(work->facts, "time of last sample", "%" PRIu64 ".%06" PRIu64,
	          last / NS_PER_SECOND, last % NS_PER_SECOND / 1000);
	facts_put(work->facts, "sample duration", "%.3f ms", (double)(last - first) / 1e6);
}

/* perf prints the product of ns and 1000 as a frequency, which is right for 1 ns only. */
static void decode_clockid(struct work *work)
{
	uint64_t resolution = cur_u64(work->c); /* ns */

	facts_put(work->facts, "clockid frequency", "%" PRIu64 " MHz", resolution * 1000);
	facts_put(work->facts, "clockid resolution", "%" PRIu64 " ns", resolution);
}

static void decode_dir_format(struct work *work)
{
	facts_put(work->facts, "directory data version", "%" PRIu64, cur_u64(work->c));
}

static void decode_bpf_program(struct work *work, struct cursor info, uint32_t data_size)
{
	uint32_t type = cur_u32(&info), id = cur_u32(&info);
	const uint8_t *tag = cur_take(&info, 8);
	uint32_t jited = cur_u32(&info), translated = cur_u32(&info);
	const char *name = "";
	size_t length = 0;

	if (cur_left(&info) >= BPF_INFO_NAME_AT - BPF_INFO_SIZE_MIN + BPF_INFO_NAME_SIZE) {
		cur_take(&info, BPF_INFO_NAME_AT - BPF_INFO_SIZE_MIN);
		name = cur_text(&info, BPF_INFO_NAME_SIZE, &length);
	}
	facts_say(work->facts, "%.*s, type %u, tag ", (int)length, name, type);
	for (int i = 0; tag && i < 8; i++)
		facts_say(work->facts, "%02x", tag[i]);
	facts_say(work->facts, ", %u bytes of machine code, %u of BPF, %u of data", jited,
	          translated, data_size);
	facts_add(work->facts, "bpf program %u", id);
}

static void decode_bpf_programs(struct work *work)
{
	uint32_t count = work_count(work, 16 + BPF_INFO_SIZE_MIN);

	facts_put(work->facts, "bpf programs", "%u", count);
	for (uint32_t i = 0; i < count && work_fine(work); i++) {
		uint32_t info_size = cur_u32(work->c), data_size = cur_u32(work->c);

		cur_u64(work->c); /* which arrays are there */
		decode_bpf_program(work, cur_sub(work->c, info_size, work->c->name), data_size);
		cur_take(work->c, data_size);
	}
}

static void decode_bpf_types(struct work *work)
{
	uint32_t count = work_count(work, 8);

	facts_put(work->facts, "btf objects", "%u", count);
	for (uint32_t i = 0; i < count && work_fine(work); i++) {
		uint32_t id = cur_u32(work->c), size = cur_u32(work->c);

		cur_take(work->c, size);
		facts_say(work->facts, "%u bytes", size);
		facts_add(work->facts, "btf %u", id);
	}
}

static void decode_compressed(struct work *work)
{
	uint32_t type, level, ratio;

	cur_u32(work->c); /* version */
	type = cur_u32(work->c);
	level = cur_u32(work->c);
	ratio = cur_u32(work->c);
	facts_say(work->facts, "%s, level = %d, ratio = %d",
	          type == COMPRESSED_ZSTD ? "Zstd" : "Unknown", (int)level, (int)ratio);
	facts_add(work->facts, "compressed");
}

/* Reads name=value pairs; they make one fact. */
static void say_caps(struct work *work)
{
	uint32_t count = work_count(work, 2 * STR_SIZE_MIN);

	if (!count)
		facts_say(work->facts, "not available");
	for (uint32_t i = 0; i < count && work_fine(work); i++) {
		const char *name = work_str(work);

		facts_say(work->facts, "%s%s=%s", i ? ", " : "", name, work_str(work));
	}
}

static void decode_cpu_pmu_caps(struct work *work)
{
	say_caps(work);
	facts_add(work->facts, "cpu pmu capabilities");
}

static void decode_pmu_caps(struct work *work)
{
	uint32_t count = work_count(work, 2 * STR_SIZE_MIN);

	for (uint32_t i = 0; i < count && work_fine(work); i++) {
		say_caps(work);
		facts_add(work->facts, "%s pmu capabilities", work_str(work));
	}
}

static void decode_clock_data(struct work *work)
{
	struct facts *facts = work->facts;
	struct clock_data clock;
	char date[32];

	if (!features_clock_data(work->session, &clock, facts->err) || !clock.present)
		return;
	facts_put(facts, "clockid", "%s (%u)", clock_name(clock.clockid), clock.clockid);
	format_utc(date, clock.wall_time / NS_PER_SECOND, ' ');
	facts_say(facts, "%s.%06" PRIu64 " = %" PRIu64 ".%06" PRIu64 " (TOD) = ", date,
	          clock.wall_time % NS_PER_SECOND / 1000, clock.wall_time / NS_PER_SECOND,
	          clock.wall_time % NS_PER_SECOND / 1000);
	facts_put(facts, "reference time", "%" PRIu64 ".%09" PRIu64 " (%s)",
	          clock.clock_time / NS_PER_SECOND, clock.clock_time % NS_PER_SECOND,
	          clock_name(clock.clockid));
}

static void decode_e_machine(struct work *work)
{
	uint32_t machine = cur_u32(work->c);

	facts_put(work->facts, "e_machine", "%u", machine);
	facts_put(work->facts, "e_flags", "0x%x", cur_u32(work->c));
}

static void decode_cache_line(struct work *work)
{
	facts_put(work->facts, "cache line size", "%u", cur_u32(work->c));
}

/* META_INFO is one text: NUL-terminated pairs of a key and a value. */
static void decode_meta_info(struct work *work)
{
	struct cursor *c = work->c;

	while (cur_left(c) && work_fine(work)) {
		size_t key_length, length;
		const char *key = feature_item(c, &key_length);
		const char *value = feature_item(c, &length);

		facts_say(work->facts, "%.*s", (int)length, value);
		facts_add(work->facts, "meta info %.*s", (int)key_length, key);
	}
}

/* The number of files whose symbols simpleperf has recorded. */
static void decode_recorded_files(struct work *work)
{
	const struct recorded_file *files;
	size_t count, symbols = 0;

	if (!session_recorded_files(work->session, &files, &count, work->c->err))
		return;
	for (size_t i = 0; i < count; i++)
		symbols += files[i].symbol_count;
	facts_put(work->facts, "recorded files", "%zu files with %zu symbols", count, symbols);
}

static void decode_group_desc(struct work *work)
{
	const struct session *session = work->session;
	struct event_group *groups;
	size_t count;

	if (!features_groups(work->session, &groups, &count, work->facts->err))
		return;
	for (size_t i = 0; i < count && work_fine(work); i++) {
		facts_say(work->facts, "%s", groups[i].name);
		for (uint32_t m = 0; m < groups[i].members && work_fine(work); m++) {
			const char *name = session->events[groups[i].leader + m].name;

			facts_say(work->facts, "%c%s", m ? ',' : '{', name ? name : "");
		}
		facts_put(work->facts, "group", "}");
	}
}

/* The keys of features that are a single text. */
static const char *const text_keys[] = {
	[PERF_FEATURE_HOSTNAME] = "hostname",    [PERF_FEATURE_OSRELEASE] = "os release",
	[PERF_FEATURE_VERSION] = "perf version", [PERF_FEATURE_ARCH] = "arch",
	[PERF_FEATURE_CPUDESC] = "cpudesc",      [PERF_FEATURE_CPUID] = "cpuid",
};

static void decode_text(struct work *work)
{
	work_str_fact(work, text_keys[work->number]);
}

/* BUILD_ID and EVENT_DESC have tables of their own. */
static decoder *const decoders[] = {
	[PERF_FEATURE_TRACING_DATA] = decode_tracing,
	[PERF_FEATURE_HOSTNAME] = decode_text,
	[PERF_FEATURE_OSRELEASE] = decode_text,
	[PERF_FEATURE_VERSION] = decode_text,
	[PERF_FEATURE_ARCH] = decode_text,
	[PERF_FEATURE_NRCPUS] = decode_nrcpus,
	[PERF_FEATURE_CPUDESC] = decode_text,
	[PERF_FEATURE_CPUID] = decode_text,
	[PERF_FEATURE_TOTAL_MEM] = decode_total_memory,
	[PERF_FEATURE_CMDLINE] = decode_cmdline,
	[PERF_FEATURE_CPU_TOPOLOGY] = facts_cpu_topology,
	[PERF_FEATURE_NUMA_TOPOLOGY] = facts_numa_topology,
	[PERF_FEATURE_BRANCH_STACK] = decode_branch_stack,
	[PERF_FEATURE_PMU_MAPPINGS] = decode_pmu_mappings,
	[PERF_FEATURE_GROUP_DESC] = decode_group_desc,
	[PERF_FEATURE_AUXTRACE] = decode_auxtrace,
	[PERF_FEATURE_STAT] = decode_stat,
	[PERF_FEATURE_CACHE] = facts_caches,
	[PERF_FEATURE_SAMPLE_TIME] = decode_sample_time,
	[PERF_FEATURE_MEM_TOPOLOGY] = facts_mem_topology,
	[PERF_FEATURE_CLOCKID] = decode_clockid,
	[PERF_FEATURE_DIR_FORMAT] = decode_dir_format,
	[PERF_FEATURE_BPF_PROG_INFO] = decode_bpf_programs,
	[PERF_FEATURE_BPF_BTF] = decode_bpf_types,
	[PERF_FEATURE_COMPRESSED] = decode_compressed,
	[PERF_FEATURE_CPU_PMU_CAPS] = decode_cpu_pmu_caps,
	[PERF_FEATURE_CLOCK_DATA] = decode_clock_data,
	[PERF_FEATURE_HYBRID_TOPOLOGY] = facts_hybrid_topology,
	[PERF_FEATURE_PMU_CAPS] = decode_pmu_caps,
	[PERF_FEATURE_CPU_DOMAIN_INFO] = facts_cpu_domains,
	[PERF_FEATURE_E_MACHINE] = decode_e_machine,
	[PERF_FEATURE_CLN_SIZE] = decode_cache_line,
	[PERF_FEATURE_FILE] = decode_recorded_files,
	[PERF_FEATURE_META_INFO] = decode_meta_info,
	[PERF_FEATURE_FILE2] = decode_recorded_files,
};

static void not_decoded(const struct session *session, unsigned number, struct facts *facts)
{
	const char *name = feature_name(number);

	facts_say(facts, "present, %" PRIu64 " bytes, not decoded", session->features[number].size);
	if (name)
		facts_add(facts, "feature %s", name);
	else
		facts_add(facts, "feature %u", number);
}

/* A value that is too long is reported with the name of its feature. */
static void name_limit(struct err *broken, const struct cursor *c)
{
	struct err plain = *broken;

	if (plain.code != ERR_LIMIT)
		return;
	broken->code = ERR_NONE;
	err_at(broken, plain.code, c->offset, "%s: %s", c->name, plain.text);
}

bool feature_facts(struct session *session, unsigned number, struct facts *facts, struct err *err)
{
	decoder *decode = number < ARRAY_SIZE(decoders) ? decoders[number] : NULL;
	struct err broken = { .code = ERR_NONE };
	size_t before = facts->count;
	struct cursor c = cursor_over(NULL, 0, 0, "feature", false, &broken);
	struct work work = { session, number, &c, facts };
	bool there;

	if (number >= PERF_FEATURE_BITS || !session->features[number].present ||
	    number == PERF_FEATURE_BUILD_ID || number == PERF_FEATURE_EVENT_DESC)
		return true;
	if (!decode) {
		not_decoded(session, number, facts);
		return facts->err->code == ERR_NONE;
	}
	there = feature_open(session, number, &c, &broken);
	/* the presence of these two features is all that they say */
	if (broken.code == ERR_NONE &&
	    (there || decode == decode_branch_stack || decode == decode_stat)) {
		struct err *own = facts->err;

		facts->err = &broken;
		facts->used = 0;
		decode(&work);
		facts->err = own;
	}
	name_limit(&broken, &c);
	if (broken.code != ERR_NONE)
		facts->count = before;
	return feature_finish(session, &broken, err);
}

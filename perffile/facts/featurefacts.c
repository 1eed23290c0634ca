/* The features as keys and values for people: facts.h. */
#include "perffile/facts/factwork.h"
#include "perffile/session/buildid.h"
#include "perffile/session/features.h"
#include "perffile/session/simpleperf.h"
#include "perffile/session/tracingdata.h"
#include "util/clock.h"

#include <inttypes.h>
#include <string.h>

#define COMPRESSED_ZSTD 1
#define AUX_ENTRY_SIZE 16 /* bytes: offset and size of an AUXTRACE record */

/* Parts of bpf_prog_info that are used; offsets in bytes. */
#define BPF_INFO_SIZE_MIN 24
#define BPF_INFO_NAME_AT 64
#define BPF_INFO_NAME_SIZE 16

typedef void decoder(struct facts *facts);

static void decode_tracing(struct facts *facts)
{
	struct tracing_data data;

	if (tracing_data_parse(&data, facts->c, &facts->session->arena))
		facts_put(facts, "tracing data", "version %s, %zu formats", data.version,
		          data.tracepoints.count);
	tracing_data_release(&data);
}

static void decode_nrcpus(struct facts *facts)
{
	uint32_t available = cur_u32(&facts->c), online = cur_u32(&facts->c);

	facts_put(facts, "nrcpus online", "%u", online);
	facts_put(facts, "nrcpus avail", "%u", available);
}

static void decode_total_memory(struct facts *facts)
{
	facts_put(facts, "total memory", "%" PRIu64 " kB", cur_u64(&facts->c));
}

/* As perf prints it: arguments are not quoted, but quotes in them are escaped. */
static void decode_cmdline(struct facts *facts)
{
	uint32_t count = facts_count(facts, STR_SIZE_MIN);

	for (uint32_t i = 0; i < count && facts_fine(facts); i++) {
		const char *text = facts_str(facts);

		facts_say(facts, "%s", i ? " " : "");
		for (size_t part = strcspn(text, "'"); text[part]; part = strcspn(text, "'")) {
			facts_say(facts, "%.*s\\'", (int)part, text);
			text += part + 1;
		}
		facts_say(facts, "%s", text);
	}
	facts_add(facts, "cmdline");
}

static void decode_pmu_mappings(struct facts *facts)
{
	uint32_t count = facts_count(facts, 2 * STR_SIZE_MIN);

	for (uint32_t i = 0; i < count && facts_fine(facts); i++) {
		uint32_t type = cur_u32(&facts->c);

		facts_say(facts, "%s%s = %u", i ? ", " : "", facts_str(facts), type);
	}
	facts_add(facts, "pmu mappings");
}

static void decode_auxtrace(struct facts *facts)
{
	uint64_t count = cur_u64(&facts->c);

	cur_fits(&facts->c, count, AUX_ENTRY_SIZE, "entries");
	facts_put(facts, "contains AUX area data (e.g. instruction trace)", "yes");
	facts_put(facts, "AUX area index entries", "%" PRIu64, count);
}

static void decode_sample_time(struct facts *facts)
{
	uint64_t first = cur_u64(&facts->c), last = cur_u64(&facts->c);

	facts_put(facts, "time of first sample", "%" PRIu64 ".%06" PRIu64, first / NS_PER_SECOND,
	          first % NS_PER_SECOND / 1000);
	facts_put(facts, "time of last sample", "%" PRIu64 ".%06" PRIu64, last / NS_PER_SECOND,
	          last % NS_PER_SECOND / 1000);
	facts_put(facts, "sample duration", "%.3f ms", (double)(last - first) / 1e6);
}

/* perf prints the product of ns and 1000 as a frequency, which is right for 1 ns only. */
static void decode_clockid(struct facts *facts)
{
	uint64_t resolution = cur_u64(&facts->c); /* ns */

	facts_put(facts, "clockid frequency", "%" PRIu64 " MHz", resolution * 1000);
	facts_put(facts, "clockid resolution", "%" PRIu64 " ns", resolution);
}

static void decode_dir_format(struct facts *facts)
{
	facts_put(facts, "directory data version", "%" PRIu64, cur_u64(&facts->c));
}

static void decode_bpf_program(struct facts *facts, struct cursor info, uint32_t data_size)
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
	facts_say(facts, "%.*s, type %u, tag ", (int)length, name, type);
	for (int i = 0; tag && i < 8; i++)
		facts_say(facts, "%02x", tag[i]);
	facts_say(facts, ", %u bytes of machine code, %u of BPF, %u of data", jited, translated,
	          data_size);
	facts_add(facts, "bpf program %u", id);
}

static void decode_bpf_programs(struct facts *facts)
{
	uint32_t count = facts_count(facts, 16 + BPF_INFO_SIZE_MIN);

	facts_put(facts, "bpf programs", "%u", count);
	for (uint32_t i = 0; i < count && facts_fine(facts); i++) {
		uint32_t info_size = cur_u32(&facts->c), data_size = cur_u32(&facts->c);

		cur_u64(&facts->c); /* which arrays are there */
		decode_bpf_program(facts, cur_sub(&facts->c, info_size, facts->c.name), data_size);
		cur_take(&facts->c, data_size);
	}
}

static void decode_bpf_types(struct facts *facts)
{
	uint32_t count = facts_count(facts, 8);

	facts_put(facts, "btf objects", "%u", count);
	for (uint32_t i = 0; i < count && facts_fine(facts); i++) {
		uint32_t id = cur_u32(&facts->c), size = cur_u32(&facts->c);

		cur_take(&facts->c, size);
		facts_say(facts, "%u bytes", size);
		facts_add(facts, "btf %u", id);
	}
}

static void decode_compressed(struct facts *facts)
{
	uint32_t type, level, ratio;

	cur_u32(&facts->c); /* version */
	type = cur_u32(&facts->c);
	level = cur_u32(&facts->c);
	ratio = cur_u32(&facts->c);
	cur_u32(&facts->c); /* size of the ring buffer */
	facts_say(facts, "%s, level = %d, ratio = %d", type == COMPRESSED_ZSTD ? "Zstd" : "Unknown",
	          (int)level, (int)ratio);
	facts_add(facts, "compressed");
}

/* Reads name=value pairs; they make one fact. */
static void say_caps(struct facts *facts)
{
	uint32_t count = facts_count(facts, 2 * STR_SIZE_MIN);

	if (!count)
		facts_say(facts, "not available");
	for (uint32_t i = 0; i < count && facts_fine(facts); i++) {
		const char *name = facts_str(facts);

		facts_say(facts, "%s%s=%s", i ? ", " : "", name, facts_str(facts));
	}
}

static void decode_cpu_pmu_caps(struct facts *facts)
{
	say_caps(facts);
	facts_add(facts, "cpu pmu capabilities");
}

static void decode_pmu_caps(struct facts *facts)
{
	uint32_t count = facts_count(facts, 2 * STR_SIZE_MIN);

	for (uint32_t i = 0; i < count && facts_fine(facts); i++) {
		say_caps(facts);
		facts_add(facts, "%s pmu capabilities", facts_str(facts));
	}
}

static void decode_clock_data(struct facts *facts)
{
	struct clock_data clock;
	char date[32];

	if (!features_clock_data(facts->session, &clock, facts->c.err) || !clock.present)
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

static void decode_e_machine(struct facts *facts)
{
	uint32_t machine = cur_u32(&facts->c);

	facts_put(facts, "e_machine", "%u", machine);
	facts_put(facts, "e_flags", "0x%x", cur_u32(&facts->c));
}

static void decode_cache_line(struct facts *facts)
{
	facts_put(facts, "cache line size", "%u", cur_u32(&facts->c));
}

/* META_INFO is one text: NUL-terminated pairs of a key and a value. */
static void decode_meta_info(struct facts *facts)
{
	struct cursor *c = &facts->c;

	while (cur_left(c) && facts_fine(facts)) {
		const char *key = cur_string(c);

		facts_say(facts, "%s", cur_string(c));
		facts_add(facts, "meta info %s", key);
	}
}

/* The number of files whose symbols simpleperf has recorded. */
static void decode_recorded_files(struct facts *facts)
{
	const struct recorded_file *file = session_recorded_files(facts->session, facts->c.err);
	size_t count = 0, symbols = 0;

	for (; file; file = file->next, count++)
		symbols += file->symbol_count;
	facts_put(facts, "recorded files", "%zu files with %zu symbols", count, symbols);
}

static void decode_group_desc(struct facts *facts)
{
	const struct session *session = facts->session;
	struct event_group *groups;
	size_t count;

	if (!features_groups(facts->session, &groups, &count, facts->c.err))
		return;
	for (size_t i = 0; i < count && facts_fine(facts); i++) {
		facts_say(facts, "%s", groups[i].name);
		for (uint32_t m = 0; m < groups[i].members && facts_fine(facts); m++) {
			const char *name = session->events[groups[i].leader + m].name;

			facts_say(facts, "%c%s", m ? ',' : '{', name ? name : "");
		}
		facts_put(facts, "group", "}");
	}
}

/* The keys of features that are a single text, or of which only the presence says something. */
static const char *const keys[] = {
	[PERF_FEATURE_HOSTNAME] = "hostname",
	[PERF_FEATURE_OSRELEASE] = "os release",
	[PERF_FEATURE_VERSION] = "perf version",
	[PERF_FEATURE_ARCH] = "arch",
	[PERF_FEATURE_CPUDESC] = "cpudesc",
	[PERF_FEATURE_CPUID] = "cpuid",
	[PERF_FEATURE_BRANCH_STACK] = "contains samples with branch stack",
	[PERF_FEATURE_STAT] = "contains stat data",
};

static void decode_text(struct facts *facts)
{
	facts_put_str(facts, keys[facts->number]);
}

static void decode_presence(struct facts *facts)
{
	facts_put(facts, keys[facts->number], "yes");
}

/* BUILD_ID and EVENT_DESC have tables of their own, so they add no facts. */
static void decode_build_ids(struct facts *facts)
{
	session_load_build_ids(facts->session, facts->c.err);
}

static void decode_event_desc(struct facts *facts)
{
	struct event_desc *descs;
	size_t count;

	features_event_desc(facts->session, &descs, &count, facts->c.err);
}

static decoder *const decoders[] = {
	[PERF_FEATURE_TRACING_DATA] = decode_tracing,
	[PERF_FEATURE_BUILD_ID] = decode_build_ids,
	[PERF_FEATURE_HOSTNAME] = decode_text,
	[PERF_FEATURE_OSRELEASE] = decode_text,
	[PERF_FEATURE_VERSION] = decode_text,
	[PERF_FEATURE_ARCH] = decode_text,
	[PERF_FEATURE_NRCPUS] = decode_nrcpus,
	[PERF_FEATURE_CPUDESC] = decode_text,
	[PERF_FEATURE_CPUID] = decode_text,
	[PERF_FEATURE_TOTAL_MEM] = decode_total_memory,
	[PERF_FEATURE_CMDLINE] = decode_cmdline,
	[PERF_FEATURE_EVENT_DESC] = decode_event_desc,
	[PERF_FEATURE_CPU_TOPOLOGY] = facts_cpu_topology,
	[PERF_FEATURE_NUMA_TOPOLOGY] = facts_numa_topology,
	[PERF_FEATURE_BRANCH_STACK] = decode_presence,
	[PERF_FEATURE_PMU_MAPPINGS] = decode_pmu_mappings,
	[PERF_FEATURE_GROUP_DESC] = decode_group_desc,
	[PERF_FEATURE_AUXTRACE] = decode_auxtrace,
	[PERF_FEATURE_STAT] = decode_presence,
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

static void not_decoded(struct facts *facts)
{
	const char *name = feature_name(facts->number);

	facts_say(facts, "present, %" PRIu64 " bytes, not decoded",
	          facts->session->features[facts->number].size);
	if (name)
		facts_add(facts, "feature %s", name);
	else
		facts_add(facts, "feature %u", facts->number);
}

bool feature_facts(struct facts *facts, unsigned number, struct err *err)
{
	decoder *decode = number < ARRAY_SIZE(decoders) ? decoders[number] : NULL;
	struct session *session = facts->session;
	const size_t before = facts->count;
	struct err broken = { .code = ERR_NONE };

	if (number >= PERF_FEATURE_BITS || !session->features[number].present)
		return true;
	facts->number = number;
	facts->used = 0;
	facts->c = cursor_over(NULL, 0, 0, "feature", false, &broken);
	if (!decode)
		decode = not_decoded;
	/* a feature may be empty where its presence is all that it says */
	if (decode == not_decoded || feature_open(session, number, &facts->c, &broken) ||
	    (broken.code == ERR_NONE && decode == decode_presence))
		decode(facts);
	if (broken.code != ERR_NONE)
		facts->count = before;
	if (broken.code == ERR_LIMIT) {
		/* a value that is too long to be shown is no damage */
		diag_warn(session->diag, facts->c.offset, "%s: %s", facts->c.name, broken.text);
		return true;
	}
	return feature_finish(session, number, &broken, err);
}

bool facts_fill(struct facts *facts, struct err *err)
{
	for (unsigned number = 1; number < PERF_FEATURE_BITS; number++)
		if (!feature_facts(facts, number, err))
			return false;
	return true;
}

const char *facts_value(const struct facts *facts, unsigned feature)
{
	for (size_t i = 0; i < facts->count; i++)
		if (facts->items[i].feature == feature)
			return facts->items[i].value;
	return NULL;
}

#include "perffile/record/recordtypes.h"

#include "perffile/record/payload.h"
#include "perffile/record/sample.h"

#include <inttypes.h>
#include <stdio.h>

static struct record_text text_at(const struct record *record, const struct payload *payload,
                                  size_t at)
{
	struct record_text text = { (const char *)record->data + at, 0 };

	if (at < payload->end)
		text.length = strnlen(text.text, payload->end - at);
	return text;
}

/* Decodes pid and tid, which most types have at this place. */
static void decode_own_pid(struct record *record, const struct payload *payload)
{
	(void)payload;
	record->pid = (int32_t)record_u32(record, 8);
	record->tid = (int32_t)record_u32(record, 12);
	record->has_tid = true;
}

/* Whether count items of size bytes from `at` on are there; if not, the record is damaged. */
static bool list_fits(struct record *record, const struct payload *payload, size_t at,
                      uint64_t count, size_t size)
{
	size_t left = payload->end - at;

	if (count <= left / size)
		return true;
	record->damaged = true;
	return err_at(payload->problem, ERR_FORMAT, block_offset(record->data) + at - 8,
	              "%s record: %" PRIu64 " entries do not fit in %zu bytes",
	              record_type_name(record->type), count, left);
}

static void set_text(struct overview_row *row, const char *text, size_t length)
{
	row->info_kind = INFO_TEXT;
	row->text = text;
	row->text_length = length;
}

static void set_number(struct overview_row *row, enum info_kind kind, uint64_t value)
{
	row->info_kind = (uint8_t)kind;
	row->info = value;
}

static void set_address(struct overview_row *row, uint64_t address, uint64_t size)
{
	row->has_address = row->has_size = true;
	row->address = address;
	row->size = size;
}

/* For types of which only the row of overview.csv is used. */
static void decode_nothing(struct record *record, const struct payload *payload)
{
	(void)record;
	(void)payload;
}

static void row_nothing(struct overview_row *row, const struct record *record)
{
	(void)row;
	(void)record;
}

/* For types whose number is there: a count, an id or a cookie. */
static void row_u64_at_8(struct overview_row *row, const struct record *record)
{
	set_number(row, INFO_NUMBER, record_u64(record, 8));
}

static void row_u64_at_16(struct overview_row *row, const struct record *record)
{
	set_number(row, INFO_NUMBER, record_u64(record, 16));
}

#define PROT_MOST 0xffffu    /* no prot is larger */
#define MODE_REGULAR 0x8000u /* with 12 bits of permissions: the mode of a file */

/*
 * The prot field of the long form of MMAP2. perf inject --jit writes the mode of a file there
 * instead. Tools that convert the byte order of a recording leave this field unconverted, so its
 * order is found from its value, which is small.
 */
static uint32_t mmap2_prot(const struct record *record)
{
	uint32_t word = record_u32(record, 64);

	if (word > PROT_MOST)
		word = __builtin_bswap32(word);
	return (word & ~0xfffu) == MODE_REGULAR ? PERF_PROT_EXEC : word;
}

/*
 * 3.10 kernels of RHEL 7.0 and 3.12-rc wrote MMAP2 records without prot and flags, and nothing
 * marks them. Their name starts where the long form has prot. prot is a small number, so in either
 * byte order one of its first three bytes is 0; no name ends that early.
 */
static bool mmap2_is_long(const struct record *record, const struct payload *payload)
{
	const uint8_t *p = record->data + 64;

	return payload->end >= 73 && (p[0] == 0 || p[1] == 0 || p[2] == 0);
}

static void decode_mmap(struct record *record, const struct payload *payload)
{
	struct record_mmap *map = &record->mmap;

	decode_own_pid(record, payload);
	memset(map, 0, sizeof(*map));
	map->start = record_u64(record, 16);
	map->length = record_u64(record, 24);
	map->pgoff = record_u64(record, 32);
	map->prot = record->misc & PERF_MISC_MMAP_DATA ? 0 : PERF_PROT_EXEC;
	map->name = text_at(record, payload, 40);
}

static void decode_mmap2(struct record *record, const struct payload *payload)
{
	struct record_mmap *map = &record->mmap;
	const uint8_t *p = record->data;

	decode_mmap(record, payload);
	if (record->misc & PERF_MISC_MMAP_BUILD_ID) {
		map->has_build_id = true;
		map->build_id.size = p[40] <= PERF_BUILD_ID_SIZE ? p[40] : PERF_BUILD_ID_SIZE;
		memcpy(map->build_id.bytes, p + 44, sizeof(map->build_id.bytes));
	} else {
		map->major = record_u32(record, 40);
		map->minor = record_u32(record, 44);
		map->inode = record_u64(record, 48);
		map->generation = record_u64(record, 56);
	}
	map->name = text_at(record, payload, 64);
	if (mmap2_is_long(record, payload)) {
		map->prot = mmap2_prot(record);
		map->flags = record_u32(record, 68);
		map->name = text_at(record, payload, 72);
	}
}

static void row_mmap(struct overview_row *row, const struct record *record)
{
	const struct record_mmap *map = &record->mmap;

	set_text(row, map->name.text, map->name.length);
	set_address(row, map->start, map->length);
	row->has_offset = true;
	row->offset = map->pgoff;
}

/* LOST, whose count stands behind an id, and LOST_SAMPLES */
static void decode_lost(struct record *record, const struct payload *payload)
{
	(void)payload;
	record->lost = record_u64(record, record->type == PERF_RECORD_LOST ? 16 : 8);
}

static void decode_comm(struct record *record, const struct payload *payload)
{
	decode_own_pid(record, payload);
	record->comm = text_at(record, payload, 16);
}

static void row_comm(struct overview_row *row, const struct record *record)
{
	set_text(row, record->comm.text, record->comm.length);
}

/* FORK, EXIT */
static void decode_task(struct record *record, const struct payload *payload)
{
	(void)payload;
	record->pid = (int32_t)record_u32(record, 8);
	record->task.ppid = (int32_t)record_u32(record, 12);
	record->tid = (int32_t)record_u32(record, 16);
	record->task.ptid = (int32_t)record_u32(record, 20);
	record->task.own_time = record_u64(record, 24);
	record->has_tid = true;
}

static void row_fork(struct overview_row *row, const struct record *record)
{
	set_number(row, INFO_PID, (uint32_t)record->task.ppid);
}

static void decode_read(struct record *record, const struct payload *payload)
{
	struct cursor c = payload_from(record, payload, 16, "READ record");

	decode_own_pid(record, payload);
	if (payload->event)
		read_decode(&record->read, payload->event->attr.read_format, &c);
	else
		err_at(payload->problem, ERR_FORMAT, block_offset(record->data),
		       "%s: no event is known before it", c.name);
	record->damaged = payload->problem->code != ERR_NONE;
}

static void row_read(struct overview_row *row, const struct record *record)
{
	row->has_period = record->read.data != NULL && record->read.count;
	if (row->has_period)
		row->period = record_word(record, record->read.data, 0);
}

static void row_sample(struct overview_row *row, const struct record *record)
{
	set_number(row, INFO_HEX, record->sample.ip);
	row->has_address = record->sample.has_addr;
	row->address = record->sample.addr;
	row->has_period = true;
	row->period = record->sample.period;
}

static void decode_aux(struct record *record, const struct payload *payload)
{
	(void)payload;
	record->aux.offset = record_u64(record, 8);
	record->aux.size = record_u64(record, 16);
	record->aux.flags = record_u64(record, 24);
}

static void row_aux(struct overview_row *row, const struct record *record)
{
	row->has_size = row->has_offset = true;
	row->offset = record->aux.offset;
	row->size = record->aux.size;
}

/* For SWITCH and SWITCH_CPU_WIDE. */
static void row_switch(struct overview_row *row, const struct record *record)
{
	const char *text = !(record->misc & PERF_MISC_SWITCH_OUT)        ? "in"
	                   : record->misc & PERF_MISC_SWITCH_OUT_PREEMPT ? "preempt"
	                                                                 : "out";

	set_text(row, text, strlen(text));
}

static void decode_namespaces(struct record *record, const struct payload *payload)
{
	decode_own_pid(record, payload);
	list_fits(record, payload, 24, record_u64(record, 16), 16);
}

static void decode_ksymbol(struct record *record, const struct payload *payload)
{
	record->ksymbol.addr = record_u64(record, 8);
	record->ksymbol.length = record_u32(record, 16);
	record->ksymbol.flags = record_u16(record, 22);
	record->ksymbol.name = text_at(record, payload, 24);
}

static void row_ksymbol(struct overview_row *row, const struct record *record)
{
	set_text(row, record->ksymbol.name.text, record->ksymbol.name.length);
	set_address(row, record->ksymbol.addr, record->ksymbol.length);
}

static void row_bpf(struct overview_row *row, const struct record *record)
{
	static const char *const verbs[] = { NULL, "load", "unload" };
	uint16_t type = record_u16(record, 8);
	uint32_t id = record_u32(record, 12);
	int length;

	if (type < ARRAY_SIZE(verbs) && verbs[type])
		length = snprintf(row->made, sizeof(row->made), "%s %" PRIu32, verbs[type], id);
	else
		length = snprintf(row->made, sizeof(row->made), "%u %" PRIu32, type, id);
	set_text(row, row->made, (size_t)length);
}

static void decode_cgroup(struct record *record, const struct payload *payload)
{
	record->cgroup.id = record_u64(record, 8);
	record->cgroup.path = text_at(record, payload, 16);
}

static void row_cgroup(struct overview_row *row, const struct record *record)
{
	set_text(row, record->cgroup.path.text, record->cgroup.path.length);
}

static void row_text_poke(struct overview_row *row, const struct record *record)
{
	set_address(row, record_u64(record, 8), record_u16(record, 18));
}

static void decode_deferred(struct record *record, const struct payload *payload)
{
	record->deferred.cookie = record_u64(record, 8);
	record->deferred.count = record_u64(record, 16);
	record->deferred.ips = record->data + 24;
	list_fits(record, payload, 24, record->deferred.count, 8);
}

#define KERNEL(type, least, decode, row) [PERF_RECORD_##type] = { #type, least, decode, row }
#define TOOL(type) [PERF_RECORD_##type] = { #type, PERF_RECORD_HEADER_SIZE, NULL, NULL }

/* Smallest sizes: format reference, 3.3; strings may be empty. */
static const struct record_type types[] = {
	KERNEL(MMAP, 40, decode_mmap, row_mmap),
	KERNEL(LOST, 24, decode_lost, row_u64_at_16),
	KERNEL(COMM, 16, decode_comm, row_comm),
	KERNEL(EXIT, 32, decode_task, row_nothing),
	KERNEL(THROTTLE, 32, decode_nothing, row_u64_at_16),
	KERNEL(UNTHROTTLE, 32, decode_nothing, row_u64_at_16),
	KERNEL(FORK, 32, decode_task, row_fork),
	KERNEL(READ, 24, decode_read, row_read),
	KERNEL(SAMPLE, 8, sample_decode, row_sample),
	KERNEL(MMAP2, 64, decode_mmap2, row_mmap),
	KERNEL(AUX, 32, decode_aux, row_aux),
	KERNEL(ITRACE_START, 16, decode_own_pid, row_nothing),
	KERNEL(LOST_SAMPLES, 16, decode_lost, row_u64_at_8),
	KERNEL(SWITCH, 8, decode_nothing, row_switch),
	KERNEL(SWITCH_CPU_WIDE, 16, decode_nothing, row_switch),
	KERNEL(NAMESPACES, 24, decode_namespaces, row_u64_at_16),
	KERNEL(KSYMBOL, 24, decode_ksymbol, row_ksymbol),
	KERNEL(BPF_EVENT, 24, decode_nothing, row_bpf),
	KERNEL(CGROUP, 16, decode_cgroup, row_cgroup),
	KERNEL(TEXT_POKE, 20, decode_nothing, row_text_poke),
	KERNEL(AUX_OUTPUT_HW_ID, 16, decode_nothing, row_u64_at_8),
	KERNEL(CALLCHAIN_DEFERRED, 24, decode_deferred, row_u64_at_8),
	TOOL(HEADER_ATTR),
	TOOL(HEADER_EVENT_TYPE),
	TOOL(HEADER_TRACING_DATA),
	TOOL(HEADER_BUILD_ID),
	TOOL(FINISHED_ROUND),
	TOOL(ID_INDEX),
	TOOL(AUXTRACE_INFO),
	TOOL(AUXTRACE),
	TOOL(AUXTRACE_ERROR),
	TOOL(THREAD_MAP),
	TOOL(CPU_MAP),
	TOOL(STAT_CONFIG),
	TOOL(STAT),
	TOOL(STAT_ROUND),
	TOOL(EVENT_UPDATE),
	TOOL(TIME_CONV),
	TOOL(HEADER_FEATURE),
	TOOL(COMPRESSED),
	TOOL(FINISHED_INIT),
	TOOL(COMPRESSED2),
	TOOL(BPF_METADATA),
	TOOL(SCHEDSTAT_CPU),
	TOOL(SCHEDSTAT_DOMAIN),
};

_Static_assert(ARRAY_SIZE(types) == PERF_RECORD_TOOL_END, "the last type has no row");

#define SIMPLEPERF(type)                                                                        \
	[SIMPLEPERF_RECORD_##type - SIMPLEPERF_RECORD_START] = { "SIMPLEPERF_" #type,           \
		                                                 PERF_RECORD_HEADER_SIZE, NULL, \
		                                                 NULL }

static const struct record_type simpleperf_types[] = {
	SIMPLEPERF(KERNEL_SYMBOL), SIMPLEPERF(DSO),
	SIMPLEPERF(SYMBOL),        SIMPLEPERF(SPLIT),
	SIMPLEPERF(SPLIT_END),     SIMPLEPERF(EVENT_ID),
	SIMPLEPERF(CALLCHAIN),     SIMPLEPERF(UNWINDING_RESULT),
	SIMPLEPERF(TRACING_DATA),  SIMPLEPERF(DEBUG),
};

_Static_assert(ARRAY_SIZE(simpleperf_types) == SIMPLEPERF_RECORD_END - SIMPLEPERF_RECORD_START,
               "the last type has no row");

const struct record_type *record_type_of(uint32_t type)
{
	if (type >= SIMPLEPERF_RECORD_START && type < SIMPLEPERF_RECORD_END)
		return &simpleperf_types[type - SIMPLEPERF_RECORD_START];
	return type < ARRAY_SIZE(types) && types[type].name ? &types[type] : NULL;
}

const char *record_type_name(uint32_t type)
{
	const struct record_type *known = record_type_of(type);

	return known ? known->name : NULL;
}

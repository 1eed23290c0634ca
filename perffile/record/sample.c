#include "perffile/record/sample.h"

#include "perffile/record/samplevariable.h"

#include <inttypes.h>

/* Payload minimum of each kernel type, with the header (format reference, 3.3). */
static const uint8_t minimum[PERF_RECORD_KERNEL_END] = {
	[PERF_RECORD_MMAP] = 40,
	[PERF_RECORD_LOST] = 24,
	[PERF_RECORD_COMM] = 16,
	[PERF_RECORD_EXIT] = 32,
	[PERF_RECORD_THROTTLE] = 32,
	[PERF_RECORD_UNTHROTTLE] = 32,
	[PERF_RECORD_FORK] = 32,
	[PERF_RECORD_READ] = 24,
	[PERF_RECORD_SAMPLE] = 8,
	[PERF_RECORD_MMAP2] = 64,
	[PERF_RECORD_AUX] = 32,
	[PERF_RECORD_ITRACE_START] = 16,
	[PERF_RECORD_LOST_SAMPLES] = 16,
	[PERF_RECORD_SWITCH] = 8,
	[PERF_RECORD_SWITCH_CPU_WIDE] = 16,
	[PERF_RECORD_NAMESPACES] = 24,
	[PERF_RECORD_KSYMBOL] = 24,
	[PERF_RECORD_BPF_EVENT] = 24,
	[PERF_RECORD_CGROUP] = 16,
	[PERF_RECORD_TEXT_POKE] = 20,
	[PERF_RECORD_AUX_OUTPUT_HW_ID] = 16,
	[PERF_RECORD_CALLCHAIN_DEFERRED] = 24,
};

static inline uint64_t get_u64(const struct session *session, const uint8_t *p)
{
	return load_u64(p, session->swap);
}

static inline int32_t get_s32(const struct session *session, const uint8_t *p)
{
	return (int32_t)load_u32(p, session->swap);
}

/* The layout to read a record with, when its event is not known: the first one's. */
static const struct layout *layout_of(const struct session *session, uint32_t event)
{
	if (event != EVENT_UNKNOWN)
		return &session->events[event].layout;
	return session->active ? &session->events[0].layout : NULL;
}

/* Bytes of the trailer that this record has: all, or none if its payload leaves no room. */
static size_t trailer_of(const struct layout *layout, const struct raw_record *raw)
{
	size_t least = raw->type < PERF_RECORD_KERNEL_END ? minimum[raw->type]
	                                                  : PERF_RECORD_HEADER_SIZE;
	size_t trailer = layout ? (size_t)layout->trailer : 0;

	return least && raw->size >= least + trailer ? trailer : 0;
}

uint64_t record_time(const struct session *session, const struct raw_record *raw, uint32_t event)
{
	const struct layout *layout = layout_of(session, event);

	if (raw->type == PERF_RECORD_SAMPLE)
		return layout ? sample_time(session, layout, raw) : TIME_NONE;
	if (trailer_of(layout, raw)) {
		if (layout->back_time < 0)
			return TIME_NONE;
		return usable_time(get_u64(session, raw->data + raw->size - layout->back_time));
	}
	if ((raw->type == PERF_RECORD_FORK || raw->type == PERF_RECORD_EXIT) && raw->size >= 32)
		return usable_time(get_u64(session, raw->data + 24));
	return TIME_NONE;
}

/*
 * A `perf record --off-cpu` sample (perf 6.16 and later) keeps the truth in its raw part: u32 pid,
 * u32 tid, u64 ns, u64 count, u64 ips[count]; the first ip is a marker.
 */
static void decode_off_cpu(struct record *record, const struct session *session)
{
	struct record_sample *sample = &record->sample;
	const uint8_t *raw = sample->raw;
	uint64_t count;

	if (sample->raw_size < 24)
		return;
	record->pid = get_s32(session, raw);
	record->tid = get_s32(session, raw + 4);
	record->has_tid = true;
	sample->period = get_u64(session, raw + 8);
	count = get_u64(session, raw + 16);
	if (count > (sample->raw_size - 24) / 8)
		return;
	sample->callchain = raw + 24;
	sample->callchain_count = count;
	if (count > 1)
		sample->ip = get_u64(session, raw + 32);
}

static bool is_off_cpu(const struct event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       (event->attr.sample_type & PERF_SAMPLE_RAW) &&
	       event->attr.config == PERF_COUNT_SW_BPF_OUTPUT && event->name &&
	       !strncmp(event->name, "offcpu-time", strlen("offcpu-time"));
}

static struct cursor behind_fixed(const struct session *session, const struct layout *layout,
                                  const struct raw_record *raw, struct err *problem)
{
	return cursor_over(raw->data + layout->fixed, (size_t)(raw->size - layout->fixed),
	                   raw->offset + (uint64_t)layout->fixed, "SAMPLE record", session->swap,
	                   problem);
}

bool sample_is_whole(const struct session *session, const struct sample *sample)
{
	const struct event *event = &session->events[sample->event];
	struct record_sample dropped;
	struct raw_record raw;
	struct err problem;
	struct cursor c;

	if (!event->layout.variable)
		return true;
	if ((event->attr.sample_type & PERF_SAMPLE_READ) || is_off_cpu(event))
		return false;
	raw_record_at(&raw, sample->data, session->swap);
	problem.code = ERR_NONE;
	c = behind_fixed(session, &event->layout, &raw, &problem);
	sample_decode_variable(&dropped, event, &c);
	return problem.code == ERR_NONE;
}

static void decode_sample(struct record *record, const struct session *session,
                          const struct raw_record *raw, struct err *problem)
{
	struct record_sample *sample = &record->sample;
	const struct layout *layout = layout_of(session, record->event);
	const struct event *event;

	*sample = (struct record_sample){ 0 };
	if (raw->size < layout->fixed) {
		record->damaged = true;
		err_at(problem, ERR_FORMAT, raw->offset,
		       "SAMPLE record: expected at least %d bytes, found %u", layout->fixed,
		       raw->size);
		return;
	}
	event = &session->events[record->event == EVENT_UNKNOWN ? 0 : record->event];
	if (layout->ip >= 0)
		sample->ip = get_u64(session, raw->data + layout->ip);
	if (layout->tid >= 0) {
		record->pid = get_s32(session, raw->data + layout->tid);
		record->tid = get_s32(session, raw->data + layout->tid + 4);
		record->has_tid = true;
	}
	if (layout->addr >= 0) {
		sample->addr = get_u64(session, raw->data + layout->addr);
		sample->has_addr = true;
	}
	if (layout->id >= 0)
		sample->id = get_u64(session, raw->data + layout->id);
	if (layout->stream_id >= 0)
		sample->stream_id = get_u64(session, raw->data + layout->stream_id);
	if (layout->cpu >= 0)
		record->cpu = get_s32(session, raw->data + layout->cpu);
	if (layout->period >= 0)
		sample->period = get_u64(session, raw->data + layout->period);
	else
		sample->period = event->attr.default_period;
	if (layout->variable) {
		struct cursor c = behind_fixed(session, layout, raw, problem);

		sample_decode_variable(sample, event, &c);
		sample->damaged = problem->code != ERR_NONE;
		if (is_off_cpu(event))
			decode_off_cpu(record, session);
	}
	if (!sample->damaged)
		sample->fields = (uint32_t)event->attr.sample_type & PERF_SAMPLE_KNOWN;
}

static struct record_text text_at(const struct raw_record *raw, size_t at, size_t end)
{
	struct record_text text = { (const char *)raw->data + at, 0 };

	if (at < end)
		text.length = strnlen(text.text, end - at);
	return text;
}

#define PROT_MOST 0xffu      /* no prot is larger */
#define MODE_REGULAR 0x8000u /* with 12 bits of permissions: the mode of a file */

/* Makes a prot of the word if it is one, or what perf inject --jit writes there: the mode of its file. */
static bool take_prot(uint32_t word, uint32_t *prot)
{
	bool is_mode = (word & ~0xfffu) == MODE_REGULAR;

	*prot = is_mode ? PERF_PROT_EXEC : word;
	return is_mode || word <= PROT_MOST;
}

/*
 * 3.10 kernels of RHEL 7.0 and 3.12-rc wrote MMAP2 without prot and flags; nothing says so. In the
 * long form the word at 64 is a small prot, in the short one it is the name's first four bytes.
 * Tools that turned a recording's byte order have left this word as it was: either order will do.
 */
static bool mmap2_prot(const struct raw_record *raw, size_t end, uint32_t *prot)
{
	uint32_t word;

	if (end < 73)
		return false;
	word = load_u32(raw->data + 64, false);
	return take_prot(word, prot) || take_prot(__builtin_bswap32(word), prot);
}

static void decode_mmap(struct record *record, const struct session *session,
                        const struct raw_record *raw, size_t end)
{
	struct record_mmap *map = &record->mmap;
	const uint8_t *p = raw->data;
	size_t name = 40;
	uint32_t prot;

	memset(map, 0, sizeof(*map));
	map->start = get_u64(session, p + 16);
	map->length = get_u64(session, p + 24);
	map->pgoff = get_u64(session, p + 32);
	map->prot = raw->misc & PERF_MISC_MMAP_DATA ? 0 : PERF_PROT_EXEC;
	if (raw->type == PERF_RECORD_MMAP2) {
		if (raw->misc & PERF_MISC_MMAP_BUILD_ID) {
			map->has_build_id = true;
			map->build_id_size = p[40] <= PERF_BUILD_ID_SIZE ? p[40]
			                                                 : PERF_BUILD_ID_SIZE;
			memcpy(map->build_id, p + 44, sizeof(map->build_id));
		} else {
			map->major = load_u32(p + 40, session->swap);
			map->minor = load_u32(p + 44, session->swap);
			map->inode = get_u64(session, p + 48);
			map->generation = get_u64(session, p + 56);
		}
		name = 64;
		if (mmap2_prot(raw, end, &prot)) {
			map->prot = prot;
			map->flags = load_u32(p + 68, session->swap);
			name = 72;
		}
	}
	map->name = text_at(raw, name, end);
}

static void own_pid(struct record *record, const struct session *session,
                    const struct raw_record *raw)
{
	record->pid = get_s32(session, raw->data + 8);
	record->tid = get_s32(session, raw->data + 12);
	record->has_tid = true;
}

static void decode_task(struct record *record, const struct session *session,
                        const struct raw_record *raw)
{
	record->pid = get_s32(session, raw->data + 8);
	record->task.ppid = get_s32(session, raw->data + 12);
	record->tid = get_s32(session, raw->data + 16);
	record->task.ptid = get_s32(session, raw->data + 20);
	record->task.own_time = get_u64(session, raw->data + 24);
	record->has_tid = true;
}

static void decode_read_record(struct record *record, const struct session *session,
                               const struct raw_record *raw, size_t end, struct err *problem)
{
	uint32_t event = record->event == EVENT_UNKNOWN ? 0 : record->event;
	struct cursor c = cursor_over(raw->data + 16, end - 16, raw->offset + 16, "READ record",
	                              session->swap, problem);

	own_pid(record, session, raw);
	read_decode(&record->read, session->events[event].attr.read_format, &c);
	record->damaged = problem->code != ERR_NONE;
}

static void decode_namespaces(struct record *record, const struct session *session,
                              const struct raw_record *raw, size_t end, struct err *problem)
{
	own_pid(record, session, raw);
	record->namespaces.count = get_u64(session, raw->data + 16);
	record->namespaces.data = raw->data + 24;
	if (record->namespaces.count <= (end - 24) / 16)
		return;
	record->damaged = true;
	err_at(problem, ERR_FORMAT, raw->offset + 16,
	       "NAMESPACES record: %" PRIu64 " namespaces do not fit in %zu bytes",
	       record->namespaces.count, end - 24);
}

static void decode_deferred(struct record *record, const struct session *session,
                            const struct raw_record *raw, size_t end, struct err *problem)
{
	record->deferred.cookie = get_u64(session, raw->data + 8);
	record->deferred.count = get_u64(session, raw->data + 16);
	record->deferred.ips = raw->data + 24;
	if (record->deferred.count <= (end - 24) / 8)
		return;
	record->damaged = true;
	err_at(problem, ERR_FORMAT, raw->offset + 16,
	       "CALLCHAIN_DEFERRED record: %" PRIu64 " entries do not fit in %zu bytes",
	       record->deferred.count, end - 24);
}

static void decode_bpf(struct record *record, const struct session *session,
                       const struct raw_record *raw)
{
	record->bpf.type = load_u16(raw->data + 8, session->swap);
	record->bpf.flags = load_u16(raw->data + 10, session->swap);
	record->bpf.id = load_u32(raw->data + 12, session->swap);
	memcpy(record->bpf.tag, raw->data + 16, sizeof(record->bpf.tag));
}

static void decode_ksymbol(struct record *record, const struct session *session,
                           const struct raw_record *raw, size_t end)
{
	record->ksymbol.addr = get_u64(session, raw->data + 8);
	record->ksymbol.length = load_u32(raw->data + 16, session->swap);
	record->ksymbol.type = load_u16(raw->data + 20, session->swap);
	record->ksymbol.flags = load_u16(raw->data + 22, session->swap);
	record->ksymbol.name = text_at(raw, 24, end);
}

/* Everything but SAMPLE. end: where the payload ends and the trailer starts. */
static void decode_payload(struct record *record, const struct session *session,
                           const struct raw_record *raw, size_t end, struct err *problem)
{
	const uint8_t *p = raw->data;

	switch (raw->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		own_pid(record, session, raw);
		decode_mmap(record, session, raw, end);
		break;
	case PERF_RECORD_COMM:
		own_pid(record, session, raw);
		record->comm = text_at(raw, 16, end);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		decode_task(record, session, raw);
		break;
	case PERF_RECORD_LOST:
		record->lost.id = get_u64(session, p + 8);
		record->lost.lost = get_u64(session, p + 16);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		record->lost.id = 0;
		record->lost.lost = get_u64(session, p + 8);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		record->throttle.time = get_u64(session, p + 8);
		record->throttle.id = get_u64(session, p + 16);
		record->throttle.stream_id = get_u64(session, p + 24);
		break;
	case PERF_RECORD_READ:
		decode_read_record(record, session, raw, end, problem);
		break;
	case PERF_RECORD_AUX:
		record->aux.offset = get_u64(session, p + 8);
		record->aux.size = get_u64(session, p + 16);
		record->aux.flags = get_u64(session, p + 24);
		break;
	case PERF_RECORD_ITRACE_START:
		own_pid(record, session, raw);
		break;
	case PERF_RECORD_SWITCH_CPU_WIDE:
		record->context.pid = get_s32(session, p + 8);
		record->context.tid = get_s32(session, p + 12);
		break;
	case PERF_RECORD_NAMESPACES:
		decode_namespaces(record, session, raw, end, problem);
		break;
	case PERF_RECORD_KSYMBOL:
		decode_ksymbol(record, session, raw, end);
		break;
	case PERF_RECORD_BPF_EVENT:
		decode_bpf(record, session, raw);
		break;
	case PERF_RECORD_CGROUP:
		record->cgroup.id = get_u64(session, p + 8);
		record->cgroup.path = text_at(raw, 16, end);
		break;
	case PERF_RECORD_TEXT_POKE:
		record->text_poke.addr = get_u64(session, p + 8);
		record->text_poke.old_length = load_u16(p + 16, session->swap);
		record->text_poke.new_length = load_u16(p + 18, session->swap);
		break;
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		record->hw_id = get_u64(session, p + 8);
		break;
	case PERF_RECORD_CALLCHAIN_DEFERRED:
		decode_deferred(record, session, raw, end, problem);
		break;
	default:
		break;
	}
}

void record_decode(struct record *record, const struct session *session,
                   const struct raw_record *raw, uint32_t event, struct err *problem)
{
	const struct layout *layout = layout_of(session, event);
	const uint8_t *end = raw->data + raw->size;
	size_t trailer;
	bool filled;

	record->offset = raw->offset;
	record->type = raw->type;
	record->misc = raw->misc;
	record->size = raw->size;
	record->event = event;
	record->pid = record->tid = record->cpu = -1;
	record->has_tid = record->damaged = record->has_event = false;
	record->swap = session->swap;
	record->big_endian = session->big_endian;
	if (!layout && raw->type == PERF_RECORD_SAMPLE) {
		record->damaged = true;
		record->sample = (struct record_sample){ 0 };
		err_at(problem, ERR_FORMAT, raw->offset,
		       "record of type %" PRIu32 ": no event is known before it", raw->type);
		return;
	}
	if (raw->type == PERF_RECORD_SAMPLE) {
		record->has_event = true;
		decode_sample(record, session, raw, problem);
		return;
	}
	/* what other records say of themselves does not depend on an event: without one, without a trailer */
	trailer = trailer_of(layout, raw);
	/* where perf itself wrote the record, without a time, nothing else but the id was filled in */
	filled = trailer && (layout->back_time < 0 ||
	                     usable_time(get_u64(session, end - layout->back_time)) != TIME_NONE);
	if (filled && layout->back_tid >= 0) {
		record->pid = get_s32(session, end - layout->back_tid);
		record->tid = get_s32(session, end - layout->back_tid + 4);
		record->has_tid = true;
	}
	if (filled && layout->back_cpu >= 0)
		record->cpu = get_s32(session, end - layout->back_cpu);
	if (trailer && layout->back_id >= 0)
		record->has_event = get_u64(session, end - layout->back_id) != 0;
	if (raw->type >= PERF_RECORD_KERNEL_END)
		return;
	if (raw->size < minimum[raw->type]) {
		record->damaged = true;
		err_at(problem, ERR_FORMAT, raw->offset,
		       "record of type %" PRIu32 ": expected at least %d bytes, found %u",
		       raw->type, minimum[raw->type], raw->size);
		return;
	}
	decode_payload(record, session, raw, raw->size - trailer, problem);
}

void sample_record(struct record *record, const struct session *session,
                   const struct sample *sample)
{
	struct raw_record raw;
	struct err problem;

	record->nr = sample->nr;
	record->time = sample->time;
	raw_record_at(&raw, sample->data, session->swap);
	problem.code = ERR_NONE;
	record_decode(record, session, &raw, sample->event, &problem);
}

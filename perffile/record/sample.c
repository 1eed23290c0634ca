#include "perffile/record/sample.h"

#include "perffile/record/payload.h"

#include <inttypes.h>

/*
 * A `perf record --off-cpu` sample (perf 6.16 and later) holds the real values in its raw part: u32
 * pid, u32 tid, u64 ns, u64 count, u64 ips[count]; the first ip is a marker.
 */
static void decode_off_cpu(struct record *record)
{
	const bool swap = record->swap;
	struct record_sample *sample = &record->sample;
	const uint8_t *raw = sample->raw;
	uint64_t count;

	if (sample->raw_size < 24)
		return;
	record->pid = (int32_t)load_u32(raw, swap);
	record->tid = (int32_t)load_u32(raw + 4, swap);
	record->has_tid = true;
	sample->period = load_u64(raw + 8, swap);
	count = load_u64(raw + 16, swap);
	if (count > (sample->raw_size - 24) / 8)
		return;
	sample->callchain = raw + 24;
	sample->callchain_count = count;
	if (count > 1)
		sample->ip = load_u64(raw + 32, swap);
}

static bool is_off_cpu(const struct event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       (event->attr.sample_type & PERF_SAMPLE_RAW) &&
	       event->attr.config == PERF_COUNT_SW_BPF_OUTPUT && event->name &&
	       !strncmp(event->name, "offcpu-time", strlen("offcpu-time"));
}

/*
 * Whether only raw data follows the fixed fields, as in tracepoints, or only a call chain, and ends
 * at the end of the record: `size` bytes at data follow. Checking this first saves 9 % of the
 * instructions of reading tracepoints, and 5 % of those of call chains.
 */
static inline bool is_one_whole_field(uint64_t fields, const uint8_t *data, size_t size, bool swap)
{
	if (fields == PERF_SAMPLE_RAW)
		return size >= 4 && load_u32(data, swap) == size - 4;
	return fields == PERF_SAMPLE_CALLCHAIN && size >= 8 && size % 8 == 0 &&
	       load_u64(data, swap) == size / 8 - 1;
}

/* The same for any fields. */
static bool are_whole_fields(const struct event *event, const uint8_t *data, size_t size, bool swap)
{
	struct err problem = { .code = ERR_NONE };
	struct record_sample dropped;
	struct cursor c = cursor_over(data, size, 0, "SAMPLE record", swap, &problem);

	sample_decode_variable(&dropped, event, &c);
	return problem.code == ERR_NONE;
}

bool sample_is_whole(const struct session *session, const struct sample *sample)
{
	const struct event *event = &session->events[sample->event];
	const uint64_t fields = event->layout.variable;
	const uint8_t *data = sample->data + event->layout.fixed;
	const size_t size = load_u16(sample->data + 6, session->swap) - (size_t)event->layout.fixed;

	if (!fields)
		return true;
	if ((fields & PERF_SAMPLE_READ) || is_off_cpu(event))
		return false;
	return is_one_whole_field(fields, data, size, session->swap) ||
	       are_whole_fields(event, data, size, session->swap);
}

/* Decodes the fixed fields; the caller has checked that they are there. */
static void decode_fixed(struct record *record, const struct payload *payload)
{
	struct record_sample *sample = &record->sample;
	const int16_t id_at = payload->event->layout.id;
	struct sample fixed;

	sample_take(&fixed, payload->event, record->data, record->swap);
	record->has_tid = fixed.has_tid;
	record->pid = fixed.pid;
	record->tid = fixed.tid;
	record->cpu = fixed.cpu;
	sample->ip = fixed.ip;
	sample->has_addr = fixed.has_addr;
	sample->addr = fixed.addr;
	sample->period = fixed.period;
	sample->id = id_at >= 0 ? record_u64(record, (size_t)id_at) : 0;
}

void sample_decode(struct record *record, const struct payload *payload)
{
	struct record_sample *sample = &record->sample;
	const struct event *event = payload->event;
	struct err *problem = payload->problem;

	*sample = (struct record_sample){ 0 };
	if (!event) {
		record->damaged = true;
		err_at(problem, ERR_FORMAT, block_offset(record->data),
		       "SAMPLE record: no event is known before it");
		return;
	}
	if (payload->end < (size_t)event->layout.fixed) {
		record->damaged = true;
		err_at(problem, ERR_FORMAT, block_offset(record->data),
		       "SAMPLE record: expected at least %d bytes, found %zu", event->layout.fixed,
		       payload->end);
		return;
	}
	decode_fixed(record, payload);
	if (event->layout.variable) {
		struct cursor c = payload_from(record, payload, (size_t)event->layout.fixed,
		                               "SAMPLE record");

		sample_decode_variable(sample, event, &c);
		sample->damaged = problem->code != ERR_NONE;
		if (is_off_cpu(event))
			decode_off_cpu(record);
	}
	if (!sample->damaged)
		sample->fields = (uint32_t)event->attr.sample_type & PERF_SAMPLE_KNOWN;
}

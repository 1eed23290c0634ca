#include "perffile/session/attr.h"

#define ATTR_FLAGS_BITS 64

/* The flags are bit-fields, which big-endian machines lay out from the other end. */
static uint64_t decode_flags(uint64_t word, bool big_endian)
{
	uint64_t flags = 0;

	if (!big_endian)
		return word;
	for (int bit = 0; bit < ATTR_FLAGS_BITS; bit++)
		flags |= (word >> (63 - bit) & 1) << bit;
	/* precise_ip is a field of two bits, whose own bit order is not reversed */
	flags &= ~((uint64_t)3 << PERF_FLAG_PRECISE_IP);
	return flags | (word >> 47 & 3) << PERF_FLAG_PRECISE_IP;
}

static uint64_t u64_or_0(struct cursor *c)
{
	return cur_left(c) >= 8 ? cur_u64(c) : 0;
}

void event_attr_decode(struct event_attr *attr, struct cursor c, bool big_endian)
{
	memset(attr, 0, sizeof(*attr));
	attr->type = cur_u32(&c);
	attr->size = cur_u32(&c);
	if (attr->size == 0)
		attr->size = PERF_ATTR_SIZE_MIN;
	attr->config = cur_u64(&c);
	attr->sample_period = cur_u64(&c);
	attr->sample_type = cur_u64(&c);
	attr->read_format = cur_u64(&c);
	attr->flags = decode_flags(cur_u64(&c), big_endian);
	cur_u32(&c); /* wakeup_events */
	attr->bp_type = cur_u32(&c);
	attr->bp_addr = cur_u64(&c);
	/* later kernels added these one by one, so an older attr ends before them */
	u64_or_0(&c); /* bp_len */
	attr->branch_sample_type = u64_or_0(&c);
	attr->sample_regs_user = u64_or_0(&c);
	if (cur_left(&c) >= 8) {
		attr->sample_stack_user = cur_u32(&c);
		attr->clockid = (int32_t)cur_u32(&c);
	}
	attr->sample_regs_intr = u64_or_0(&c);
	if (cur_left(&c) >= 8) {
		cur_u32(&c); /* aux_watermark */
		attr->sample_max_stack = cur_u16(&c);
		cur_u16(&c);
	}
	attr->default_period = attr_flag(attr, PERF_FLAG_FREQ) ? 1 : attr->sample_period;
}

/* The offset of a fixed 8-byte field; -1 if the sample type does not have it. */
static int16_t field_offset(uint64_t sample_type, uint64_t bit, int16_t *next)
{
	int16_t at = *next;

	if (!(sample_type & bit))
		return -1;
	*next = (int16_t)(at + 8);
	return at;
}

void layout_init(struct sample_layout *layout, const struct event_attr *attr)
{
	const uint64_t type = attr->sample_type;
	const uint64_t fixed = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
	                       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
	                       PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	const bool has_trailer = attr_flag(attr, PERF_FLAG_SAMPLE_ID_ALL);
	int16_t next = PERF_RECORD_HEADER_SIZE, identifier, id;

	identifier = field_offset(type, PERF_SAMPLE_IDENTIFIER, &next);
	layout->ip = field_offset(type, PERF_SAMPLE_IP, &next);
	layout->tid = field_offset(type, PERF_SAMPLE_TID, &next);
	layout->time = field_offset(type, PERF_SAMPLE_TIME, &next);
	layout->addr = field_offset(type, PERF_SAMPLE_ADDR, &next);
	id = field_offset(type, PERF_SAMPLE_ID, &next);
	field_offset(type, PERF_SAMPLE_STREAM_ID, &next);
	layout->cpu = field_offset(type, PERF_SAMPLE_CPU, &next);
	layout->period = field_offset(type, PERF_SAMPLE_PERIOD, &next);
	layout->id = identifier >= 0 ? identifier : id;
	layout->fixed = next;
	layout->variable = type & ~fixed;

	/* the trailer has such a list too, whose offsets count from the end */
	next = 8;
	identifier = field_offset(type, PERF_SAMPLE_IDENTIFIER, &next);
	layout->back_cpu = field_offset(type, PERF_SAMPLE_CPU, &next);
	field_offset(type, PERF_SAMPLE_STREAM_ID, &next);
	id = field_offset(type, PERF_SAMPLE_ID, &next);
	layout->back_time = field_offset(type, PERF_SAMPLE_TIME, &next);
	layout->back_tid = field_offset(type, PERF_SAMPLE_TID, &next);
	layout->back_id = identifier >= 0 ? identifier : id;
	layout->trailer = has_trailer ? (int16_t)(next - 8) : 0;
	if (!has_trailer)
		layout->back_cpu = layout->back_time = layout->back_tid = layout->back_id = -1;
}

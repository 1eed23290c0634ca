/* The fields of a sample that follow the fixed ones and vary in size. */
#include "perffile/record/payload.h"

#include <inttypes.h>

void read_decode(struct record_read *read, uint64_t format, struct cursor *c)
{
	read->group = (format & PERF_FORMAT_GROUP) != 0;
	read->has_id = (format & PERF_FORMAT_ID) != 0;
	read->stride = (uint8_t)(1 + read->has_id + ((format & PERF_FORMAT_LOST) != 0));
	read->id_at = 1;
	read->count = 1;
	read->enabled = read->running = 0;
	if (read->group)
		read->count = cur_u64(c);
	else
		read->data = cur_take(c, 8);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		read->enabled = cur_u64(c);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		read->running = cur_u64(c);
	if (!read->group) {
		/* the times stand between the value and its id */
		read->id_at = (uint8_t)(1 + ((format & PERF_FORMAT_TOTAL_TIME_ENABLED) != 0) +
		                        ((format & PERF_FORMAT_TOTAL_TIME_RUNNING) != 0));
		if (!cur_take(c, 8u * (read->stride - 1u)))
			read->count = 0;
		return;
	}
	read->data = c->pos;
	if (cur_fits(c, read->count, 8u * read->stride, "read values"))
		cur_take(c, read->count * 8u * read->stride);
	else
		read->count = 0;
}

/* Whether hw_idx stands between the count and the branches, as the attr says. */
static bool has_index(const struct event *event)
{
	return (event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX) != 0;
}

static void decode_branches(struct record_sample *sample, const struct event *event, uint64_t count,
                            struct cursor *c)
{
	size_t each = event->branch_counters ? 32 : 24;

	if (has_index(event))
		cur_u64(c); /* the place of the first in the hardware's ring */
	if (!cur_fits(c, count, each, "branches"))
		return;
	sample->branches = (struct record_branches){ cur_take(c, 24 * count), count };
	cur_take(c, (each - 24) * count); /* counters */
}

static void decode_regs(struct record_regs *regs, uint64_t mask, struct cursor *c)
{
	uint64_t abi = cur_u64(c);

	if (abi == PERF_REGS_ABI_NONE)
		return;
	regs->values = cur_take(c, 8u * (unsigned)__builtin_popcountll(mask));
	if (regs->values) {
		regs->abi = abi;
		regs->mask = mask;
	}
}

static void decode_stack(struct record_stack *stack, struct cursor *c)
{
	uint64_t size = cur_u64(c), used;
	const uint8_t *data;

	if (size == 0)
		return;
	data = cur_take(c, size);
	used = cur_u64(c);
	if (used > size)
		err_at(c->err, ERR_FORMAT, c->offset - 8,
		       "%s: expected at most %" PRIu64 " bytes of stack in use, found %" PRIu64,
		       c->name, size, used);
	else if (data && c->err->code == ERR_NONE)
		*stack = (struct record_stack){ data, size, used };
}

static void decode_raw(struct record_sample *sample, struct cursor *c)
{
	sample->raw_size = cur_u32(c);
	sample->raw = cur_take(c, sample->raw_size);
	if (!sample->raw)
		sample->raw_size = 0;
}

static void decode_callchain(struct record_sample *sample, struct cursor *c)
{
	uint64_t count = cur_u64(c);

	if (!cur_fits(c, count, 8, "callchain entries"))
		return;
	sample->callchain_count = count;
	sample->callchain = cur_take(c, 8 * count);
}

/* Decodes a field of one word. */
static void decode_word(uint64_t *word, uint64_t type, uint32_t bits, struct cursor *c)
{
	if (type & bits)
		*word = cur_u64(c);
}

/* Decodes the fields after the branches, up to the end of the record. */
static void decode_rest(struct record_sample *sample, const struct event_attr *attr,
                        struct cursor *c)
{
	const uint64_t type = attr->sample_type;
	struct record_regs unused_regs;
	uint64_t unused;

	if (type & PERF_SAMPLE_REGS_USER)
		decode_regs(&sample->user_regs, attr->sample_regs_user, c);
	if (type & PERF_SAMPLE_STACK_USER)
		decode_stack(&sample->user_stack, c);
	decode_word(&sample->weight, type, PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT, c);
	decode_word(&sample->data_source, type, PERF_SAMPLE_DATA_SRC, c);
	decode_word(&sample->transaction, type, PERF_SAMPLE_TRANSACTION, c);
	if (type & PERF_SAMPLE_REGS_INTR)
		decode_regs(&unused_regs, attr->sample_regs_intr, c);
	decode_word(&unused, type, PERF_SAMPLE_PHYS_ADDR, c);
	decode_word(&sample->cgroup, type, PERF_SAMPLE_CGROUP, c);
	decode_word(&unused, type, PERF_SAMPLE_DATA_PAGE_SIZE, c);
	decode_word(&unused, type, PERF_SAMPLE_CODE_PAGE_SIZE, c);
	if (type & PERF_SAMPLE_AUX)
		cur_take(c, cur_u64(c));
	/* unknown bits announce further fields */
	if (!(type & ~(uint64_t)PERF_SAMPLE_KNOWN) && cur_left(c) && c->err->code == ERR_NONE)
		err_at(c->err, ERR_FORMAT, c->offset, "%s: %zu bytes behind its last field",
		       c->name, cur_left(c));
}

/*
 * Without branches the kernel leaves out their index although the attr announces it, but perf
 * itself writes it. The right form is the one with which the last field ends at the end of the
 * record.
 */
static bool is_whole_with_index(const struct event_attr *attr, struct cursor c)
{
	struct record_sample dropped;
	struct err trial;

	trial.code = ERR_NONE;
	c.err = &trial;
	cur_take(&c, 8);
	decode_rest(&dropped, attr, &c);
	return trial.code == ERR_NONE;
}

void sample_decode_variable(struct record_sample *sample, const struct event *event,
                            struct cursor *c)
{
	const struct event_attr *attr = &event->attr;
	const uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_READ)
		read_decode(&sample->read, attr->read_format, c);
	if (type & PERF_SAMPLE_CALLCHAIN)
		decode_callchain(sample, c);
	if (type & PERF_SAMPLE_RAW)
		decode_raw(sample, c);
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		uint64_t count = cur_u64(c);

		if (count || !has_index(event) || is_whole_with_index(attr, *c))
			decode_branches(sample, event, count, c);
	}
	decode_rest(sample, attr, c);
}

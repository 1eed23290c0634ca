#include "perffile/record/samplevariable.h"

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
		/* the times lie between the value and its id */
		read->id_at = (uint8_t)(1 + ((format & PERF_FORMAT_TOTAL_TIME_ENABLED) != 0) +
		                        ((format & PERF_FORMAT_TOTAL_TIME_RUNNING) != 0));
		if (!cur_take(c, 8u * (read->stride - 1u)))
			read->count = 0;
		return;
	}
	read->data = c->pos;
	if (read->count > cur_left(c) / (8u * read->stride)) {
		err_at(c->err, ERR_FORMAT, c->offset,
		       "%s: %" PRIu64 " read values do not fit in %zu bytes", c->name, read->count,
		       cur_left(c));
		read->count = 0;
		cur_take(c, cur_left(c));
		return;
	}
	cur_take(c, read->count * 8u * read->stride);
}

/* Whether the index of the hardware stands between the count and the branches. */
static bool has_index(const struct event *event)
{
	return (event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX) != 0;
}

static void skip_branches(const struct event *event, uint64_t count, struct cursor *c)
{
	size_t each = event->branch_counters ? 32 : 24;

	if (has_index(event))
		cur_take(c, 8);
	if (count > cur_left(c) / each) {
		err_at(c->err, ERR_FORMAT, c->offset,
		       "%s: %" PRIu64 " branches do not fit in %zu bytes", c->name, count,
		       cur_left(c));
		cur_take(c, cur_left(c));
		return;
	}
	cur_take(c, count * each);
}

static void skip_regs(uint64_t mask, struct cursor *c)
{
	if (cur_u64(c) != 0)
		cur_take(c, 8u * (unsigned)__builtin_popcountll(mask));
}

static void skip_stack(struct cursor *c)
{
	uint64_t size = cur_u64(c), used;

	if (size == 0)
		return;
	cur_take(c, size);
	used = cur_u64(c);
	if (used > size)
		err_at(c->err, ERR_FORMAT, c->offset - 8,
		       "%s: expected at most %" PRIu64 " bytes of stack in use, found %" PRIu64,
		       c->name, size, used);
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

	if (count > cur_left(c) / 8) {
		err_at(c->err, ERR_FORMAT, c->offset,
		       "%s: %" PRIu64 " callchain entries do not fit in %zu bytes", c->name, count,
		       cur_left(c));
		cur_take(c, cur_left(c));
		return;
	}
	sample->callchain_count = count;
	sample->callchain = cur_take(c, 8 * count);
}

/* Fields behind the branches: all are passed over, to see whether they end where the record does. */
static void skip_rest(const struct event_attr *attr, struct cursor *c)
{
	static const uint32_t words[] = { PERF_SAMPLE_PHYS_ADDR, PERF_SAMPLE_CGROUP,
		                          PERF_SAMPLE_DATA_PAGE_SIZE, PERF_SAMPLE_CODE_PAGE_SIZE };
	const uint64_t type = attr->sample_type;

	if (type & PERF_SAMPLE_REGS_USER)
		skip_regs(attr->sample_regs_user, c);
	if (type & PERF_SAMPLE_STACK_USER)
		skip_stack(c);
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		cur_take(c, 8);
	if (type & PERF_SAMPLE_DATA_SRC)
		cur_take(c, 8);
	if (type & PERF_SAMPLE_TRANSACTION)
		cur_take(c, 8);
	if (type & PERF_SAMPLE_REGS_INTR)
		skip_regs(attr->sample_regs_intr, c);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (type & words[i])
			cur_take(c, 8);
	if (type & PERF_SAMPLE_AUX)
		cur_take(c, cur_u64(c));
	if (!attr->has_unknown_sample_bits && cur_left(c) && c->err->code == ERR_NONE)
		err_at(c->err, ERR_FORMAT, c->offset, "%s: %zu bytes behind its last field",
		       c->name, cur_left(c));
}

/*
 * Without branches the kernel leaves out their index too, though the attr promises it; perf itself
 * writes it. Which of them it was shows at the record's end.
 */
static bool is_whole_with_index(const struct event_attr *attr, struct cursor c)
{
	struct err trial;

	trial.code = ERR_NONE;
	c.err = &trial;
	cur_take(&c, 8);
	skip_rest(attr, &c);
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
			skip_branches(event, count, c);
	}
	skip_rest(attr, c);
}

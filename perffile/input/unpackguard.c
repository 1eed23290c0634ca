#include "perffile/input/unpackguard.h"

#include "util/cursor.h"
#include "util/hash.h"
#include "util/origperf.h"

#include <inttypes.h>

/* first bytes of a record; they include its time, so two records rarely have the same */
#define ID_SIZE 64
/* allowed ratio to the packed bytes, for bytes that are no record or a repeated one */
#define ODD_RATIO_MAX 512

void unpack_guard_init(struct unpack_guard *guard, uint64_t packed)
{
	memset(guard, 0, sizeof(*guard));
	guard->packed = packed;
	guard->wanted = PERF_HEADER_SIZE_PIPE;
	guard->data_left = UINT64_MAX;
}

/* The next record begins behind the body and the gap. Without more data, the rest is a gap. */
static void expect_record(struct unpack_guard *guard)
{
	guard->in_records = true;
	guard->held = 0;
	guard->wanted = PERF_RECORD_HEADER_SIZE;
	if (!guard->data_left)
		guard->gap = UINT64_MAX;
}

static void take_header(struct unpack_guard *guard)
{
	const uint8_t *head = guard->head;
	uint64_t offset;

	/* a wrong byte order would make the size of the header very large */
	guard->swap = load_u64(head + 8, false) > UINT32_MAX;
	if (load_u64(head + 8, guard->swap) == PERF_HEADER_SIZE_PIPE) {
		expect_record(guard);
		return;
	}
	if (guard->held < PERF_HEADER_SIZE) {
		guard->wanted = PERF_HEADER_SIZE;
		return;
	}
	offset = load_u64(head + 40, guard->swap);
	guard->data_left = load_u64(head + 48, guard->swap);
	/* 0 if the recorder was killed; the records then go to the end of the file */
	if (!guard->data_left)
		guard->data_left = UINT64_MAX;
	guard->gap = offset > PERF_HEADER_SIZE ? offset - PERF_HEADER_SIZE : 0;
	expect_record(guard);
}

/* Whether one of the last records began with the same bytes. */
static bool is_repeated(struct unpack_guard *guard)
{
	uint64_t hash = hash_bytes(1, guard->head, guard->held);
	uint64_t *seen = &guard->seen[hash % ARRAY_SIZE(guard->seen)];
	bool repeated = *seen == hash;

	*seen = hash;
	return repeated;
}

static void take_record_head(struct unpack_guard *guard)
{
	const uint8_t *head = guard->head;
	uint32_t type = load_u32(head, guard->swap);
	size_t size = load_u16(head + 6, guard->swap);

	if (size < PERF_RECORD_HEADER_SIZE || size > guard->data_left) {
		guard->gap = UINT64_MAX; /* reading ends at damage, so the rest is not records */
		return;
	}
	guard->wanted = size < ID_SIZE ? size : ID_SIZE;
	if (guard->held < guard->wanted)
		return;
	guard->records++;
	if (is_repeated(guard))
		guard->odd += size;
	if (type == PERF_RECORD_HEADER_TRACING_DATA && size >= 12)
		guard->gap = load_u32(head + 8, guard->swap);
	else if (type == PERF_RECORD_AUXTRACE && size >= 16)
		guard->gap = load_u64(head + 8, guard->swap);
	guard->body = size - guard->held;
	guard->data_left -= size;
	guard->gap = u64_min(guard->gap, guard->data_left);
	guard->data_left -= guard->gap;
	expect_record(guard);
}

/* Adds bytes to guard->head until it has as many as wanted. Returns how many it took. */
static size_t fill_head(struct unpack_guard *guard, const uint8_t *data, size_t size)
{
	size_t taken = (size_t)u64_min(size, guard->wanted - guard->held);

	memcpy(guard->head + guard->held, data, taken);
	guard->held += taken;
	if (guard->held == guard->wanted && !guard->in_records)
		take_header(guard);
	else if (guard->held == guard->wanted)
		take_record_head(guard);
	return taken;
}

/* Returns how many of the bytes belong to the body of a record or to the gap behind it. */
static size_t pass_over(struct unpack_guard *guard, size_t size)
{
	uint64_t *left = guard->body ? &guard->body : &guard->gap;
	size_t passed = (size_t)u64_min(size, *left);

	if (left == &guard->gap)
		guard->odd += passed;
	*left -= passed;
	return passed;
}

static bool check_totals(const struct unpack_guard *guard, struct err *err)
{
	uint64_t odd_most = u64_add_sat(UNPACK_ALWAYS, u64_mul_sat(guard->packed, ODD_RATIO_MAX));

	if (guard->odd > odd_most)
		return err_set(err, ERR_LIMIT,
		               "packed data unpacks to more than %" PRIu64
		               " bytes that are no records, or repeated ones",
		               odd_most);
	if (guard->total > unpack_bytes_most(guard->packed))
		return err_set(err, ERR_LIMIT, "packed data unpacks to more than %" PRIu64 " bytes",
		               unpack_bytes_most(guard->packed));
	if (guard->records > unpack_records_most(guard->packed))
		return err_set(err, ERR_LIMIT,
		               "%" PRIu64 " packed bytes hold more than %" PRIu64 " records",
		               guard->packed, unpack_records_most(guard->packed));
	return true;
}

bool unpack_guard_look(void *context, const uint8_t *data, size_t size, struct err *err)
{
	struct unpack_guard *guard = context;
	const uint8_t *end = data + size;

	guard->total += size;
	while (data < end) {
		size_t left = (size_t)(end - data);

		data += guard->body || guard->gap ? pass_over(guard, left)
		                                  : fill_head(guard, data, left);
	}
	return check_totals(guard, err);
}

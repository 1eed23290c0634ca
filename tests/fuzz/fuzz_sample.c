/*
 * Records with an attr. Input: flags, 1 byte (bit 0: the other byte order); the attr, 144 bytes;
 * then one record after the other. Everything that a decoded record points to is read.
 */
#include "perffile/record/decode.h"
#include "perffile/record/recordtypes.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POISONS 1
#endif
#endif
#ifdef POISONS
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(start, size) ((void)(start), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(start, size) ((void)(start), (void)(size))
#endif

#define ATTR_SIZE 144

static unsigned touch(const void *data, size_t size)
{
	const uint8_t *bytes = data;
	unsigned sum = 0;

	for (size_t i = 0; i < size; i++)
		sum += bytes[i];
	return sum;
}

static unsigned touch_read(const struct record_read *read)
{
	unsigned sum = 0;

	for (uint64_t i = 0; read->data && i < read->count; i++) {
		const uint8_t *entry = read->data + i * read->stride * 8;

		sum += touch(entry, 8);
		if (read->has_id)
			sum += touch(entry + 8u * read->id_at, 8);
	}
	return sum;
}

static unsigned touch_stack(const struct record *record)
{
	const struct record_sample *sample = &record->sample;
	uint64_t value, sum = 0;

	for (uint64_t i = 0; i < sample->branches.count; i++)
		sum += record_branch(record, i).from;
	for (unsigned i = 0; i < 64; i++)
		sum += record_register(record, &sample->user_regs, i, &value) ? value : 0;
	FUZZ_CHECK(sample->user_stack.used <= sample->user_stack.size);
	sum += touch(sample->user_stack.data, sample->user_stack.used);
	return sum & 1; /* a sum that nobody uses: it makes sure that every value is read */
}

static unsigned touch_sample(const struct record *record)
{
	const struct record_sample *sample = &record->sample;

	return touch(sample->callchain, sample->callchain ? 8 * (size_t)sample->callchain_count : 0) +
	       touch(sample->raw, sample->raw ? sample->raw_size : 0) + touch_read(&sample->read) +
	       touch_stack(record);
}

static unsigned touch_all(const struct record *record)
{
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		return touch_sample(record);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		FUZZ_CHECK(record->mmap.build_id.size <= PERF_BUILD_ID_SIZE);
		return touch(record->mmap.name.text, record->mmap.name.length);
	case PERF_RECORD_COMM:
		return touch(record->comm.text, record->comm.length);
	case PERF_RECORD_READ:
		return touch_read(&record->read);
	case PERF_RECORD_KSYMBOL:
		return touch(record->ksymbol.name.text, record->ksymbol.name.length);
	case PERF_RECORD_CGROUP:
		return touch(record->cgroup.path.text, record->cgroup.path.length);
	case PERF_RECORD_CALLCHAIN_DEFERRED:
		return touch(record->deferred.ips, 8 * (size_t)record->deferred.count);
	default:
		return 0;
	}
}

static void decode_one(const struct session *session, const uint8_t *data)
{
	struct err problem = { 0 };
	struct record record = { .time = record_time(session, data) };
	const struct record_type *type;
	struct overview_row row;

	record_decode(&record, session, data, session_event_of(session, data), &problem);
	type = record_type_of(record.type);
	if (record.damaged)
		FUZZ_CHECK(problem.code != ERR_NONE && problem.text[0]);
	else
		FUZZ_CHECK(touch_all(&record) != UINT32_MAX);
	if (type && !record.damaged)
		type->row(&row, &record);
}

/*
 * Decodes a copy of a record at the start of a block, whose rest is poisoned, so that a sanitizer
 * sees a read behind the record's end. There is one block for all: a sanitizer does not use the
 * memory of aligned blocks again, and gigabytes of these would be taken in seconds.
 */
static void decode_copy(const struct session *session, const uint8_t *data, size_t size)
{
	static struct block *block;
	const uint32_t type = load_u32(data, session->swap) % (PERF_RECORD_KERNEL_END + 2u);
	const uint32_t stored = session->swap ? __builtin_bswap32(type) : type;
	const uint16_t stored_size = session->swap ? __builtin_bswap16((uint16_t)size) : (uint16_t)size;
	const size_t rest = STREAM_BLOCK_SIZE - sizeof(*block) - size;
	void *memory = block;

	FUZZ_CHECK(block || !posix_memalign(&memory, STREAM_BLOCK_SIZE, STREAM_BLOCK_SIZE));
	block = memory;
	*block = (struct block){ .offset = 0x1000 };
	memcpy(block->data, data, size);
	memcpy(block->data, &stored, sizeof(stored));
	memcpy(block->data + 6, &stored_size, sizeof(stored_size));
	ASAN_POISON_MEMORY_REGION(block->data + size, rest);
	decode_one(session, block->data);
	ASAN_UNPOISON_MEMORY_REGION(block->data + size, rest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct session session;
	struct err err = { 0 };
	struct event event;
	struct cursor c;

	if (size < 1 + ATTR_SIZE)
		return 0;
	session_init(&session, NULL);
	session.swap = session.big_endian = data[0] & 1;
	memset(&event, 0, sizeof(event));
	c = cursor_over(data + 1, ATTR_SIZE, 0, "attr", session.swap, &err);
	event_attr_decode(&event.attr, c, session.big_endian);
	layout_init(&event.layout, &event.attr);
	event.branch_counters = (data[0] & 2) != 0;
	event.name = data[0] & 4 ? "offcpu-time" : "cycles";
	session.events = &event;
	session.event_count = session.header_events = 1;
	session_rewind(&session);
	data += 1 + ATTR_SIZE;
	size -= 1 + ATTR_SIZE;
	while (size >= PERF_RECORD_HEADER_SIZE) {
		size_t whole = load_u16(data + 6, session.swap);

		if (whole < PERF_RECORD_HEADER_SIZE)
			break;
		whole = whole < size ? whole : size;
		decode_copy(&session, data, whole);
		data += whole;
		size -= whole;
	}
	session.events = NULL;
	session_release(&session);
	return 0;
}

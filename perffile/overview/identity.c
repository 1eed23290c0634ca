#include "perffile/overview/identity.h"

#include "util/cursor.h"
#include "util/hash.h"

#include <string.h>

/* Not random, unlike the seed of tables in memory: the number must be the same in every run. */
#define IDENTITY_SEED 0x9e3779b97f4a7c15u

static uint64_t mixed(uint64_t hash, uint64_t value)
{
	return hash_pair(IDENTITY_SEED, hash, value);
}

void identity_init(struct identity *identity, const struct session *session)
{
	*identity = (struct identity){ .session = session };
}

/*
 * A cheap hash of a sample, because nearly all records are samples: two multiplications, where
 * mixed() for each field would cost more. It is 2 % of the instructions of a run of the four tables
 * over a million bare samples. Times in ns and addresses differ between any two recordings.
 */
static inline uint64_t sample_hash(uint64_t time, uint64_t ip, uint64_t period, int32_t tid)
{
	uint64_t hash = (time + ip * 0xbf58476d1ce4e5b9u + period) * (IDENTITY_SEED + 2);

	return hash ^ hash >> 32 ^ (uint64_t)(uint32_t)tid << 20;
}

static bool add_samples(void *context, const struct sample *samples, size_t count, struct err *err)
{
	struct identity *identity = context;
	uint64_t sum = 0;

	(void)err;
	for (size_t i = 0; i < count; i++)
		sum += sample_hash(samples[i].time, samples[i].ip, samples[i].period,
		                   samples[i].tid);
	identity->sum += sum;
	return true;
}

/*
 * Not hash_bytes(), which is made faster now and then: tables of an older version of readperf have
 * the same number for the same recording.
 */
static uint64_t text_hash(uint64_t hash, const struct record_text *text)
{
	uint64_t sum = hash_keyed(IDENTITY_SEED, text->length);

	for (size_t at = 0; at < text->length; at += 8) {
		uint8_t word[8] = { 0 };

		memcpy(word, text->text + at, (size_t)u64_min(text->length - at, sizeof(word)));
		sum = hash_keyed(IDENTITY_SEED, sum + load_u64(word, must_swap(false)));
	}
	return mixed(hash, sum);
}

static uint64_t record_hash(const struct record *record)
{
	uint64_t hash = mixed((uint64_t)record->type << 32 | record->misc, record->time);

	hash = mixed(hash, (uint64_t)(uint32_t)record->pid << 32 | (uint32_t)record->tid);
	hash = mixed(hash, (uint64_t)record->size << 32 | (uint32_t)record->cpu);
	if (record->damaged)
		return hash;
	if (record->type == PERF_RECORD_MMAP || record->type == PERF_RECORD_MMAP2) {
		hash = mixed(hash, record->mmap.start);
		hash = mixed(hash, record->mmap.pgoff);
		return text_hash(hash, &record->mmap.name);
	}
	return record->type == PERF_RECORD_COMM ? text_hash(hash, &record->comm) : hash;
}

static bool add_record(void *context, const struct record *record, struct err *err)
{
	struct identity *identity = context;

	(void)err;
	if (record->type == PERF_RECORD_SAMPLE && !record->damaged)
		identity->sum += sample_hash(record->time, record->sample.ip, record->sample.period,
		                             record->tid);
	else
		identity->sum += record_hash(record);
	return true;
}

/* Counters of `perf stat record`, whose recordings have hardly any kernel records. */
static bool add_tool_record(void *context, const struct raw_record *record, struct err *damage,
                            struct err *err)
{
	struct identity *identity = context;
	uint64_t hash = record->type;

	(void)damage, (void)err;
	if (record->type != PERF_RECORD_STAT && record->type != PERF_RECORD_STAT_ROUND)
		return true;
	for (size_t at = PERF_RECORD_HEADER_SIZE; at + 8 <= record->size; at += 8)
		hash = mixed(hash, load_u64(record->data + at, identity->session->swap));
	identity->sum += hash;
	return true;
}

struct record_handler identity_handler(struct identity *identity)
{
	return (struct record_handler){ .context = identity,
		                        .any_sample_order = true,
		                        .any_order = true,
		                        .record = add_record,
		                        .samples = add_samples,
		                        .tool = add_tool_record };
}

uint64_t identity_number(const struct identity *identity)
{
	const struct session *session = identity->session;
	const size_t count = session_recorded_events(session);
	uint64_t hash = mixed(identity->sum, count);

	for (size_t i = 0; i < count; i++) {
		const struct event_attr *attr = &session->events[i].attr;
		const uint64_t fields[] = { attr->type,          attr->config,
			                    attr->sample_period, attr->sample_type,
			                    attr->read_format,   attr->flags };

		for (size_t k = 0; k < ARRAY_SIZE(fields); k++)
			hash = mixed(hash, fields[k]);
	}
	return hash;
}

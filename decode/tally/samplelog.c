#include "decode/tally/samplelog.h"

#include "decode/machine/cpumode.h"

_Static_assert(sizeof(struct logged_sample) % 8 == 0 && sizeof(struct logged_more) % 8 == 0,
               "each can be read where it lies");

#define MORE_FIELDS                                                          \
	(PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT | \
	 PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_CGROUP)

bool sample_log_open(struct sample_log *log, const struct log_world *world, const char *dir,
                     struct err *err)
{
	log->world = *world;
	log->count = log->untimed = 0;
	return spool_open(&log->rows, dir, err);
}

void sample_log_close(struct sample_log *log)
{
	spool_close(&log->rows);
}

bool sample_log_add(struct sample_log *log, const struct logged_sample *row,
                    const struct logged_more *more, struct err *err)
{
	struct logged_sample added = *row;

	added.has_more = more != NULL;
	log->count++;
	log->untimed += row->time == TIME_NONE;
	return spool_append(&log->rows, &added, sizeof(added), err) &&
	       (!more || spool_append(&log->rows, more, sizeof(*more), err));
}

static uint64_t fields_of_event(const struct sample_log *log, uint32_t event)
{
	const struct session *session = log->world.session;

	return event < session->event_count ? session->events[event].attr.sample_type : 0;
}

static struct logged_more more_of_record(const struct sample_log *log, const struct record *record)
{
	const struct record_sample *sample = &record->sample;
	struct logged_more more = { .fields = fields_of_event(log, record->event) & MORE_FIELDS,
		                    .data_address = sample->addr,
		                    .weight = sample->weight,
		                    .data_source = sample->data_source,
		                    .transaction = sample->transaction,
		                    .cgroup = cgroups_path(log->world.cgroups, record) };

	if (!sample->has_addr)
		more.fields &= ~(uint64_t)PERF_SAMPLE_ADDR;
	return more;
}

bool sample_log_record(struct sample_log *log, const struct counted_sample *sample,
                       const struct record *record, struct err *err)
{
	const struct mappings *mappings = log->world.mappings;
	const uint64_t fields = fields_of_event(log, record->event);
	struct logged_sample row = { .nr = record->nr,
		                     .time = record->time,
		                     .period = sample->period,
		                     .addr = sample->addr,
		                     .pid = record->pid,
		                     .tid = record->tid,
		                     .cpu = record->cpu,
		                     .event = sample->event,
		                     .comm = mappings->processes->items[sample->process].comm,
		                     .binary = sample->binary,
		                     .mode = (uint8_t)cpu_mode_of(record->misc),
		                     .has_tid = record->has_tid,
		                     .timed = mapping_jit_dump(mappings, sample->binary) !=
		                              MAP_NONE };
	struct logged_more more;

	if (record->damaged)
		return sample_log_add(log, &row, NULL, err);
	row.has_ip = (fields & PERF_SAMPLE_IP) != 0;
	row.ip = record->sample.ip;
	if (fields & MORE_FIELDS)
		more = more_of_record(log, record);
	return sample_log_add(log, &row, fields & MORE_FIELDS ? &more : NULL, err);
}

/* Keeps one that may have more. Kept out of line: rare. */
static bool log_with_more(struct sample_log *log, const struct sample *sample,
                          const struct placed *placed, struct err *err)
{
	const struct counted_sample counted = { .period = sample->period,
		                                .addr = placed->addr,
		                                .process = placed->process,
		                                .event = sample->event,
		                                .binary = placed->binary };
	struct record record;

	sample_record(&record, log->world.session, sample);
	return sample_log_record(log, &counted, &record, err);
}

bool sample_log_samples(struct sample_log *log, const struct sample *samples,
                        const struct placed *placed, size_t count, struct err *err)
{
	const struct mappings *mappings = log->world.mappings;

	for (size_t i = 0; i < count; i++) {
		const struct sample *sample = &samples[i];
		const uint64_t fields = fields_of_event(log, sample->event);
		const struct logged_sample row = {
			.nr = sample->nr,
			.time = sample->time,
			.ip = sample->ip,
			.period = sample->period,
			.addr = placed[i].addr,
			.pid = sample->pid,
			.tid = sample->tid,
			.cpu = sample->cpu,
			.event = sample->event,
			.comm = mappings->processes->items[placed[i].process].comm,
			.binary = placed[i].binary,
			.mode = (uint8_t)cpu_mode_of(sample->misc),
			.has_tid = sample->has_tid,
			.has_ip = (fields & PERF_SAMPLE_IP) != 0,
			.timed = mapping_jit_dump(mappings, placed[i].binary) != MAP_NONE
		};

		if (fields & MORE_FIELDS ? !log_with_more(log, sample, &placed[i], err)
		                         : !sample_log_add(log, &row, NULL, err))
			return false;
	}
	return true;
}

bool sample_log_rewind(struct sample_log *log, struct err *err)
{
	return spool_rewind(&log->rows, err);
}

bool sample_log_next(struct sample_log *log, struct read_sample *sample, struct err *err)
{
	sample->more = NULL;
	/* every entry has a multiple of 8 bytes, so all of them are aligned */
	sample->row = spool_take(&log->rows, sizeof(*sample->row), err);
	if (!sample->row || !sample->row->has_more)
		return sample->row != NULL;
	log->last = *sample->row;
	sample->row = &log->last;
	sample->more = spool_take(&log->rows, sizeof(*sample->more), err);
	return sample->more != NULL;
}

#include "decode/tally/samplelog.h"

#include "decode/machine/cpumode.h"

#include <string.h>

/* A sample in the file. */
struct log_row {
	uint64_t time, ip, addr;
	uint32_t nr, period, binary;
	uint32_t task; /* number, or LOG_MORE */
};

_Static_assert(sizeof(struct log_task) == 24, "tuples have no padding");
_Static_assert(sizeof(struct log_row) % _Alignof(struct logged_more) == 0 &&
                       sizeof(struct logged_more) % _Alignof(struct log_row) == 0,
               "each can be read where it lies");

#define MORE_FIELDS                                                          \
	(PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT | \
	 PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_CGROUP)

bool sample_log_open(struct sample_log *log, const struct log_world *world, const char *dir,
                     struct err *err)
{
	memset(log, 0, sizeof(*log));
	log->world = *world;
	tuples_init(&log->tasks, sizeof(struct log_task));
	return spool_open(&log->rows, dir, err);
}

void sample_log_close(struct sample_log *log)
{
	spool_close(&log->rows);
	tuples_release(&log->tasks);
}

/* The number of a task, which is added if it is new. LOG_MORE: too many, or err is set. */
static inline uint32_t number_of_task(struct sample_log *log, const struct log_task *task,
                                      struct err *err)
{
	const uint32_t mixed = (uint32_t)task->tid + 61 * (uint32_t)task->cpu + 17 * task->event +
	                       7u * task->mode;
	uint32_t *recent = &log->recent[mixed % LOG_RECENT];

	if (*recent >= log->tasks.count ||
	    memcmp(tuples_get(&log->tasks, *recent), task, sizeof(*task)) != 0)
		*recent = log->tasks.count < LOG_TASKS_MOST ? tuples_put(&log->tasks, task, err)
		                                            : LOG_MORE;
	return *recent;
}

bool sample_log_add(struct sample_log *log, const struct logged_sample *sample, bool has_more,
                    struct err *err)
{
	struct log_row row = { .time = sample->time,
		               .ip = sample->ip,
		               .addr = sample->addr,
		               .nr = (uint32_t)sample->nr,
		               .period = (uint32_t)sample->period,
		               .binary = sample->binary,
		               .task = LOG_MORE };
	struct logged_more more;

	log->count++;
	log->untimed += row.time == TIME_NONE;
	if (!has_more && row.nr == sample->nr && row.period == sample->period)
		row.task = number_of_task(log, sample->task, err);
	if (err->code != ERR_NONE || !spool_append(&log->rows, &row, sizeof(row), err))
		return false;
	if (row.task != LOG_MORE)
		return true;
	more = has_more ? sample->more : (struct logged_more){ .fields = 0 };
	more.nr = sample->nr;
	more.period = sample->period;
	more.task = *sample->task;
	return spool_append(&log->rows, &more, sizeof(more), err);
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

bool sample_log_record(struct sample_log *log, const struct record *record,
                       const struct placed *placed, uint32_t event, uint64_t period,
                       struct err *err)
{
	const struct mappings *mappings = log->world.mappings;
	const uint64_t fields = fields_of_event(log, record->event);
	const bool has_more = !record->damaged && fields & MORE_FIELDS;
	const struct log_task task = { .pid = record->pid,
		                       .tid = record->tid,
		                       .cpu = record->cpu,
		                       .event = event,
		                       .comm = mappings->processes->items[placed->process].comm,
		                       .mode = (uint8_t)cpu_mode_of(record->misc),
		                       .has_tid = record->has_tid,
		                       .has_ip = !record->damaged && fields & PERF_SAMPLE_IP };
	struct logged_sample row = { .nr = record->nr,
		                     .time = record->time,
		                     .ip = task.has_ip ? record->sample.ip : 0,
		                     .period = period,
		                     .addr = placed->addr,
		                     .binary = placed->binary,
		                     .task = &task };

	if (has_more)
		row.more = more_of_record(log, record);
	return sample_log_add(log, &row, has_more, err);
}

/* Keeps one that may have more. Kept out of line: rare. */
static bool log_with_more(struct sample_log *log, const struct sample *sample,
                          const struct placed *placed, struct err *err)
{
	struct record record;

	sample_record(&record, log->world.session, sample);
	return sample_log_record(log, &record, placed, sample->event, sample->period, err);
}

bool sample_log_samples(struct sample_log *log, const struct placed_samples *all, struct err *err)
{
	const struct mappings *mappings = log->world.mappings;
	const struct placed *placed = all->placed;

	for (size_t i = 0; i < all->count; i++) {
		const struct sample *sample = &all->samples[i];
		const uint64_t fields = fields_of_event(log, sample->event);
		const struct log_task task = {
			.pid = sample->pid,
			.tid = sample->tid,
			.cpu = sample->cpu,
			.event = sample->event,
			.comm = mappings->processes->items[placed[i].process].comm,
			.mode = (uint8_t)cpu_mode_of(sample->misc),
			.has_tid = sample->has_tid,
			.has_ip = (fields & PERF_SAMPLE_IP) != 0
		};
		const uint32_t number = fields & MORE_FIELDS ? LOG_MORE
		                                             : number_of_task(log, &task, err);
		struct log_row *row;

		if (number == LOG_MORE || sample->nr > UINT32_MAX || sample->period > UINT32_MAX) {
			if (err->code != ERR_NONE || !log_with_more(log, sample, &placed[i], err))
				return false;
			continue;
		}
		row = spool_room(&log->rows, sizeof(*row), err);
		if (!row)
			return false;
		*row = (struct log_row){ sample->time,
			                 sample->ip,
			                 placed[i].addr,
			                 (uint32_t)sample->nr,
			                 (uint32_t)sample->period,
			                 placed[i].binary,
			                 number };
		log->count++;
	}
	return true;
}

bool sample_log_next(struct sample_log *log, struct logged_sample *sample, struct err *err)
{
	/* every entry has a multiple of 8 bytes, so all of them are aligned */
	const struct log_row *row = spool_take(&log->rows, sizeof(*row), err);
	const struct logged_more *more;

	if (!row)
		return false;
	sample->nr = row->nr;
	sample->time = row->time;
	sample->ip = row->ip;
	sample->period = row->period;
	sample->addr = row->addr;
	sample->binary = row->binary;
	sample->number = row->task;
	if (row->task != LOG_MORE) {
		sample->task = tuples_get(&log->tasks, row->task);
		return true;
	}
	more = spool_take(&log->rows, sizeof(*more), err);
	if (!more)
		return false;
	sample->more = *more;
	sample->task = &sample->more.task;
	sample->nr = more->nr;
	sample->period = more->period;
	return true;
}

#include "decode/tally/tracelog.h"

#include "decode/select/rawdata.h"

#include <string.h>

bool trace_log_open(struct trace_log *log, struct session *session, struct pointed_code *pointed,
                    const char *dir, struct err *err)
{
	*log = (struct trace_log){ .session = session, .pointed = pointed };
	return formats_init(&log->formats, session, err) && spool_open(&log->rows, dir, err);
}

void trace_log_close(struct trace_log *log)
{
	formats_release(&log->formats);
	spool_close(&log->rows);
}

bool trace_log_has(const struct session *session, uint32_t event)
{
	const struct event_attr *attr;

	if (event >= session->event_count)
		return false;
	attr = &session->events[event].attr;
	return (attr->sample_type & PERF_SAMPLE_RAW) &&
	       (attr->type == PERF_TYPE_TRACEPOINT ||
	        (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT));
}

/* Whether raw data end before one of their fields does. */
static bool is_short(const struct format *format, const struct raw_data *raw)
{
	for (size_t i = 0; i < format->count && format->has_locations; i++)
		if (format->fields[i].place != FIELD_HERE &&
		    !field_bytes(&format->fields[i], raw).data)
			return true;
	return raw->size < format->end;
}

/* Finds the functions that fields point to. Returns the number of fields. */
static uint32_t find_functions(struct trace_log *log, const struct format *format,
                               const struct raw_data *raw, struct err *err)
{
	uint32_t count = 0;

	for (size_t i = 0; i < format->count && count < TRACE_FUNCTIONS_MOST; i++) {
		const struct field *field = &format->fields[i];
		uint64_t addr;

		if (!field->is_function)
			continue;
		log->functions[count++] = field_number(field, raw, &addr) && addr
		                                  ? pointed_code_put(log->pointed, addr, err)
		                                  : MAP_NONE;
	}
	return count;
}

/* Appends bytes, with zeros up to a multiple of 8. */
static bool append_bytes(struct trace_log *log, const void *data, size_t size, struct err *err)
{
	static const uint8_t zeros[8];

	/* each piece is smaller than the buffer of the spool */
	return !size || (spool_append(&log->rows, data, size, err) &&
	                 spool_append(&log->rows, zeros, -size & 7, err));
}

static bool add_sample(struct trace_log *log, const struct event_format *format,
                       struct traced_sample *sample, const struct raw_data *raw, struct err *err)
{
	log->traced++;
	sample->raw_size = (uint32_t)raw->size;
	log->shorter += is_short(&format->format, raw);
	if (log->take && !format->format.function_count)
		return log->take(log->taker, sample, raw, err);
	log->kept++;
	if (format->format.function_count)
		sample->function_count = find_functions(log, &format->format, raw, err);
	return err->code == ERR_NONE && spool_append(&log->rows, sample, sizeof(*sample), err) &&
	       append_bytes(log, log->functions, sample->function_count * sizeof(uint32_t), err) &&
	       append_bytes(log, raw->data, raw->size, err);
}

bool trace_log_samples(struct trace_log *log, const struct placed_samples *all, struct err *err)
{
	const struct placed *placed = all->placed;

	for (size_t i = 0; i < all->count; i++, log->count++) {
		const struct sample *sample = &all->samples[i];
		struct traced_sample row = { .nr = sample->nr,
			                     .time = sample->time,
			                     .number = log->count,
			                     .addr = placed[i].addr,
			                     .binary = placed[i].binary,
			                     .event = sample->event,
			                     .pid = sample->pid,
			                     .tid = sample->tid,
			                     .cpu = sample->cpu,
			                     .has_tid = sample->has_tid };
		const struct event_format *format;
		struct raw_data raw;

		if (!trace_log_has(log->session, sample->event))
			continue;
		format = formats_of(&log->formats, sample->event, err);
		if (!format)
			return false;
		raw = raw_data_of_sample(&log->formats, sample);
		row.comm = log->pointed->mappings->processes->items[placed[i].process].comm;
		if (!add_sample(log, format, &row, &raw, err))
			return false;
	}
	return true;
}

bool trace_log_record(struct trace_log *log, const struct record *record,
                      const struct placed *placed, uint32_t event, struct err *err)
{
	struct traced_sample row = {
		.nr = record->nr,
		.time = record->time,
		.number = log->count++,
		.addr = placed->addr,
		.binary = placed->binary,
		.event = event,
		.comm = log->pointed->mappings->processes->items[placed->process].comm,
		.pid = record->pid,
		.tid = record->tid,
		.cpu = record->cpu,
		.has_tid = record->has_tid
	};
	const struct event_format *format;
	struct raw_data raw;

	if (record->damaged || event != record->event || !trace_log_has(log->session, event))
		return true;
	format = formats_of(&log->formats, event, err);
	raw = raw_data_of_record(&log->formats, record);
	return format && add_sample(log, format, &row, &raw, err);
}

/* Takes bytes that were written by append_bytes(). */
static const void *take_bytes(struct trace_log *log, size_t size, struct err *err)
{
	return spool_take(&log->rows, size + (-size & 7), err);
}

bool trace_log_next(struct trace_log *log, struct traced_sample *sample, struct raw_data *raw,
                    struct err *err)
{
	const struct traced_sample *row = spool_take(&log->rows, sizeof(*row), err);
	const void *functions;
	size_t size;

	if (!row)
		return false;
	*sample = *row;
	size = sample->function_count * sizeof(uint32_t);
	functions = size ? take_bytes(log, size, err) : log->functions;
	if (!functions)
		return false;
	memmove(log->functions, functions, size);
	*raw = (struct raw_data){ take_bytes(log, sample->raw_size, err), sample->raw_size,
		                  formats_swap(&log->formats) };
	return raw->data != NULL;
}

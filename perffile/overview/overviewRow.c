#include "perffile/overview/overviewRow.h"

#include <inttypes.h>
#include <stdio.h>

static void set_text(struct overview_row *row, const char *text, size_t length)
{
	row->info_kind = INFO_TEXT;
	row->text = text;
	row->text_length = length;
}

static void set_number(struct overview_row *row, enum info_kind kind, uint64_t value)
{
	row->info_kind = (uint8_t)kind;
	row->info = value;
}

static void set_switch(struct overview_row *row, uint16_t misc)
{
	const char *text = !(misc & PERF_MISC_SWITCH_OUT)        ? "in"
	                   : misc & PERF_MISC_SWITCH_OUT_PREEMPT ? "preempt"
	                                                         : "out";

	set_text(row, text, strlen(text));
}

static void set_bpf(struct overview_row *row, const struct record *record)
{
	static const char *const verbs[] = { NULL, "load", "unload" };
	int length;

	if (record->bpf.type < ARRAY_SIZE(verbs) && verbs[record->bpf.type])
		length = snprintf(row->made, sizeof(row->made), "%s %" PRIu32,
		                  verbs[record->bpf.type], record->bpf.id);
	else
		length = snprintf(row->made, sizeof(row->made), "%u %" PRIu32, record->bpf.type,
		                  record->bpf.id);
	set_text(row, row->made, (size_t)length);
}

static void set_mmap(struct overview_row *row, const struct record_mmap *map)
{
	set_text(row, map->name.text, map->name.length);
	row->has_address = row->has_size = row->has_offset = true;
	row->address = map->start;
	row->size = map->length;
	row->offset = map->pgoff;
}

/* What the types have beyond pid, tid, time, cpu and event; contract of overview.csv. */
static void set_payload(struct overview_row *row, const struct record *record)
{
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		set_mmap(row, &record->mmap);
		break;
	case PERF_RECORD_COMM:
		set_text(row, record->comm.text, record->comm.length);
		break;
	case PERF_RECORD_FORK:
		set_number(row, INFO_PID, (uint32_t)record->task.ppid);
		break;
	case PERF_RECORD_READ:
		row->has_period = record->read.data != NULL && record->read.count;
		if (row->has_period)
			row->period = load_u64(record->read.data, record->swap);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		set_number(row, INFO_NUMBER, record->lost.lost);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		set_number(row, INFO_NUMBER, record->throttle.id);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		set_switch(row, record->misc);
		break;
	case PERF_RECORD_NAMESPACES:
		set_number(row, INFO_NUMBER, record->namespaces.count);
		break;
	case PERF_RECORD_KSYMBOL:
		set_text(row, record->ksymbol.name.text, record->ksymbol.name.length);
		row->has_address = row->has_size = true;
		row->address = record->ksymbol.addr;
		row->size = record->ksymbol.length;
		break;
	case PERF_RECORD_BPF_EVENT:
		set_bpf(row, record);
		break;
	case PERF_RECORD_CGROUP:
		set_text(row, record->cgroup.path.text, record->cgroup.path.length);
		break;
	case PERF_RECORD_TEXT_POKE:
		row->has_address = row->has_size = true;
		row->address = record->text_poke.addr;
		row->size = record->text_poke.new_length;
		break;
	case PERF_RECORD_AUX:
		row->has_size = row->has_offset = true;
		row->size = record->aux.size;
		row->offset = record->aux.offset;
		break;
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		set_number(row, INFO_NUMBER, record->hw_id);
		break;
	case PERF_RECORD_CALLCHAIN_DEFERRED:
		set_number(row, INFO_NUMBER, record->deferred.cookie);
		break;
	default:
		break;
	}
}

static void set_sample(struct overview_row *row, uint64_t ip, bool has_addr, uint64_t addr,
                       uint64_t period)
{
	set_number(row, INFO_HEX, ip);
	row->has_address = has_addr;
	row->address = addr;
	row->has_period = true;
	row->period = period;
}

void row_fill_sample(struct overview_row *row, const struct session *session,
                     const struct sample *sample)
{
	row->nr = sample->nr;
	row->type = PERF_RECORD_SAMPLE;
	row->time = sample->time;
	row->pid = sample->pid;
	row->tid = sample->tid;
	row->has_tid = sample->has_tid;
	row->cpu = sample->cpu;
	row->event = session->events[sample->event].name;
	row->has_size = row->has_offset = false;
	set_sample(row, sample->ip, sample->has_addr, sample->addr, sample->period);
}

void row_fill(struct overview_row *row, const struct session *session, const struct record *record)
{
	row->nr = record->nr;
	row->type = record->type;
	row->time = record->time;
	row->pid = record->pid;
	row->tid = record->tid;
	row->has_tid = record->has_tid;
	row->cpu = record->cpu;
	row->event = NULL;
	if (record->has_event && record->event != EVENT_UNKNOWN)
		row->event = session->events[record->event].name;
	row->info_kind = INFO_NONE;
	row->has_address = row->has_size = row->has_offset = row->has_period = false;
	if (record->damaged)
		return;
	if (record->type == PERF_RECORD_SAMPLE)
		set_sample(row, record->sample.ip, record->sample.has_addr, record->sample.addr,
		           record->sample.period);
	else
		set_payload(row, record);
}

void batch_add(struct batch *batch, const struct overview_row *row)
{
	struct overview_row *kept = &batch->rows[batch->count++];

	*kept = *row;
	if (row->info_kind != INFO_TEXT)
		return;
	kept->text = batch->text + batch->text_used;
	memcpy(batch->text + batch->text_used, row->text, row->text_length);
	batch->text_used += row->text_length;
}

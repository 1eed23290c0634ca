#include "perffile/overviewRow.h"

#include <inttypes.h>
#include <stdio.h>

static void set_text(struct batch *batch, struct overview_row *row, const char *text, size_t length)
{
	memcpy(batch->text + batch->text_used, text, length);
	row->info_kind = INFO_TEXT;
	row->text = (uint32_t)batch->text_used;
	row->text_length = (uint32_t)length;
	batch->text_used += length;
}

static void set_number(struct overview_row *row, enum info_kind kind, uint64_t value)
{
	row->info_kind = (uint8_t)kind;
	row->info = value;
}

static void set_switch(struct batch *batch, struct overview_row *row, uint16_t misc)
{
	const char *text = !(misc & PERF_MISC_SWITCH_OUT) ? "in"
	                 : misc & PERF_MISC_SWITCH_OUT_PREEMPT ? "preempt" : "out";

	set_text(batch, row, text, strlen(text));
}

static void set_bpf(struct batch *batch, struct overview_row *row, const struct record *record)
{
	static const char *const verbs[] = { NULL, "load", "unload" };
	char text[40];
	int length;

	if (record->bpf.type < ARRAY_SIZE(verbs) && verbs[record->bpf.type])
		length = snprintf(text, sizeof(text), "%s %" PRIu32, verbs[record->bpf.type], record->bpf.id);
	else
		length = snprintf(text, sizeof(text), "%u %" PRIu32, record->bpf.type, record->bpf.id);
	set_text(batch, row, text, (size_t)length);
}

static void set_mmap(struct batch *batch, struct overview_row *row, const struct record_mmap *map)
{
	set_text(batch, row, map->name.text, map->name.length);
	row->has_address = row->has_size = row->has_offset = true;
	row->address = map->start;
	row->size = map->length;
	row->offset = map->pgoff;
}

/* What the types have beyond pid, tid, time, cpu and event; contract of overview.csv. */
static void set_payload(struct batch *batch, struct overview_row *row, const struct record *record)
{
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		set_mmap(batch, row, &record->mmap);
		break;
	case PERF_RECORD_COMM:
		set_text(batch, row, record->comm.text, record->comm.length);
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
		set_switch(batch, row, record->misc);
		break;
	case PERF_RECORD_NAMESPACES:
		set_number(row, INFO_NUMBER, record->namespaces.count);
		break;
	case PERF_RECORD_KSYMBOL:
		set_text(batch, row, record->ksymbol.name.text, record->ksymbol.name.length);
		row->has_address = row->has_size = true;
		row->address = record->ksymbol.addr;
		row->size = record->ksymbol.length;
		break;
	case PERF_RECORD_BPF_EVENT:
		set_bpf(batch, row, record);
		break;
	case PERF_RECORD_CGROUP:
		set_text(batch, row, record->cgroup.path.text, record->cgroup.path.length);
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

void batch_add(struct batch *batch, const struct session *session, const struct record *record)
{
	struct overview_row *row = &batch->rows[batch->count++];

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
	if (record->type == PERF_RECORD_SAMPLE) {
		if (!record->damaged) {
			row->info_kind = INFO_HEX;
			row->info = record->sample.ip;
			row->has_address = record->sample.has_addr;
			row->address = record->sample.addr;
			row->has_period = true;
			row->period = record->sample.period;
		}
	} else if (!record->damaged) {
		set_payload(batch, row, record);
	}
}

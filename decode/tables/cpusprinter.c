/* cpus.csv: for how long each CPU was busy and idle, by number. */
#include "decode/intervals/sched.h"
#include "decode/tables/tables.h"

struct cpu_row {
	const struct sched *sched;
	size_t number;
	const struct sched_cpu *cpu;
};

static bool print_cpus(struct table_writer *out, const struct report *report, struct err *err)
{
	(void)err;
	for (size_t i = 0; i < report->sched->cpu_count; i++) {
		const struct cpu_row row = { report->sched, i, &report->sched->cpus[i] };

		if (row.cpu->seen)
			table_row(out, &row);
	}
	return true;
}

VALUE(cpu_row, cpu_number, value_u64(row->number));
VALUE(cpu_row, cpu_start, value_time(row->cpu->start));
VALUE(cpu_row, cpu_end, value_time(row->cpu->end));
VALUE(cpu_row, cpu_busy, value_u64(row->cpu->sums[SCHED_CPU_BUSY]));
VALUE(cpu_row, cpu_idle, value_u64(row->cpu->sums[SCHED_CPU_IDLE]));
VALUE(cpu_row, cpu_unknown, value_u64(row->cpu->sums[SCHED_CPU_UNKNOWN]));
VALUE(cpu_row, cpu_switches, value_u64(row->cpu->switches));
VALUE(cpu_row, cpu_threads, value_u64(row->cpu->threads));
VALUE(cpu_row, cpu_irq, value_if(row->sched->has_irq, value_u64(row->cpu->irq)));
VALUE(cpu_row, cpu_softirq, value_if(row->sched->has_softirq, value_u64(row->cpu->softirq)));

static const struct column cpus_columns[] = {
	{ "cpu", COLUMN_INTEGER, "", "its number", 1, cpu_number },
	{ "start", COLUMN_TIME, "ns", "its first record", 7, cpu_start },
	{ "end", COLUMN_TIME, "ns", "its last record", 8, cpu_end },
	{ "busy", COLUMN_INTEGER, "ns", "a thread ran", 2, cpu_busy },
	{ "idle", COLUMN_INTEGER, "ns", "the idle thread ran", 3, cpu_idle },
	{ "unknown", COLUMN_INTEGER, "ns", "no record tells", 4, cpu_unknown },
	{ "switches", COLUMN_INTEGER, "switches", "to another thread", 5, cpu_switches },
	{ "threads", COLUMN_INTEGER, "threads", "that ran on it", 6, cpu_threads },
	{ "irq", COLUMN_INTEGER, "ns", "in interrupts, if their intervals are made", 9, cpu_irq },
	{ "softirq", COLUMN_INTEGER, "ns", "in soft interrupts, likewise", 10, cpu_softirq },
};

static bool can_fill(const struct report *report)
{
	return sched_has_switches(report->sched);
}

const struct table cpus_table = {
	.format = FORMAT_OF("cpus", cpus_columns),
	.needs = NEEDS_SCHED,
	.can_fill = can_fill,
	.print = print_cpus,
};

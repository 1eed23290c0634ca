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

static const struct sched_cpu *cpu_of(const void *row)
{
	return ((const struct cpu_row *)row)->cpu;
}

static struct value cpu_number(const void *row)
{
	return value_u64(((const struct cpu_row *)row)->number);
}

static struct value cpu_start(const void *row)
{
	return value_time(cpu_of(row)->start);
}

static struct value cpu_end(const void *row)
{
	return value_time(cpu_of(row)->end);
}

static struct value cpu_busy(const void *row)
{
	return value_u64(cpu_of(row)->sums[SCHED_CPU_BUSY]);
}

static struct value cpu_idle(const void *row)
{
	return value_u64(cpu_of(row)->sums[SCHED_CPU_IDLE]);
}

static struct value cpu_unknown(const void *row)
{
	return value_u64(cpu_of(row)->sums[SCHED_CPU_UNKNOWN]);
}

static struct value cpu_switches(const void *row)
{
	return value_u64(cpu_of(row)->switches);
}

static struct value cpu_threads(const void *row)
{
	return value_u64(cpu_of(row)->threads);
}

static struct value cpu_irq(const void *row)
{
	return value_if(((const struct cpu_row *)row)->sched->has_irq, value_u64(cpu_of(row)->irq));
}

static struct value cpu_softirq(const void *row)
{
	return value_if(((const struct cpu_row *)row)->sched->has_softirq,
	                value_u64(cpu_of(row)->softirq));
}

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

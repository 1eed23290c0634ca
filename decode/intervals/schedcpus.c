#include "decode/intervals/schedcpus.h"

#include "util/vec.h"

struct sched_cpu *sched_cpu_get(struct sched *sched, int32_t number, struct err *err)
{
	const struct sched_cpu none = { .running = SCHED_NOBODY, .idle_token = INTERVAL_NO_TOKEN };

	if (number < 0 || number >= SCHED_CPUS_MOST)
		return NULL;
	while ((size_t)number >= sched->cpu_count)
		if (!vec_append(&sched->cpus, &sched->cpu_count, &sched->cpu_capacity, &none,
		                sizeof(none), err))
			return NULL;
	return &sched->cpus[number];
}

static uint64_t lost_seq(const struct sched *sched, int32_t cpu)
{
	if (cpu < 0 || (size_t)cpu >= sched->cpu_count)
		return sched->lost_seq;
	return sched->cpus[cpu].lost_seq > sched->lost_all_seq ? sched->cpus[cpu].lost_seq
	                                                       : sched->lost_all_seq;
}

bool sched_lost_on_since(const struct sched *sched, const struct sched_mark *mark, int32_t cpu)
{
	return lost_seq(sched, mark->cpu) > mark->seq || lost_seq(sched, cpu) > mark->seq;
}

bool sched_cpu_meet(struct sched *sched, const struct sched_at *at, struct err *err)
{
	struct sched_cpu *cpu = sched_cpu_get(sched, at->cpu, err);

	if (!cpu)
		return err->code == ERR_NONE;
	if (!cpu->seen) {
		cpu->seen = true;
		cpu->start = cpu->since = at->time;
		cpu->since_seq = sched->seq;
	}
	cpu->end = at->time;
	cpu->hole = sched->lost_seq > cpu->since_seq && lost_seq(sched, at->cpu) > cpu->since_seq;
	return true;
}

/* Ends the interval of an idle CPU. time: TIME_NONE if its end is not known. */
static bool end_idle(struct sched *sched, struct sched_cpu *cpu, struct sched_at at, bool known,
                     struct err *err)
{
	const struct interval_end end = { .time = at.time, .cpu = at.cpu };
	uint32_t token = cpu->idle_token;

	cpu->idle_token = INTERVAL_NO_TOKEN;
	if (token == INTERVAL_NO_TOKEN)
		return true;
	return known ? sched->sink.end(sched->sink.context, token, &end, err)
	             : sched->sink.unfinished(sched->sink.context, token, err);
}

bool sched_cpu_turn(struct sched *sched, struct sched_at at, bool known, enum sched_cpu_state state,
                    struct err *err)
{
	struct sched_cpu *cpu = sched_cpu_find(sched, at.cpu);
	const struct interval_begin begin = { .event = sched->events[SCHED_IDLE_CPU],
		                              .place = PLACE_RECORD,
		                              .time = at.time,
		                              .cpu = at.cpu };

	if (!cpu)
		return true;
	known = known && !cpu->hole;
	cpu->sums[known ? cpu->state : SCHED_CPU_UNKNOWN] += at.time - cpu->since;
	cpu->since = at.time;
	cpu->since_seq = sched->seq;
	cpu->state = (uint8_t)state;
	cpu->hole = false;
	if (!end_idle(sched, cpu, at, known, err))
		return false;
	return state != SCHED_CPU_IDLE || !sched->sink.begin ||
	       sched->sink.begin(sched->sink.context, &begin, &cpu->idle_token, err);
}

bool sched_cpu_forget(struct sched *sched, int32_t number, struct err *err)
{
	struct sched_cpu *cpu = sched_cpu_find(sched, number);

	if (!cpu)
		return true;
	cpu->state = SCHED_CPU_UNKNOWN;
	cpu->running = SCHED_NOBODY;
	return end_idle(sched, cpu, (struct sched_at){ sched->now, number, UINT64_MAX }, false,
	                err);
}

bool sched_cpus_finish(struct sched *sched, struct err *err)
{
	for (size_t i = 0; i < sched->cpu_count; i++) {
		struct sched_cpu *cpu = &sched->cpus[i];

		cpu->sums[cpu->hole ? SCHED_CPU_UNKNOWN : cpu->state] += cpu->end - cpu->since;
		cpu->since = cpu->end;
		if (!sched_cpu_forget(sched, (int32_t)i, err))
			return false;
	}
	return true;
}

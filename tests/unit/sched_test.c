/* The scheduler's state machine: facts made by hand, states and intervals worked out by hand. */
#include "decode/intervals/sched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OPEN_MOST 100

struct world {
	struct strings strings;
	struct sched sched;
	struct err err;
	struct interval_begin open[OPEN_MOST];
	int32_t tids[OPEN_MOST], by[OPEN_MOST];
	uint32_t count;
	char log[4000];
};

static int32_t who(const struct sched_thread *thread, bool idle)
{
	return idle ? 0 : thread ? sched_thread_number(thread) : -1;
}

static bool sink_begin(void *context, const struct interval_begin *begin, uint32_t *token,
                       struct err *err)
{
	struct world *world = context;

	(void)err;
	assert_true(world->count < OPEN_MOST);
	*token = world->count++;
	world->open[*token] = *begin;
	world->tids[*token] = who(begin->thread, begin->event == SCHED_IDLE_CPU);
	world->by[*token] = who(begin->by, begin->by_idle);
	return true;
}

static const char *text_of(const struct world *world, uint32_t string)
{
	return string == STRING_EMPTY ? "-" : strings_get(&world->strings, string);
}

/* result: a string; empty: as it began. */
static void log_line(struct world *world, uint32_t token, const char *end, int32_t end_cpu,
                     uint32_t result, int32_t by)
{
	static const char *const names[] = { "off-cpu", "wait", "on-cpu", "idle" };
	const struct interval_begin *begin = &world->open[token];
	size_t used = strlen(world->log);

	snprintf(world->log + used, sizeof(world->log) - used,
	         "%s %d %llu@%d-%s@%d %s %s %d\n", names[begin->event], world->tids[token],
	         (unsigned long long)begin->time, begin->cpu, end, end_cpu,
	         text_of(world, begin->what), text_of(world, result == STRING_EMPTY ? begin->result : result), by);
}

static bool sink_end(void *context, uint32_t token, const struct interval_end *end, struct err *err)
{
	struct world *world = context;
	int32_t by = who(end->by, end->by_idle);
	char time[24];

	(void)err;
	assert_true(end->kind == (end->text == STRING_EMPTY ? RESULT_NONE : RESULT_TEXT));
	snprintf(time, sizeof(time), "%llu", (unsigned long long)end->time);
	log_line(world, token, time, end->cpu, end->text, by < 0 ? world->by[token] : by);
	return true;
}

static bool sink_unfinished(void *context, uint32_t token, struct err *err)
{
	(void)err;
	log_line(context, token, "?", -1, STRING_EMPTY, ((struct world *)context)->by[token]);
	return true;
}

static void sink_cancel(void *context, uint32_t token)
{
	(void)context;
	(void)token;
}

static struct world *world_new(bool has_switch)
{
	struct world *world = calloc(1, sizeof(*world));
	struct interval_sink sink = { .begin = sink_begin,
		                   .end = sink_end,
		                   .unfinished = sink_unfinished,
		                   .cancel = sink_cancel };

	assert_non_null(world);
	sink.context = world;
	assert_true(strings_init(&world->strings, &world->err));
	assert_true(sched_init(&world->sched, &world->strings, &sink, &world->err));
	for (uint32_t i = 0; i < SCHED_EVENTS; i++)
		world->sched.events[i] = i;
	world->sched.has_switch = has_switch;
	return world;
}

static void world_free(struct world *world)
{
	sched_release(&world->sched);
	strings_release(&world->strings);
	free(world);
}

static uint32_t thread(struct world *world, int32_t number)
{
	uint32_t found = number == 0 ? SCHED_IDLER
	                 : number < 0 ? SCHED_NO_THREAD
	                              : sched_thread_of_kernel(&world->sched.threads, number,
	                                                       &world->err);

	assert_true(number < 0 || found != SCHED_NO_THREAD);
	return found;
}

static struct sched_leave leave_of(struct world *world, const char *letters)
{
	struct sched_leave leave = { .letters = STRING_EMPTY, .state = SCHED_UNKNOWN };

	if (letters)
		leave.letters = strings_put_text(&world->strings, letters, &world->err);
	if (letters)
		leave.state = letters[0] == 'S'   ? SCHED_SLEEPING
		              : letters[0] == 'D' ? SCHED_BLOCKED
		              : letters[0] == 'T' ? SCHED_STOPPED
		              : letters[0] == 'R' ? SCHED_WAITING
		                                  : SCHED_UNKNOWN;
	leave.ends = letters && (letters[0] == 'X' || letters[0] == 'Z');
	return leave;
}

static void switched(struct world *world, uint64_t time, int32_t cpu, int32_t prev,
                     const char *letters, int32_t next)
{
	struct sched_leave leave = leave_of(world, letters);
	uint32_t from = thread(world, prev), to = thread(world, next);

	assert_true(sched_switched(&world->sched, (struct sched_at){ .time = time, .cpu = cpu }, from, &leave, to,
	                           &world->err));
}

static void out(struct world *world, uint64_t time, int32_t cpu, int32_t tid, const char *letters,
                bool wide)
{
	struct sched_leave leave = leave_of(world, letters);

	assert_true(sched_out(&world->sched, (struct sched_at){ .time = time, .cpu = cpu }, thread(world, tid),
	                      &leave, wide, &world->err));
}

static void in(struct world *world, uint64_t time, int32_t cpu, int32_t tid)
{
	assert_true(sched_in(&world->sched, (struct sched_at){ .time = time, .cpu = cpu }, thread(world, tid),
	                     &world->err));
}

static void woken(struct world *world, uint64_t time, int32_t cpu, int32_t tid, int32_t by)
{
	uint32_t waker = thread(world, by);

	assert_true(sched_woken(&world->sched, (struct sched_at){ .time = time, .cpu = cpu }, thread(world, tid),
	                        waker, &world->err));
}

static void woken_new(struct world *world, uint64_t time, int32_t cpu, int32_t tid, int32_t by)
{
	uint32_t waker = thread(world, by);

	assert_true(sched_woken_new(&world->sched, (struct sched_at){ .time = time, .cpu = cpu },
	                            thread(world, tid), waker, &world->err));
}

static void forked(struct world *world, uint64_t time, int32_t cpu, int32_t tid, int32_t by)
{
	uint32_t waker = thread(world, by);
	uint32_t child = sched_new_of_sample(&world->sched.threads, tid, &world->err);

	assert_true(sched_forked(&world->sched, (struct sched_at){ .time = time, .cpu = cpu }, child, waker,
	                         &world->err));
}

static void exited(struct world *world, uint64_t time, int32_t cpu, int32_t tid)
{
	assert_true(sched_exited(&world->sched, (struct sched_at){ .time = time, .cpu = cpu }, thread(world, tid),
	                         &world->err));
}

static void lost(struct world *world, uint64_t time, int32_t cpu)
{
	assert_true(sched_lost(&world->sched, (struct sched_at){ .time = time, .cpu = cpu }, &world->err));
}

static void finish(struct world *world)
{
	assert_true(sched_finish(&world->sched, &world->err));
	for (size_t i = 0; i < world->sched.threads.count; i++) {
		const struct sched_thread *each = &world->sched.threads.items[i];
		uint64_t sum = 0;

		for (size_t state = 0; state < SCHED_STATES; state++)
			sum += each->sums.states[state];
		assert_int_equal(sum, each->end - each->start);
	}
	for (size_t i = 0; i < world->sched.cpu_count; i++) {
		const struct sched_cpu *cpu = &world->sched.cpus[i];

		assert_int_equal(cpu->sums[0] + cpu->sums[1] + cpu->sums[2],
		                 cpu->end - cpu->start);
	}
}

/* The nth thread with the number: start, end, times by state, unknown last. */
static void expect_thread(struct world *world, int32_t tid, unsigned nth, const char *expected)
{
	char text[400];
	const struct sched_thread *found = NULL;

	for (size_t i = 0; i < world->sched.threads.count; i++) {
		const struct sched_thread *each = &world->sched.threads.items[i];

		if (each->touched && sched_thread_number(each) == tid && nth-- == 0)
			found = each;
	}
	assert_non_null(found);
	snprintf(text, sizeof(text), "%llu-%llu run %llu wait %llu S %llu D %llu T %llu ? %llu",
	         (unsigned long long)found->start, (unsigned long long)found->end,
	         (unsigned long long)found->sums.states[SCHED_RUNNING],
	         (unsigned long long)found->sums.states[SCHED_WAITING],
	         (unsigned long long)found->sums.states[SCHED_SLEEPING],
	         (unsigned long long)found->sums.states[SCHED_BLOCKED],
	         (unsigned long long)found->sums.states[SCHED_STOPPED],
	         (unsigned long long)found->sums.states[SCHED_UNKNOWN]);
	assert_string_equal(text, expected);
}

static void expect_cpu(struct world *world, size_t number, const char *expected)
{
	char text[200];
	const struct sched_cpu *cpu = &world->sched.cpus[number];

	assert_true(number < world->sched.cpu_count);
	snprintf(text, sizeof(text), "%llu-%llu busy %llu idle %llu ? %llu, %llu switches %llu",
	         (unsigned long long)cpu->start, (unsigned long long)cpu->end,
	         (unsigned long long)cpu->sums[SCHED_CPU_BUSY],
	         (unsigned long long)cpu->sums[SCHED_CPU_IDLE],
	         (unsigned long long)cpu->sums[SCHED_CPU_UNKNOWN],
	         (unsigned long long)cpu->switches, (unsigned long long)cpu->threads);
	assert_string_equal(text, expected);
}

/* A thread runs, sleeps, is woken by another one, and waits for its CPU. */
static void test_sleep(void **state)
{
	struct world *world = world_new(true);

	(void)state;
	switched(world, 100, 0, 0, "R", 7);
	switched(world, 130, 0, 7, "S", 0);
	woken(world, 150, 1, 7, 8);
	switched(world, 155, 0, 0, "R", 7);
	switched(world, 175, 0, 7, "D", 9);
	finish(world);
	assert_string_equal(world->log, "on-cpu 7 100@0-130@0 - S -1\n"
	                                "idle 0 130@0-155@0 - - -1\n"
	                                "wait 7 150@1-155@0 wakeup - 8\n"
	                                "off-cpu 7 130@0-155@0 sleeping S 8\n"
	                                "on-cpu 7 155@0-175@0 - D -1\n"
	                                "off-cpu 7 175@0-?@-1 blocked D -1\n"
	                                "on-cpu 9 175@0-?@-1 - - -1\n");
	expect_thread(world, 7, 0, "100-175 run 50 wait 5 S 20 D 0 T 0 ? 0");
	expect_thread(world, 9, 0, "175-175 run 0 wait 0 S 0 D 0 T 0 ? 0");
	expect_cpu(world, 0, "100-175 busy 50 idle 25 ? 0, 4 switches 2");
	expect_cpu(world, 1, "150-150 busy 0 idle 0 ? 0, 0 switches 0");
	assert_int_equal(world->sched.missed, 0);
	world_free(world);
}

/* What was before the first switch is unknown; a preempted thread waits at once, and migrates. */
static void test_preempted(void **state)
{
	struct world *world = world_new(true);
	const struct sched_thread *seven;

	(void)state;
	woken(world, 50, 2, 7, 0);
	woken(world, 60, 2, 7, 0); /* waits already */
	switched(world, 100, 2, 5, "R+", 7);
	woken(world, 110, 2, 7, 5); /* runs */
	switched(world, 120, 2, 7, "R", 5);
	switched(world, 150, 3, 6, "T", 7);
	finish(world);
	assert_string_equal(world->log, "wait 7 50@2-100@2 wakeup - 0\n"
	                                "on-cpu 7 100@2-120@2 - R -1\n"
	                                "wait 5 100@2-120@2 preempted R+ -1\n"
	                                "off-cpu 5 100@2-120@2 preempted R+ -1\n"
	                                "wait 7 120@2-150@3 preempted R -1\n"
	                                "off-cpu 7 120@2-150@3 preempted R -1\n"
	                                "on-cpu 7 150@3-?@-1 - - -1\n"
	                                "on-cpu 5 120@2-?@-1 - - -1\n"
	                                "off-cpu 6 150@3-?@-1 stopped T -1\n");
	seven = &world->sched.threads.items[sched_find_kernel(&world->sched.threads, 7)];
	assert_int_equal(seven->sums.migrations, 1);
	assert_int_equal(seven->sums.wakeups, 1);
	assert_int_equal(seven->sums.waits, 2);
	assert_int_equal(seven->sums.max_wait, 50);
	assert_int_equal(seven->sums.max_wait_time, 50);
	expect_cpu(world, 2, "50-120 busy 20 idle 0 ? 50, 2 switches 2");
	world_free(world);
}

/* The last switch out ends a thread, though EXIT is before it; without it EXIT does. */
static void test_exit(void **state)
{
	struct world *world = world_new(true);

	(void)state;
	switched(world, 100, 0, 0, "R", 7);
	exited(world, 110, 0, 7);
	switched(world, 120, 0, 7, "D", 8);
	switched(world, 130, 0, 8, "S", 7);
	switched(world, 140, 0, 7, "Z", 8);
	exited(world, 160, 0, 8);
	lost(world, 170, 0);
	switched(world, 180, 0, 9, "S", 0);
	forked(world, 190, 1, 7, 9); /* the number is used again */
	forked(world, 195, 1, 8, 9);
	finish(world);
	expect_thread(world, 7, 0, "100-140 run 30 wait 0 S 0 D 10 T 0 ? 0");
	expect_thread(world, 8, 0, "120-160 run 30 wait 0 S 10 D 0 T 0 ? 0");
	expect_thread(world, 7, 1, "190-190 run 0 wait 0 S 0 D 0 T 0 ? 0");
	assert_non_null(strstr(world->log, "on-cpu 8 140@0-160@0 - - -1\n"));
	assert_int_equal(world->sched.missed, 0);
	world_free(world);
}

/* A new thread waits since wakeup_new, or since FORK if that is not recorded. */
static void test_new(void **state)
{
	struct world *world = world_new(true);

	(void)state;
	forked(world, 100, 0, 7, 5);
	woken_new(world, 103, 0, 7, 5);
	switched(world, 110, 1, 0, "R", 7);
	forked(world, 120, 0, 8, 5);
	switched(world, 125, 2, 0, "R", 8);
	switched(world, 135, 2, 8, "S", 0);
	finish(world);
	expect_thread(world, 7, 0, "100-110 run 0 wait 7 S 0 D 0 T 0 ? 3");
	expect_thread(world, 8, 0, "120-135 run 10 wait 5 S 0 D 0 T 0 ? 0");
	assert_non_null(strstr(world->log, "wait 7 103@0-110@1 new - 5\n"));
	assert_non_null(strstr(world->log, "wait 8 120@0-125@2 new - 5\n"));
	world_free(world);
}

/* A switch without a record: what was open for both threads is unknown, and it is counted. */
/*
 * FORKs are recorded before switches are: a thread that writes a record, or wakes from sleep, has run since, so that it
 * did not wait all the time.
 */
static void test_had_run(void **state)
{
	struct world *world = world_new(true);

	(void)state;
	forked(world, 100, 0, 7, 5);
	forked(world, 110, 0, 8, 5);
	forked(world, 120, 0, 9, 5);
	assert_true(sched_seen(&world->sched, (struct sched_at){ .time = 130, .cpu = 1 }, thread(world, 7), &world->err));
	switched(world, 200, 0, 5, "S", 7);
	woken(world, 210, 0, 8, 7);
	switched(world, 220, 0, 7, "S", 8);
	switched(world, 240, 0, 8, "S", 9);
	finish(world);
	assert_string_equal(world->log, "wait 7 100@0-?@-1 new - 5\n"
	                                "wait 8 110@0-?@-1 new - 5\n"
	                                "on-cpu 7 200@0-220@0 - S -1\n"
	                                "wait 8 210@0-220@0 wakeup - 7\n"
	                                "on-cpu 8 220@0-240@0 - S -1\n"
	                                "wait 9 120@0-240@0 new - 5\n"
	                                "off-cpu 5 200@0-?@-1 sleeping S -1\n"
	                                "off-cpu 7 220@0-?@-1 sleeping S -1\n"
	                                "off-cpu 8 240@0-?@-1 sleeping S -1\n"
	                                "on-cpu 9 240@0-?@-1 - - -1\n");
	expect_thread(world, 7, 0, "100-220 run 20 wait 0 S 0 D 0 T 0 ? 100");
	expect_thread(world, 8, 0, "110-240 run 20 wait 10 S 0 D 0 T 0 ? 100");
	expect_thread(world, 9, 0, "120-240 run 0 wait 120 S 0 D 0 T 0 ? 0");
	world_free(world);
}

static void test_missed(void **state)
{
	struct world *world = world_new(true);

	(void)state;
	switched(world, 100, 0, 0, "R", 7);
	switched(world, 110, 0, 7, "S", 8);
	switched(world, 150, 0, 9, "S", 0); /* 8 is not there any more, and 9 came unseen */
	assert_int_equal(world->sched.missed, 1);
	switched(world, 160, 1, 0, "R", 7);
	switched(world, 170, 2, 0, "R", 7); /* it has left CPU 1 unseen */
	assert_int_equal(world->sched.missed, 2);
	switched(world, 180, 2, 7, "S", 8);
	switched(world, 190, 2, 8, "S", 0);
	finish(world);
	expect_thread(world, 8, 0, "110-190 run 10 wait 0 S 0 D 0 T 0 ? 70");
	expect_thread(world, 7, 0, "100-180 run 20 wait 0 S 50 D 0 T 0 ? 10");
	expect_cpu(world, 0, "100-150 busy 10 idle 0 ? 40, 3 switches 3");
	expect_cpu(world, 1, "160-160 busy 0 idle 0 ? 0, 1 switches 1");
	assert_non_null(strstr(world->log, "on-cpu 8 110@0-?@-1 - - -1\n"));
	assert_non_null(strstr(world->log, "on-cpu 7 160@1-?@-1 - - -1\n"));
	world_free(world);
}

/* Records lost on the CPU of an interval's begin or end make it unfinished, and no other. */
static void test_lost(void **state)
{
	struct world *world = world_new(true);

	(void)state;
	switched(world, 100, 0, 0, "R", 7);
	switched(world, 110, 0, 7, "S", 0);
	switched(world, 110, 1, 0, "R", 6);
	switched(world, 115, 1, 6, "S", 0);
	lost(world, 120, 0);
	switched(world, 130, 2, 0, "R", 7); /* went out on CPU 0 */
	switched(world, 140, 1, 0, "R", 6);
	switched(world, 150, 2, 7, "S", 0);
	switched(world, 160, 0, 9, "S", 7); /* no missed switch: it was lost */
	lost(world, 170, -1);
	switched(world, 180, 1, 6, "S", 0);
	finish(world);
	assert_int_equal(world->sched.missed, 0);
	expect_thread(world, 7, 0, "100-160 run 30 wait 0 S 10 D 0 T 0 ? 20");
	expect_thread(world, 6, 0, "110-180 run 5 wait 0 S 25 D 0 T 0 ? 40");
	assert_non_null(strstr(world->log, "off-cpu 7 110@0-?@-1 sleeping S -1\n"));
	assert_non_null(strstr(world->log, "off-cpu 6 115@1-140@1 sleeping S -1\n"));
	assert_non_null(strstr(world->log, "on-cpu 6 140@1-?@-1 - - -1\n"));
	expect_cpu(world, 0, "100-160 busy 10 idle 0 ? 50, 3 switches 2");
	world_free(world);
}

/* One program with --switch-events: its SWITCH out comes behind the sample of the same switch. */
static void test_one_program(void **state)
{
	struct world *world = world_new(true);

	(void)state;
	switched(world, 100, 0, 7, "S", 0);
	woken(world, 103, 1, 7, 6);
	out(world, 105, 0, 7, NULL, false);
	in(world, 140, 1, 7);
	switched(world, 150, 1, 7, "R+", 99);
	out(world, 152, 1, 7, "R", false);
	in(world, 170, 1, 7);
	exited(world, 180, 1, 7);
	finish(world);
	assert_string_equal(world->log, "wait 7 103@1-140@1 wakeup - 6\n"
	                                "off-cpu 7 100@0-140@1 sleeping S 6\n"
	                                "on-cpu 7 140@1-150@1 - R+ -1\n"
	                                "on-cpu 99 150@1-?@-1 - - -1\n"
	                                "wait 7 150@1-170@1 preempted R+ -1\n"
	                                "off-cpu 7 150@1-170@1 preempted R+ -1\n"
	                                "on-cpu 7 170@1-180@1 - - -1\n"
	                                "idle 0 100@0-?@-1 - - -1\n");
	expect_thread(world, 7, 0, "100-180 run 20 wait 57 S 3 D 0 T 0 ? 0");
	world_free(world);
}

/* --switch-events alone, of all CPUs: nothing tells the state of a thread that was not preempted. */
static void test_switch_records(void **state)
{
	struct world *world = world_new(false);

	(void)state;
	in(world, 100, 0, 7);
	out(world, 120, 0, 7, NULL, true);
	in(world, 121, 0, 0);
	out(world, 150, 0, 0, NULL, true);
	in(world, 152, 0, 7);
	out(world, 160, 0, 7, "R", true);
	in(world, 161, 0, 8);
	out(world, 170, 0, 8, NULL, true);
	in(world, 171, 0, 7);
	exited(world, 180, 0, 7);
	in(world, 190, 0, 0);
	finish(world);
	assert_string_equal(world->log, "on-cpu 7 100@0-120@0 - - -1\n"
	                                "idle 0 121@0-150@0 - - -1\n"
	                                "off-cpu 7 120@0-152@0 off - -1\n"
	                                "on-cpu 7 152@0-160@0 - R -1\n"
	                                "on-cpu 8 161@0-170@0 - - -1\n"
	                                "wait 7 160@0-171@0 preempted R -1\n"
	                                "off-cpu 7 160@0-171@0 preempted R -1\n"
	                                "on-cpu 7 171@0-180@0 - - -1\n"
	                                "off-cpu 8 170@0-?@-1 off - -1\n"
	                                "idle 0 190@0-?@-1 - - -1\n");
	expect_thread(world, 7, 0, "100-180 run 37 wait 11 S 0 D 0 T 0 ? 32");
	expect_cpu(world, 0, "100-190 busy 61 idle 29 ? 0, 6 switches 2");
	world_free(world);
}

/* Inside a container the kernel has another number for a thread. */
static void test_container(void **state)
{
	struct world *world = world_new(true);
	struct sched_threads *threads = &world->sched.threads;
	uint32_t other, known;

	(void)state;
	forked(world, 100, 0, 3, -1); /* the container's number */
	known = sched_thread_pair(threads, 4002, 2, &other, &world->err);
	assert_int_equal(other, SCHED_NO_THREAD);
	assert_true(sched_seen(&world->sched, (struct sched_at){ .time = 101, .cpu = 0 }, known, &world->err));
	woken_new(world, 104, 0, 4003, 4002);
	switched(world, 110, 0, 4002, "S", 4003);
	known = sched_thread_pair(threads, 4003, 3, &other, &world->err);
	assert_int_not_equal(other, SCHED_NO_THREAD);
	assert_true(sched_merged(&world->sched, known, other, &world->err));
	switched(world, 120, 0, 4003, "S", 4002);
	exited(world, 130, 0, 4002);
	finish(world);
	expect_thread(world, 3, 0, "100-120 run 10 wait 6 S 0 D 0 T 0 ? 4");
	expect_thread(world, 2, 0, "101-130 run 10 wait 0 S 10 D 0 T 0 ? 9");
	assert_non_null(strstr(world->log, "wait 4003 104@0-110@0 new - 2\n"));
	world_free(world);
}

/* exec by a thread other than the first one: what was open goes on if the record tells it. */
static void test_exec(void **state)
{
	struct world *world = world_new(true);
	uint32_t first;

	(void)state;
	switched(world, 100, 0, 0, "R", 31);
	switched(world, 110, 1, 0, "R", 30);
	exited(world, 120, 1, 30);
	switched(world, 125, 1, 30, "X", 0);
	first = sched_new_of_kernel(&world->sched.threads, 30, &world->err);
	assert_true(sched_moved(&world->sched, (struct sched_at){ .time = 130, .cpu = 0 }, thread(world, 31),
	                        first, true, &world->err));
	switched(world, 150, 0, 30, "S", 0);
	finish(world);
	assert_int_equal(world->sched.missed, 0);
	assert_non_null(strstr(world->log, "on-cpu 31 100@0-150@0 - S -1\n"));
	expect_thread(world, 31, 0, "100-130 run 30 wait 0 S 0 D 0 T 0 ? 0");
	expect_thread(world, 30, 1, "130-150 run 20 wait 0 S 0 D 0 T 0 ? 0");
	world_free(world);
}

/* Any facts at all: the sums hold, whatever is doubled, swapped or missing. */
/* Records of a program's switches that say no CPU: what was lost may be a switch of any thread. */
static void test_lost_anywhere(void **state)
{
	struct world *world = world_new(true);

	(void)state;
	in(world, 100, -1, 7);
	lost(world, 110, -1);
	in(world, 120, -1, 7);
	in(world, 125, -1, 7); /* told twice */
	out(world, 130, -1, 7, "", false);
	finish(world);
	assert_string_equal(world->log, "on-cpu 7 100@-1-?@-1 - - -1\n"
	                                "on-cpu 7 120@-1-130@-1 - - -1\n"
	                                "off-cpu 7 130@-1-?@-1 off - -1\n");
	expect_thread(world, 7, 0, "100-130 run 10 wait 0 S 0 D 0 T 0 ? 20");
	world_free(world);
}

/* Of two threads that by record run on a CPU at one time, the time of the first is not known. */
static void test_out_of_order(void **state)
{
	struct world *world = world_new(true);

	(void)state;
	in(world, 100, 0, 7);
	out(world, 110, 0, 8, "", true);
	in(world, 120, 0, 9);
	out(world, 140, 0, 9, "", true);
	switched(world, 150, 0, 7, "S", 0);
	finish(world);
	assert_string_equal(world->log, "on-cpu 7 100@0-?@-1 - - -1\n"
	                                "on-cpu 9 120@0-140@0 - - -1\n"
	                                "off-cpu 7 150@0-?@-1 sleeping S -1\n"
	                                "off-cpu 8 110@0-?@-1 off - -1\n"
	                                "off-cpu 9 140@0-?@-1 off - -1\n"
	                                "idle 0 150@0-?@-1 - - -1\n");
	expect_thread(world, 7, 0, "100-150 run 0 wait 0 S 0 D 0 T 0 ? 50");
	expect_cpu(world, 0, "100-150 busy 40 idle 0 ? 10, 3 switches 3");
	world_free(world);
}

/* After exec by another thread of a container, both numbers of the first one are its own. */
static void test_numbers_of_exec(void **state)
{
	struct world *world = world_new(true);
	struct sched_threads *threads = &world->sched.threads;
	uint32_t first, goes_on, other;

	(void)state;
	first = sched_thread_pair(threads, 472, 54, &other, &world->err);
	assert_int_equal(sched_thread_pair(threads, 472, 54, &other, &world->err), first);
	threads->items[first].ended = true;
	goes_on = sched_new_of_sample(threads, 54, &world->err);
	assert_int_equal(sched_thread_pair(threads, 472, 54, &other, &world->err), goes_on);
	assert_int_equal(other, SCHED_NO_THREAD);
	assert_int_equal(threads->items[goes_on].kernel, 472);
	world_free(world);
}

static void test_any(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed < 400; seed++) {
		struct world *world = world_new(seed & 1);
		uint64_t time = 0, random = seed * 2654435761u;

		world->sched.sink = (struct interval_sink){ 0 };
		for (unsigned i = 0; i < 300; i++) {
			static const char *const letters[] = { "S", "D", "R", "R+", "T", "X", NULL };
			int32_t a, b, cpu;
			const char *letter;

			random = random * 6364136223846793005u + 1442695040888963407u;
			a = (int32_t)(random >> 33) % 5;
			b = (int32_t)(random >> 37) % 5;
			cpu = (int32_t)(random >> 41) % 4 - (random >> 60 == 0);
			letter = letters[(random >> 50) % 7];
			time += (random >> 55) % 9;
			if (a == b)
				b++;
			switch ((random >> 45) % 12) {
			case 0:
				a > 0 ? exited(world, time, cpu, a) : lost(world, time, cpu);
				break;
			case 1:
				a > 0 ? woken(world, time, cpu, a, b) : (void)0;
				break;
			case 2:
				in(world, time, cpu, a);
				break;
			case 3:
				out(world, time, cpu, a, letter && *letter == 'X' ? NULL : letter,
				    seed & 2);
				break;
			case 4:
				if (a > 0) {
					sched_gone(&world->sched, thread(world, a), &world->err);
					forked(world, time, cpu, a, b);
				}
				break;
			case 5:
				a > 0 ? woken_new(world, time, cpu, a, b) : (void)0;
				break;
			default:
				switched(world, time, cpu, a, letter, b);
			}
		}
		finish(world);
		world_free(world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sleep),       cmocka_unit_test(test_preempted),
		cmocka_unit_test(test_exit),        cmocka_unit_test(test_new), cmocka_unit_test(test_had_run),
		cmocka_unit_test(test_missed),      cmocka_unit_test(test_lost),
		cmocka_unit_test(test_one_program), cmocka_unit_test(test_switch_records),
		cmocka_unit_test(test_container),   cmocka_unit_test(test_exec),
		cmocka_unit_test(test_any), cmocka_unit_test(test_numbers_of_exec), cmocka_unit_test(test_lost_anywhere), cmocka_unit_test(test_out_of_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

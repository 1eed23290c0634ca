/* Threads that help the first one. */
#define _GNU_SOURCE /* cpu_set_t */

#include "util/thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>

struct helper {
	pthread_mutex_t lock; /* held until the thread may look */
	int result;
	cpu_set_t cpus;
	size_t stack;
};

static void *look(void *context)
{
	struct helper *helper = context;
	pthread_attr_t attr;

	pthread_mutex_lock(&helper->lock);
	helper->result = sched_getaffinity(0, sizeof(helper->cpus), &helper->cpus);
	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstacksize(&attr, &helper->stack);
	pthread_attr_destroy(&attr);
	pthread_mutex_unlock(&helper->lock);
	return helper;
}

static struct helper help(size_t stack)
{
	struct helper helper = { .lock = PTHREAD_MUTEX_INITIALIZER, .result = -1 };
	pthread_t thread;
	void *returned;

	pthread_mutex_lock(&helper.lock);
	assert_true(thread_start(&thread, stack, look, &helper));
	pthread_mutex_unlock(&helper.lock);
	assert_int_equal(pthread_join(thread, &returned), 0);
	assert_ptr_equal(returned, &helper);
	assert_int_equal(helper.result, 0);
	return helper;
}

/* Wherever it begins, it may go to each CPU that the process may be on. */
static void any_cpu(void **state)
{
	cpu_set_t before, after;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	for (int i = 0; i < 20; i++) {
		struct helper helper = help(THREAD_SMALL);

		assert_true(CPU_EQUAL(&helper.cpus, &before));
	}
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
}

/* A process with one CPU has its threads there, too. */
static void the_only_cpu(void **state)
{
	cpu_set_t before, one;
	struct helper helper;
	int cpu = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	while (!CPU_ISSET((size_t)cpu, &before))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	helper = help(THREAD_SMALL);
	assert_true(CPU_EQUAL(&helper.cpus, &one));
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

static void stacks(void **state)
{
	(void)state;
	assert_true(help(THREAD_SMALL).stack <= 2 * THREAD_SMALL);
	assert_true(help(THREAD_ENOUGH).stack >= THREAD_ENOUGH);
}

struct both {
	pthread_t one, other;
	int calls;
	pthread_mutex_t lock;
};

static void call_one(void *context)
{
	struct both *both = context;

	both->one = pthread_self();
	pthread_mutex_lock(&both->lock);
	both->calls++;
	pthread_mutex_unlock(&both->lock);
}

static void *call_other(void *context)
{
	struct both *both = context;

	both->other = pthread_self();
	pthread_mutex_lock(&both->lock);
	both->calls++;
	pthread_mutex_unlock(&both->lock);
	return NULL;
}

/* Both are called, whether there may be another thread or not. */
static void both_are_called(void **state)
{
	struct both both = { .lock = PTHREAD_MUTEX_INITIALIZER };

	(void)state;
	thread_both(true, call_one, call_other, &both);
	assert_int_equal(both.calls, 2);
	assert_true(pthread_equal(both.one, pthread_self()));
	assert_false(pthread_equal(both.other, pthread_self()));
	thread_both(false, call_one, call_other, &both);
	assert_int_equal(both.calls, 4);
	assert_true(pthread_equal(both.other, pthread_self()));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_cpu),
		cmocka_unit_test(the_only_cpu),
		cmocka_unit_test(stacks),
		cmocka_unit_test(both_are_called),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

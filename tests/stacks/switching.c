/* Works on other stacks than that of its thread: in coroutines, and in a handler of signals with a stack of its own. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

#define STACK_SIZE 65536

static volatile unsigned long sum;
static ucontext_t starter, coroutine;

__attribute__((noinline)) static void spin(void)
{
	for (int i = 0; i < 100000; i++)
		sum += (unsigned long)i;
}

__attribute__((noinline)) static void on_coroutine(int depth)
{
	if (depth)
		on_coroutine(depth - 1);
	else
		spin();
	sum++;
}

static void coroutine_body(void)
{
	for (;;) {
		on_coroutine(5);
		swapcontext(&coroutine, &starter);
	}
}

static void own_stack_handler(int number)
{
	(void)number;
	spin();
	sum++;
}

int main(void)
{
	const stack_t other = { .ss_sp = malloc(STACK_SIZE), .ss_size = STACK_SIZE };
	struct sigaction action = { .sa_handler = own_stack_handler, .sa_flags = SA_ONSTACK };

	sigaltstack(&other, NULL);
	sigaction(SIGUSR1, &action, NULL);
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = malloc(STACK_SIZE);
	coroutine.uc_stack.ss_size = STACK_SIZE;
	makecontext(&coroutine, coroutine_body, 0);
	for (int i = 0; i < 3000; i++) {
		swapcontext(&starter, &coroutine);
		raise(SIGUSR1);
	}
	return 0;
}

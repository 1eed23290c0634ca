/* One process, four functions, of which one is in a header. Optional argument: rounds. */
#include <stdio.h>
#include <stdlib.h>

enum { LIMIT = 200000 };

static unsigned char composite[LIMIT];

__attribute__((noinline)) static int sieve(void)
{
	int primes = 0;

	for (int i = 2; i < LIMIT; i++)
		composite[i] = 0;
	for (int i = 2; i < LIMIT; i++) {
		primes += !composite[i];
		for (int j = 2 * i; !composite[i] && j < LIMIT; j += i)
			composite[j] = 1;
	}
	return primes;
}

/* Behind a function of this file: addr2line of binutils 2.40 takes a header that comes first for
 * this file. */
#include "spin.h"

__attribute__((noinline)) static long collatz(long from, long to)
{
	long steps = 0;

	for (long i = from; i < to; i++)
		for (long n = i; n != 1; steps++)
			n = n % 2 ? 3 * n + 1 : n / 2;
	return steps;
}

__attribute__((noinline)) long greatest_divisors(long n)
{
	long sum = 0;

	for (long i = 1; i < n; i++)
		for (long j = 1; j < n; j += 7) {
			long a = i, b = j;

			while (b) {
				long rest = a % b;

				a = b;
				b = rest;
			}
			sum += a;
		}
	return sum;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 25;
	unsigned long sum = 0;

	for (int i = 0; i < rounds; i++) {
		sum += (unsigned long)sieve();
		sum += (unsigned long)collatz(1, 8000);
		sum += (unsigned long)greatest_divisors(300);
		sum += header_mix(sum, 2000000);
	}
	printf("%lu\n", sum);
	return 0;
}

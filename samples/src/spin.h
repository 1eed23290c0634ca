/* A function that lives in a header: its source file is not the file that was compiled. */
#ifndef SPIN_H
#define SPIN_H

static __attribute__((noinline)) unsigned long header_mix(unsigned long x, long rounds)
{
	for (long i = 0; i < rounds; i++)
		x = x * 6364136223846793005UL + (x >> 33);
	return x;
}

#endif

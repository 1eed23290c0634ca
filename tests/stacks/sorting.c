/* Calls itself to a depth that changes, and then sorts through the C library, which calls back. */
#include <stdio.h>
#include <stdlib.h>

#define COUNT 20000

static unsigned state = 1;

static int next_number(void)
{
	state = state * 1103515245 + 12345;
	return (int)(state >> 8);
}

static int compare(const void *a, const void *b)
{
	const int x = *(const int *)a, y = *(const int *)b;
	volatile int wait = 0;

	for (int i = 0; i < 30; i++)
		wait += i;
	return x < y ? -1 : x > y;
}

__attribute__((noinline)) static int sort_numbers(int *numbers)
{
	for (int i = 0; i < COUNT; i++)
		numbers[i] = next_number();
	qsort(numbers, COUNT, sizeof(*numbers), compare);
	return numbers[0];
}

__attribute__((noinline)) static int go_deeper(int depth, int *numbers)
{
	volatile char room[64];

	room[0] = (char)depth;
	return depth ? go_deeper(depth - 1, numbers) + room[0] : sort_numbers(numbers);
}

int main(void)
{
	int *numbers = malloc(COUNT * sizeof(*numbers)), sum = 0;

	for (int i = 0; numbers && i < 40; i++)
		sum += go_deeper(i % 10, numbers);
	printf("%d\n", sum);
	free(numbers);
	return 0;
}

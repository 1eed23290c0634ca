/* Small helpers for every room. They know nothing of perf. */
#ifndef READPERF_UTIL_TYPES_H
#define READPERF_UTIL_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* Lets the compiler check the arguments of a printf-like function. */
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))

static inline uint64_t u64_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* For comparing: below 0 if a is less, above 0 if it is more. */
static inline int u64_order(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static inline uint64_t u64_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* a + b, or UINT64_MAX where the sum does not fit. */
static inline uint64_t u64_add_sat(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t u64_mul_sat(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

#endif

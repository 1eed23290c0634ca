/* Values that are computed: costs, p values, changes. */
#ifndef READPERF_DECODE_TABLES_ROUNDEDVALUE_H
#define READPERF_DECODE_TABLES_ROUNDEDVALUE_H

#include "util/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Prints nine digits: costs and p values are products and sums of many doubles, whose last digits
 * depend on the compiler.
 */
static inline struct value value_rounded(double number)
{
	char text[40];

	snprintf(text, sizeof(text), "%.9g", number);
	return value_decimal(strtod(text, NULL));
}

/* A percentage; empty if it is not known. */
static inline struct value value_share_if(bool known, double percent)
{
	return value_if(known && isfinite(percent), value_share(percent));
}

#endif

#include "decode/options/numbers.h"

#include "util/digits.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Decimal digits; *end is what follows them. */
static bool parse_digits(const char *text, uint64_t *value, char **end)
{
	errno = 0;
	*value = strtoull(text, end, 10);
	return is_digit(*text) && !errno;
}

bool parse_number(const char *text, uint64_t *value)
{
	char *end;

	return parse_digits(text, value, &end) && !*end;
}

bool parse_size(const char *text, uint64_t *value)
{
	static const char units[] = "KMGTkmgt";
	const char *unit;
	char *end;

	if (!parse_digits(text, value, &end))
		return false;
	unit = strchr(units, *end);
	if (!unit || (*end && end[1]))
		return false;
	for (int i = 0; *unit && i <= (unit - units) % 4; i++)
		if (__builtin_mul_overflow(*value, 1024u, value))
			return false;
	return *value > 0;
}

bool parse_real(const char *value, const char *unit, double least, double most, double *number)
{
	char *end;

	*number = strtod(value, &end);
	return end > value && (!*end || !strcmp(end, unit)) && isfinite(*number) &&
	       *number >= least && *number <= most;
}

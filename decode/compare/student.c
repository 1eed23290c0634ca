#include "decode/compare/student.h"

#include <math.h>
#include <stdlib.h>

/* terms of the continued fraction; it converges after about sqrt(freedom) */
#define FRACTION_TERMS 10000
#define PI 3.14159265358979323846

/*
 * B(freedom / 2, 1 / 2), by B(a + 1, b) = B(a, b) * a / (a + b) from B(1/2, 1/2) = pi or B(1, 1/2)
 * = 2.
 */
static double beta_half(unsigned freedom)
{
	double a = freedom % 2 ? 0.5 : 1, beta = freedom % 2 ? PI : 2;

	for (; 2 * a < freedom; a++)
		beta *= a / (a + 0.5);
	return beta;
}

static double away_from_zero(double value)
{
	return fabs(value) < 1e-300 ? 1e-300 : value;
}

/*
 * The continued fraction for the incomplete beta function I_x(a, b), evaluated from the front
 * (Lentz).
 */
static double beta_fraction(double x, double a, double b)
{
	double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), value = d;

	for (unsigned m = 1; m < FRACTION_TERMS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 / away_from_zero(1 + even * d);
		c = away_from_zero(1 + even / c);
		value *= c * d;
		d = 1 / away_from_zero(1 + odd * d);
		c = away_from_zero(1 + odd / c);
		step = c * d;
		value *= step;
		if (fabs(step - 1) < 1e-15)
			break;
	}
	return value;
}

/* p = I_x(freedom / 2, 1 / 2) with x = freedom / (freedom + t^2). */
double student_two_sided(double t, unsigned freedom)
{
	double n = freedom, a = n / 2, x, front;

	t = fabs(t);
	if (!(t > 0))
		return 1;
	x = t > 1e150 ? n / t / t : n / (n + t * t);
	front = exp(a * log(x)) * sqrt(1 - x) / beta_half(freedom);
	/*
	 * on this side of the mode the fraction converges fast, on the other one that of 1 - I does
	 */
	if (x < (a + 1) / (a + 2.5))
		return front * beta_fraction(x, a, 0.5) / a;
	return 1 - front * beta_fraction(1 - x, 0.5, a) / 0.5;
}

double student_quantile(double p, unsigned freedom)
{
	double low = 0, high = 1;

	while (student_two_sided(high, freedom) > p && high < 1e300)
		high *= 2;
	/* until no double lies between them */
	for (double middle = high / 2; low < middle && middle < high;
	     middle = low + (high - low) / 2) {
		if (student_two_sided(middle, freedom) > p)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static int compare_weighted(const void *a, const void *b)
{
	const struct weighted *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

double weighted_median(struct weighted *items, size_t count)
{
	double whole = 0, below = 0;

	if (count)
		qsort(items, count, sizeof(*items), compare_weighted);
	for (size_t i = 0; i < count; i++)
		whole += items[i].weight;
	for (size_t i = 0; i < count; i++) {
		size_t next = i + 1;

		below += items[i].weight;
		if (below < whole / 2 || !(items[i].weight > 0))
			continue;
		while (next < count && !(items[next].weight > 0))
			next++;
		return below > whole / 2 || next == count
		               ? items[i].value
		               : (items[i].value + items[next].value) / 2;
	}
	return 0;
}

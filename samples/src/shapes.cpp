// C++ names: namespaces, templates, operators, overloads, an anonymous namespace, a lambda.
#include <cstdio>

#include "shapes.hpp"

namespace {
__attribute__((noinline)) unsigned hidden(unsigned x)
{
	for (int i = 0; i < 300000; i++)
		x = x * 1664525U + 1013904223U;
	return x;
}
} // namespace

namespace geometry {
// Two overloads: perf names both geometry::scale.
__attribute__((noinline)) unsigned scale(unsigned x)
{
	for (int i = 0; i < 200000; i++)
		x = x * 69069U + 1U;
	return x;
}

__attribute__((noinline)) unsigned long scale(unsigned long x, int by)
{
	for (int i = 0; i < 200000; i++)
		x = x * 2862933555777941757UL + static_cast<unsigned long>(by);
	return x;
}
} // namespace geometry

int main()
{
	unsigned long sum = 0;
	auto twist = [](unsigned long x) __attribute__((noinline)) {
		for (int i = 0; i < 250000; i++)
			x ^= x << 7 ^ x >> 9;
		return x;
	};

	for (unsigned i = 0; i < 400; i++) {
		geometry::Pair<unsigned, unsigned long> a = {i, sum}, b = {i + 1, sum + 1};
		geometry::Pair<unsigned, unsigned long> c = a + b;

		sum += c.first + c.second;
		sum += geometry::Polygon<unsigned>(i).area(200000);
		sum += geometry::Polygon<unsigned long>(i).area(100000);
		sum += hidden(i) + geometry::scale(i) + geometry::scale(sum, 3) + twist(sum + 1);
	}
	std::printf("%lu\n", sum);
	return 0;
}

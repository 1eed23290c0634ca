/* Templates, namespaces, operators, lambdas and what compilers make of static constructors. */
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

volatile uint64_t sink;

namespace {
template <typename T, int N> struct Ring {
	T items[N] = {};
	__attribute__((noinline)) T turn(T value)
	{
		for (int i = 0; i < N; i++)
			items[i] = items[i] * 31 + value++;
		return items[value % N];
	}
	__attribute__((noinline)) bool operator<(const Ring &other) const
	{
		return std::lexicographical_compare(items, items + N, other.items, other.items + N);
	}
};
}

template <typename F> __attribute__((noinline)) static void repeat(int count, F function)
{
	for (int i = 0; i < count; i++)
		function(i);
}

struct Base {
	virtual ~Base() = default;
	virtual uint64_t value(uint64_t) const = 0;
};

struct Odd : Base {
	__attribute__((noinline)) uint64_t value(uint64_t v) const override
	{
		for (int i = 0; i < 50; i++)
			v = v * 3 + 1;
		return v;
	}
};

int main()
{
	Ring<uint32_t, 64> small;
	Ring<uint64_t, 256> large, other;
	std::map<std::string, std::vector<int>> words;
	Odd odd;
	const Base *base = &odd;

	repeat(40000, [&](int i) {
		sink = sink + small.turn((uint32_t)i) + large.turn((uint64_t)i) + (large < other);
		sink = sink + base->value((uint64_t)i);
		words[std::to_string(i % 1000)].push_back(i);
	});
	for (auto &word : words)
		std::sort(word.second.begin(), word.second.end(), [](int a, int b) { return a > b; });
	return 0;
}

/* Functions of one name that are inlined into main(), and overloads that begin with inlined code. */
#include <cstdint>
#include <vector>

volatile uint64_t sink;

#define BODY(n)                                   \
	for (int i = 0; i < 3000; i++)            \
		x = x * n + (x >> 3);             \
	return x;

namespace fast {
static inline uint64_t work(uint64_t x) { BODY(3) }
}

namespace slow {
static inline uint64_t work(uint64_t x) { BODY(5) }
}

namespace acme {
__attribute__((noinline)) uint64_t count(uint64_t x) { BODY(7) }

__attribute__((noinline)) uint64_t count(const std::vector<uint64_t> &all, uint64_t x)
{
	return all.size() * x + all[0];
}
}

int main()
{
	std::vector<uint64_t> all(3000);
	auto one = [](uint64_t x) { BODY(9) };
	auto two = [](uint64_t x) { BODY(11) };

	for (uint64_t round = 0; round < 8000; round++) {
		sink = sink + fast::work(round) + slow::work(round) + one(round) + two(round);
		sink = sink + acme::count(round);
		for (uint64_t i = 0; i < 3000; i++)
			sink = sink + acme::count(all, i);
	}
}

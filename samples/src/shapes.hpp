// Templates and overloads whose code comes from a header.
#ifndef SHAPES_HPP
#define SHAPES_HPP

namespace geometry {

template <typename Number> class Polygon {
public:
	explicit Polygon(Number side) : side_(side) {}
	__attribute__((noinline)) Number area(long rounds) const
	{
		Number sum = side_;

		for (long i = 0; i < rounds; i++)
			sum = static_cast<Number>(sum * 3 + side_ / 7);
		return sum;
	}

private:
	Number side_;
};

template <typename A, typename B> struct Pair {
	A first;
	B second;
	__attribute__((noinline)) Pair operator+(const Pair &other) const
	{
		Pair result = *this;

		for (int i = 0; i < 100000; i++) {
			result.first = static_cast<A>(result.first * 5 + other.first);
			result.second = static_cast<B>(result.second * 3 + other.second);
		}
		return result;
	}
};

} // namespace geometry

#endif

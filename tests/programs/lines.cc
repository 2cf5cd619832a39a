// Inlined functions of many depths, templates, a function in two pieces, code in a type within a function.
#include <algorithm>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace app {
template <int N> struct Steps {
	static unsigned run(unsigned x) { return Steps<N - 1>::run(x * 1103515245u + N); }
};
template <> struct Steps<0> {
	static unsigned run(unsigned x) { return x; }
};
struct Point {
	unsigned a, b;
	bool operator<(const Point &o) const { return a * 7919u % 1000003u < o.a * 7919u % 1000003u; }
};
}
using namespace app;

__attribute__((noinline)) unsigned
sorted(unsigned n)
{
	std::vector<Point> v;

	for (unsigned i = 0; i < n; i++)
		v.push_back({ Steps<20>::run(i), i });
	std::sort(v.begin(), v.end());
	if (v.empty())
		throw std::runtime_error("nothing");
	return v[n / 2].a;
}

int
main(int argc, char **)
{
	struct Local {
		std::map<std::string, unsigned> names;
		void add(unsigned i) { names[std::to_string(i)] += i; }
	} local;
	unsigned sum = 0;

	for (int i = 0; i < 40 * argc; i++) {
		sum += sorted(20000);
		local.add(sum % 1000);
	}
	std::printf("%u %zu\n", sum, local.names.size());
}

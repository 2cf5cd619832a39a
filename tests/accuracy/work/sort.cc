// sort SECONDS: the standard library at work, with a comparison that is called back.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

struct shape {
	virtual ~shape() {}
	virtual double size() const = 0;
};
struct square : shape {
	double a;
	explicit square(double side) : a(side) {}
	double size() const override { return a * a; }
};
struct several : shape {
	std::vector<shape *> parts;
	~several() override { for (auto *p : parts) delete p; }
	double size() const override { double s = 0; for (auto *p : parts) s += p->size(); return s; }
};

static shape *make(int depth)
{
	if (!depth)
		return new square(depth + 1);
	auto *s = new several;
	for (int i = 0; i < 4; i++)
		s->parts.push_back(make(depth - 1));
	return s;
}

int main(int argc, char **argv)
{
	using namespace std::chrono;
	auto end = steady_clock::now() + duration<double>(argc > 1 ? atof(argv[1]) : 1);
	double sum = 0;

	while (steady_clock::now() < end) {
		std::map<std::string, int> m;
		std::vector<std::string> v;
		std::function<bool(const std::string &, const std::string &)> less = [](auto &a, auto &b) { return a > b; };
		for (int i = 0; i < 3000; i++)
			v.push_back("key" + std::to_string(i * 7919 % 3001));
		std::sort(v.begin(), v.end(), less);
		for (auto &s : v)
			m[s]++;
		try {
			if (m.size() != 1)
				throw std::string("thrown");
		} catch (const std::string &s) {
			sum += double(s.size());
		}
		shape *s = make(6);
		sum += s->size() + double(m.size());
		delete s;
	}
	return sum < 0;
}

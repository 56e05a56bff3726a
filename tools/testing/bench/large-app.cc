// SPDX-License-Identifier: GPL-2.0
/*
 * large-app ROUNDS - a C++ program whose time is in inlined functions of the standard library:
 * maps and strings are filled, sorted and added up.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

struct item {
	std::string name;
	long key;

	bool operator<(const item &other) const
	{
		return key < other.key;
	}
};

static long mix(long x)
{
	return (x ^ x >> 13) * 0x5bd1e995;
}

static std::map<long, item> fill(long n)
{
	std::map<long, item> m;

	for (long i = 0; i < n; i++)
		m[mix(i) % 5000] = item{std::to_string(i), i};
	return m;
}

static long walk(const std::map<long, item> &m)
{
	std::vector<item> v;
	long sum = 0;

	for (auto &p : m)
		v.push_back(p.second);
	std::sort(v.begin(), v.end());
	for (auto &i : v)
		sum += i.key + i.name.size();
	return sum;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 100, sum = 0;

	for (long i = 0; i < rounds; i++)
		sum += walk(fill(3000));
	printf("%ld\n", sum);
}

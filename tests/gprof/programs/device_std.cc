// SPDX-License-Identifier: MIT
// C++ with its library and exceptions.
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "device.h"

static std::vector<std::string> names;

static unsigned total(const std::map<std::string, unsigned> &counts)
{
    unsigned sum = 0;
    for (const auto &count : counts)
        sum += count.second;
    return sum;
}

extern "C" unsigned objects(unsigned n)
{
    std::map<std::string, unsigned> counts;
    for (unsigned i = 0; i < n; i++) {
        names.push_back("name " + std::string(i, 'x'));
        counts[names.back()] += i;
    }
    try {
        sink += names.at(n * 2).size();
    } catch (const std::out_of_range &) {
        sink++;
    }
    return total(counts);
}

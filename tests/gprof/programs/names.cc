/* SPDX-License-Identifier: MIT */
extern "C" {
#include "parts.h"
}

/* Inlined below. GNU gprof's two passes disagree about inlined functions without a
 * linkage name, as static ones of C++ are: it then refuses -l. */
#ifdef STATIC_INLINE
static
#endif
    inline unsigned
    mixed(unsigned n)
{
    sink = n;
    return n * 3u;
}

namespace
{
__attribute__((noinline)) unsigned hidden(unsigned n)
{
    sink = n;
    return n + mixed(n + 3);
}
} // namespace

namespace outer
{
namespace inner
{
template <typename T> __attribute__((noinline)) T twice(T value)
{
    sink = static_cast<unsigned>(value);
    return value + value;
}

struct Point {
    int x, y;
    __attribute__((noinline)) Point(int a, int b) : x(a), y(b)
    {
        sink = unsigned(a + b);
    }
    __attribute__((noinline)) Point operator+(const Point &other) const
    {
        return Point(x + other.x, y + other.y);
    }
    __attribute__((noinline)) int operator()(int z, const char *text) const
    {
        sink = static_cast<unsigned>(z);
        return text ? x + z : y;
    }
    __attribute__((noinline)) operator unsigned() const
    {
        sink = 1;
        return static_cast<unsigned>(x);
    }
    __attribute__((noinline)) static int make(unsigned (*f)(unsigned), int n, ...)
    {
        return static_cast<int>(f(static_cast<unsigned>(n)));
    }
};
} // namespace inner

__attribute__((noinline)) static unsigned overload(int n)
{
    sink = static_cast<unsigned>(n);
    return 1;
}

__attribute__((noinline)) static unsigned overload(unsigned char n, const inner::Point &p)
{
    sink = n;
    return p;
}

} // namespace outer

extern "C" unsigned from_cxx(unsigned n)
{
    outer::inner::Point a(1, 2), b(static_cast<int>(n), 4);
    auto local = [n](unsigned m) __attribute__((noinline))
    {
        sink = m;
        return m + mixed(n);
    };

    n += outer::inner::twice<long>(5) + outer::inner::twice(n) + hidden(n);
    n += unsigned((a + b)(3, "x")) + outer::overload(3) + outer::overload(2, a);
    n += outer::inner::Point::make(hidden, 4);
    return local(n) + mixed(n);
}

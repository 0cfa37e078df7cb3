// SPDX-License-Identifier: MIT
// C++ as firmware has it: templates, virtual and local functions, static objects.
#include "device.h"

namespace device {

struct shape {
    virtual unsigned area() const = 0;
    virtual unsigned edge() const { return 1; }
};

struct square : shape {
    explicit square(unsigned n) : side(n) {}
    unsigned area() const override { return side * side; }
    unsigned edge() const override { return blend(side, 4); }
    unsigned side;
};

template <typename T, unsigned N> class ring {
  public:
    void put(const T &item)
    {
        items[at++ % N] = item;
    }
    T sum() const
    {
        T all = T();
        for (unsigned i = 0; i < N; i++)
            all = all + items[i];
        return all;
    }

  private:
    T items[N] = {};
    unsigned at = 0;
};

namespace {

struct counter {
    counter() : count(7) { sink += count; }
    ~counter() { sink -= count; }
    unsigned operator()(unsigned n) { return count += n; }
    unsigned count;
};

counter calls;

template <typename F> unsigned __attribute__((noinline)) twice(F f, unsigned n)
{
    return f(n) + f(n + 1);
}

}  // namespace

unsigned __attribute__((noinline)) measure(const shape &s, unsigned (*f)(unsigned))
{
    return s.area() + s.edge() + f(s.area());
}

}  // namespace device

extern "C" unsigned objects(unsigned n)
{
    static device::counter inside;
    device::ring<unsigned, 5> numbers;
    device::ring<long, 3> wide;
    device::square s(n);

    for (unsigned i = 0; i < n; i++) {
        numbers.put(device::measure(s, [](unsigned x) { return blend(x, 8); }));
        wide.put(static_cast<long>(device::calls(i)));
    }
    sink += device::twice([n](unsigned x) { return x * n; }, n);
    return numbers.sum() + static_cast<unsigned>(wide.sum()) + inside(n);
}

/* SPDX-License-Identifier: MIT */
#include "parts.h"

/* For a tool without a C++ compiler: what names.cc has, without the names. */
unsigned from_cxx(unsigned n)
{
    return mix(n, 9) + delta(n);
}

# SPDX-License-Identifier: MIT
"""The calls of examples/truth, known from its source: {(caller, callee): count}."""
from firmware import BOARDS


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def truth(board, rounds):
    """Returns these calls. `rounds`: how often interrupts() worked, which the firmware prints."""
    calls = {
        ("main", "loops"): 1,
        ("loops", "leaf"): 1000,
        ("loops", "expect"): 1,
        ("main", "recursion"): 1,
        ("recursion", "factorial"): 20,
        ("factorial", "factorial"): 20 * 9,
        ("recursion", "fibonacci"): 1,
        # fibonacci(n) is called 2 F(n+1) - 1 times in all
        ("fibonacci", "fibonacci"): 2 * fibonacci(16) - 2,
        ("recursion", "expect"): 21,
        ("main", "mutual"): 1,
        ("mutual", "is_even"): 30,
        ("is_even", "is_odd"): sum((n + 1) // 2 for n in range(30)),
        ("is_odd", "is_even"): sum(n // 2 for n in range(30)),
        ("mutual", "expect"): 30,
        ("main", "pointers"): 1,
        ("pointers", "expect"): 1,
        ("main", "arguments"): 1,
        ("arguments", "expect"): 50 * 6,
        ("args8", "args4"): 50,
        ("main", "interrupts"): 1,
        ("interrupts", "work"): rounds,
        ("work", "leaf"): rounds,
        ("interrupts", "expect"): 1,
        (BOARDS[board].tick_caller, "on_timer"): 200,
        ("on_timer", "on_tick"): 200,
        ("on_tick", "count_tick"): 200,
    }
    for op in ("op_add", "op_sub", "op_shift", "op_not"):
        calls["pointers", op] = 100
    for callee in ("wide", "args4", "args8", "triple_of", "triple_sum", "scaled"):
        calls["arguments", callee] = 50
    return calls

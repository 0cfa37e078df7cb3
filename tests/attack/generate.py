# SPDX-License-Identifier: MIT
"""Makes random programs that are built to break the walk of call paths: see README.md."""
import random
import typing

import assembly

GCC = ["-O0", "-O1", "-O2", "-O3", "-Os", "-Oz"]
CLANG = GCC
HEAD = """\
#include <alloca.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "attack.h"

"""


class Recipe(typing.NamedTuple):
    """`files`: texts by name; `flags`, `linking`: for the compiler and the linker; `nested`: with
    handlers in one another; `collide`: symbols in RAM and in flash whose low bits shall be equal;
    `needs_sp`: the truth is not known without the stack pointer."""
    files: dict
    flags: list
    clang: bool = False
    nested: bool = False
    linking: tuple = ()
    collide: tuple = ()
    needs_sp: bool = False

    def says(self):
        return " ".join([["gcc", "clang"][self.clang], *self.flags])


class Features(typing.NamedTuple):
    """How often each kind of statement comes."""
    kinds: dict
    ends: dict = {"plain": 4, "tail": 1}
    functions: tuple = (5, 12)
    statements: tuple = (1, 5)
    depth: tuple = (4, 9)


BASE = {"work": 4, "spin": 3, "call": 5, "table": 2}
C_CLASSES = {
    "plain": Features(BASE | {"array": 2, "many": 1, "library": 1}),
    "variable": Features(BASE | {"variable": 4, "alloca": 2, "array": 2}),
    "aligned": Features(BASE | {"aligned": 4, "array": 1, "variable": 1}),
    "switch": Features(BASE | {"switch": 4, "goto": 3}),
    "tail": Features(BASE | {"many": 2, "array": 1}, {"plain": 1, "tail": 4, "tail_table": 3}),
    "large": Features(BASE | {"large": 2, "switch": 1, "array": 1}, functions=(3, 6)),
    "longjmp": Features(BASE | {"setjmp": 3, "longjmp": 3, "array": 1, "variable": 1}),
    "library": Features(BASE | {"library": 6, "many": 1, "switch": 1}),
    "cold": Features(BASE | {"cold": 5, "switch": 1, "array": 1}),
    "frames": Features(BASE | {"huge": 2, "varargs": 4, "structure": 2, "array": 1}, depth=(2, 4)),
    "mixed": Features(BASE | {"array": 1, "variable": 1, "alloca": 1, "aligned": 1, "switch": 1,
                              "goto": 1, "many": 1, "library": 1, "setjmp": 1, "longjmp": 1,
                              "cold": 1}, {"plain": 3, "tail": 2, "tail_table": 1}),
}


class Writer:
    """Writes functions f0, f1 and so on of random statements. Each gets a depth `d` and a number
    `x`, and returns a number; `s` is what it has computed."""

    def __init__(self, rng, features, attributes=("",), cpp=False):
        self.rng, self.features, self.attributes = rng, features, attributes
        self.count = rng.randint(*features.functions)
        self.names = 0
        self.cpp = cpp

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def pick(self, weights):
        return self.rng.choices(list(weights), list(weights.values()))[0]

    def callee(self):
        return f"f{self.rng.randrange(self.count)}"

    def called(self):
        return f"{self.callee()}(d - 1, s * {self.rng.randrange(3, 99, 2)}u + " \
               f"{self.rng.randrange(9)})"

    def block(self, level, most=3):
        return " ".join(self.statement(level) for _ in range(self.rng.randint(1, most)))

    def statement(self, level=0):
        kinds = self.features.kinds
        if level >= 2:
            kinds = {kind: kinds[kind] for kind in ("work", "spin", "call")}
        return getattr(self, "make_" + self.pick(kinds))(level)

    def make_work(self, _level):
        r = self.rng
        return r.choice([
            f"s = s * {r.randrange(3, 999, 2)}u + (s >> {r.randint(1, 20)});",
            f"for (unsigned i = 0; i < s % {r.randint(3, 40)}; i++) {{ sink += i * s; }}",
            f"if (s & {1 << r.randrange(8)}) {{ s ^= sink; }} else {{ sink = s; }}"])

    def make_spin(self, _level):
        return f"spin(s % {self.rng.randint(5, 60)} + {self.rng.randrange(20)});"

    def make_call(self, _level):
        return f"if (d && fuel) {{ fuel--; s += {self.called()}; }}"

    def make_table(self, _level):
        return f"if (d && fuel) {{ fuel--; s ^= table[s % {self.count}](d - 1, s >> 1); }}"

    def touch(self, name, size):
        """Writes all of an array, or a byte: then old words stay in it."""
        return f"touch({name}, {self.rng.choice([size, 1, 1])});"

    def sizes(self):
        base = self.rng.choice([8, 8, 16, 4])
        return base, self.rng.randint(1, 5)

    def make_array(self, _level):
        a, n = self.name("a"), self.rng.choice([3, 8, 16, 24, 40, 63, 72])
        return f"unsigned char {a}[{n}]; {self.touch(a, n)} s += {a}[s % {n}];"

    def make_variable(self, level):
        v, n, (base, most) = self.name("v"), self.name("n"), self.sizes()
        inner = self.block(level + 1)
        text = f"unsigned {n} = (s % {most} + 1) * {base}; unsigned char {v}[{n}]; " \
               f"{self.touch(v, n)} {inner} s += {v}[s % {n}];"
        if self.cpp:
            text = text.replace(f"unsigned char {v}[{n}]",
                                f"unsigned char *{v} = (unsigned char *)alloca({n})")
        if self.rng.randrange(3) == 0:
            return f"for (unsigned k = 0; k < 2; k++) {{ {text} }}" if not self.cpp else text
        # a computed goto may not jump over a variable array's declaration
        return f"{{ {text} }}" if "goto" in self.features.kinds or self.rng.randrange(2) else text

    def make_alloca(self, level):
        p, n, (base, most) = self.name("p"), self.name("n"), self.sizes()
        return f"unsigned {n} = (s % {most} + 1) * {base}; " \
               f"unsigned char *{p} = (unsigned char *)alloca({n}); {self.touch(p, n)} " \
               f"{self.block(level + 1, 2)} s += {p}[0];"

    def make_aligned(self, level):
        a, n = self.name("a"), self.rng.choice([8, 16, 24, 40])
        return f"__attribute__((aligned({self.rng.choice([16, 32, 64])}))) " \
               f"unsigned char {a}[{n}]; {self.touch(a, n)} {self.block(level + 1, 2)} s += {a}[1];"

    def make_switch(self, level):
        r = self.rng
        count = r.choice([5, 6, 9, 17, 33])
        cases = [f"case {i}: {{ {self.block(level + 1, 2) if i % 4 == 0 else self.make_work(level)} "
                 f"}} {'break;' if r.randrange(4) else ''}" for i in range(count)]
        default = self.make_work(level) if r.randrange(2) else "__builtin_unreachable();"
        return f"switch (s % {count}) {{ {' '.join(cases)} break; default: {default} }}"

    def make_goto(self, level):
        if self.cpp or level:
            return self.make_switch(level)
        labels = [self.name("l") for _ in range(self.rng.randint(3, 9))]
        end, jumps, turns = self.name("e"), self.name("j"), self.name("t")
        kind, target = "void *const", f"{jumps}[s % {len(labels)}]"
        words = ["&&" + label for label in labels]
        if self.rng.randrange(3) == 0:  # distances
            kind, target = "int", f"(&&{labels[0]} + {target})"
            words = [f"{word} - &&{labels[0]}" for word in words]
        places = " ".join(
            f"{label}: {{ {self.block(level + 1, 2) if i % 3 == 0 else self.make_work(level)} }} "
            f"if (--{turns} == 0) {{ goto {end}; }} goto *{target};"
            for i, label in enumerate(labels))
        return f"{{ static const {kind} {jumps}[] = {{ {', '.join(words)} }}; " \
               f"unsigned {turns} = s % 5 + 1; goto *{target}; {places} {end}: ; }}"

    def make_many(self, _level):
        return f"s += many(s, {self.rng.randrange(9)}, d, s >> 3, 5, s * 3, 7, s ^ 8);"

    def make_large(self, level):
        r = self.rng
        parts = []
        for _ in range(r.randint(2, 5)):
            lines = " ".join(f"sink += s * {r.randrange(70000, 1 << 30)}u;" for _ in
                             range(r.randint(40, 90)))
            parts.append(f"if (s & {1 << r.randrange(10)}) {{ {lines} {self.block(level + 1, 1)} }} "
                         f"else {{ {self.make_work(level)} }}")
        return f"for (unsigned q = 0; q < s % 2 + 1; q++) {{ {' '.join(parts)} }}"

    def make_setjmp(self, level):
        if level:
            return self.make_work(level)
        j, old, keep = self.name("j"), self.name("o"), self.name("k")
        return f"jmp_buf {j}; jmp_buf *volatile {old} = jump; volatile unsigned {keep} = s; " \
               f"jump = &{j}; if (setjmp({j}) == 0) {{ {self.block(level + 1, 2)} }} " \
               f"else {{ s = {keep} + 1; spin(s % 30); }} jump = {old};"

    def make_longjmp(self, _level):
        return f"if (jump && s % {self.rng.randint(2, 6)} == 0) {{ longjmp(*jump, 1); }}"

    def make_library(self, _level):
        r = self.rng
        return r.choice([
            "s += (unsigned)(((uint64_t)s << 20 | sink) / (s | 1));",
            "s += (unsigned)((double)s * 1.5 / (sink % 9 + 1.25));",
            "s ^= (unsigned)((float)s * 0.37f - (float)sink);",
            "s += s % (sink | 3) + s / (s % 7 + 1);",
            "{ unsigned q[9]; for (unsigned i = 0; i < 9; i++) { q[i] = s * i; } "
            "qsort(q, 9, sizeof q[0], compare); s += q[s % 9]; }",
            "{ unsigned char m[50]; memset(m, (int)s, 50); memmove(m + 1, m, 40); s += m[7]; }",
            "{ long long w = (long long)s * sink; s += (unsigned)(w % ((int)s | 1)); }"])

    def make_cold(self, level):
        return f"if (__builtin_expect(s % {self.rng.randint(2, 7)} == 0, 0)) " \
               f"{{ rare(s); {self.block(level + 1, 2)} }}"

    def end(self):
        kind = self.pick(self.features.ends)
        if kind == "tail":
            return f"if (d && fuel) {{ fuel--; return {self.called()}; }} return s;"
        if kind == "tail_table":
            return f"if (d && fuel) {{ fuel--; return table[s % {self.count}](d - 1, s); }} " \
                   "return s;"
        return "return s;"

    def make_huge(self, _level):
        a, n = self.name("a"), self.rng.choice([300, 520, 700, 1030])
        return f"{{ unsigned char {a}[{n}]; {self.touch(a, n)} {self.make_call(0)} s += {a}[3]; }}"

    def make_varargs(self, _level):
        return f"s += various{self.rng.randrange(self.count)}(d, {self.rng.randint(1, 4)}u, s, 3u, " \
               "s >> 2, 5u);"

    def make_structure(self, _level):
        return f"{{ struct pair p = both{self.rng.randrange(self.count)}(d, s); s += p.b[s % 9]; }}"

    def others(self, number):
        """Functions with variable arguments and with large results."""
        kinds, text = self.features.kinds, ""
        if "varargs" in kinds:
            text += f"NI unsigned various{number}(unsigned d, unsigned n, ...)\n{{\n" \
                    "    va_list list;\n    unsigned s = n;\n\n    va_start(list, n);\n" \
                    "    while (n--) { s += va_arg(list, unsigned); }\n    va_end(list);\n" \
                    f"    {self.make_spin(0)} {self.make_call(0)}\n    return s;\n}}\n"
        if "structure" in kinds:
            text += f"NI struct pair both{number}(unsigned d, unsigned s)\n{{\n" \
                    "    struct pair p = {s, {s, 1, 2}};\n\n" \
                    f"    {self.make_spin(0)} {self.make_call(0)}\n    p.b[s % 9] = s;\n" \
                    "    return p;\n}\n"
        return text

    def other_prototypes(self):
        return "".join(f"unsigned various{number}(unsigned d, unsigned n, ...);\n"
                       f"struct pair both{number}(unsigned d, unsigned s);\n"
                       for number in range(self.count))

    def function(self, number):
        attribute = self.rng.choice(self.attributes)
        inline = self.rng.choice(["NI ", "NI ", ""])
        lines = "\n    ".join(self.statement() for _ in
                              range(self.rng.randint(*self.features.statements)))
        return f"{attribute}{inline}unsigned f{number}(unsigned d, unsigned x)\n{{\n" \
               f"    unsigned s = x + {number};\n    {lines}\n    {self.end()}\n}}\n"

    def prototypes(self):
        names = [f"f{number}" for number in range(self.count)]
        return "struct pair { unsigned a, b[9]; };\n" + "".join(f"unsigned {name}(unsigned d, unsigned x);\n" for name in names) + \
            f"fn const volatile table[] = {{ {', '.join(names)} }};\n\n"

    def text(self):
        return HEAD + self.prototypes() + self.other_prototypes() + "\n".join(
            self.others(number) + self.function(number)
            for number in range(self.count)) + self.program()

    def program(self):
        depth = self.rng.randint(*self.features.depth)
        return f"""
uint32_t program(unsigned rounds)
{{
    (void)rounds;
    while (board_samples < ATTACK_SAMPLES) {{
        unsigned x = next_random();

        fuel = {self.rng.choice([5, 20, 60])};
        jump = 0;
        sink += table[x % {self.count}]({depth}, x >> 5);
    }}
    return 7;
}}

void handle(unsigned depth, unsigned turns)
{{
    unsigned kept = fuel;
    jmp_buf *before = jump;

    fuel = 2;
    jump = 0;
    sink += table[turns % {self.count}](depth, turns * 77);
    fuel = kept;
    jump = before;
}}
"""


def compilers(rng, board):
    """Returns flags and whether clang compiles."""
    clang = rng.randrange(3) == 0
    flags = [rng.choice(GCC), "-g" if rng.randrange(3) else "-g0"]
    if not clang and rng.randrange(6) == 0:
        flags.append("-flto")
    if not clang and board == "virt" and rng.randrange(3) == 0:
        flags.append("-msave-restore")
    if board == "versatilepb" and rng.randrange(3) == 0:
        flags += ["-mthumb", "-mthumb-interwork"][:2 - clang]
    if rng.randrange(5) == 0:
        flags.append(rng.choice(["-fno-omit-frame-pointer", "-fno-optimize-sibling-calls",
                                 "-fno-jump-tables"]))
    return flags, clang


def make_c(rng, board, features, **more):
    flags, clang = compilers(rng, board)
    return Recipe({"program.c": Writer(rng, features).text(), "attack.c": SUPPORT}, flags, clang,
                  **more)


SUPPORT = '#include "support.h"\n'


def make(name, rng, board):
    """Returns a random program of the class."""
    if name in C_CLASSES:
        return make_c(rng, board, C_CLASSES[name], needs_sp=name in ("longjmp", "mixed"))
    if name in CPP_CLASSES:
        return make_cpp(rng, board, CPP_CLASSES[name])
    return MAKERS[name](rng, board)


def make_outlined(rng, board):
    """clang's machine outliner; on RISC-V also GCC's saving and restoring by calls."""
    recipe = make_c(rng, board, C_CLASSES["plain"]._replace(functions=(12, 25)))
    if board == "virt" and rng.randrange(2):
        return recipe._replace(flags=[rng.choice(["-Os", "-Oz"]), recipe.flags[1],
                                      "-msave-restore"], clang=False)
    return recipe._replace(flags=["-Oz", recipe.flags[1], "-mllvm", "-enable-machine-outliner=always"],
                           clang=True)


def make_nested(rng, board):
    features = C_CLASSES[rng.choice(["plain", "variable", "tail", "switch"])]
    return make_c(rng, board, features, nested=True)


def make_ram(rng, board):
    """Every other function is in RAM; a call in RAM has the low bits of one in flash."""
    section = assembly.RAM_SECTION
    far = ["-mlong-calls"] if board != "virt" else []
    flags, clang = compilers(rng, board)
    if clang and board != "virt":
        far = ["-mlong-calls"]
    writer = Writer(rng, C_CLASSES[rng.choice(["plain", "variable"])],
                    ("", f'__attribute__((section("{section}"))) '))
    writer.features = writer.features._replace(
        kinds={kind: weight for kind, weight in writer.features.kinds.items()})
    flags = [flag for flag in flags if flag != "-flto"] + far
    return Recipe({"program.c": writer.text(), "attack.c": SUPPORT}, flags, clang)


def make_assembly(rng, board, kind):
    text, program = assembly.make(rng, board, kind)
    flags, clang = compilers(rng, board)
    flags = [flag for flag in flags if flag != "-flto"]
    return Recipe({"shapes.S": text, "program.c": HEAD + program, "attack.c": SUPPORT}, flags, clang,
                  collide=("ramret", "twinret") if kind == "collide" else ())


def make_shared(rng, board):
    return make_assembly(rng, board, "shared")


def make_hand(rng, board):
    return make_assembly(rng, board, "hand")


def make_moved(rng, board):
    return make_assembly(rng, board, "moved")


def make_collide(rng, board):
    return make_assembly(rng, board, "collide")


CPP_HEAD = """\
#include <alloca.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "attack.h"

struct Error { unsigned number; unsigned char more[12]; };

struct Object {
    explicit Object(unsigned number) : number_(number) {}
    ~Object();
    unsigned number_;
};

struct Base { virtual unsigned value(unsigned d, unsigned x) = 0; };

extern "C" {
"""
CPP_MAIN = """
NI Object::~Object()
{
    spin(number_ % 30);
}

extern void (*__init_array_start[])(void);
extern void (*__init_array_end[])(void);
void *__dso_handle;

static NI void attempt(unsigned x)
{
    try {
        sink += table[x % %COUNT%](%DEPTH%, x >> 5);
    } catch (const Error &error) {
        sink += error.number;
    } catch (...) {
        spin(5);
    }
}

uint32_t program(unsigned rounds)
{
    (void)rounds;
    for (void (**constructor)(void) = __init_array_start; constructor < __init_array_end;
         constructor++) {
        (*constructor)();
    }
    while (board_samples < ATTACK_SAMPLES) {
        unsigned x = next_random();

        fuel = %FUEL%;
        attempt(x);
    }
    return 7;
}

void handle(unsigned depth, unsigned turns)
{
    spin(depth + turns % 8);
}

}
"""


class CppWriter(Writer):
    """The same in C++."""

    def __init__(self, rng, features):
        super().__init__(rng, features, cpp=True)

    def make_throw(self, _level):
        return f"if (s % {self.rng.randint(3, 12)} == 0) {{ " + self.rng.choice([
            "throw Error{s, {1, 2}};", "throw (int)s;", "throw Error{s, {}};"]) + " }"

    def make_try(self, level):
        handlers = self.rng.choice([
            "catch (const Error &e) { s += e.number; spin(s % 20); }",
            "catch (int e) { s ^= (unsigned)e; }",
            "catch (int e) { s ^= (unsigned)e; } catch (...) { spin(9); throw; }",
            "catch (...) { s++; spin(s % 25); }"])
        return f"try {{ {self.block(level + 1)} }} {handlers}"

    def make_object(self, _level):
        name = self.name("object")
        return f"Object {name}(s); s += {name}.number_ >> 3;"

    def make_virtual(self, _level):
        if self.rng.randrange(2):
            name = self.name("V")
            return f"{{ struct {name} : Base {{ unsigned value(unsigned d, unsigned s) override " \
                   f"{{ if (d && fuel) {{ fuel--; return {self.called()}; }} return s; }} }} v; " \
                   f"Base *volatile b = &v; s += b->value(d, s); }}"
        return self.make_table(0)

    def text(self):
        functions = "\n".join(self.function(number) for number in range(self.count))
        main = CPP_MAIN.replace("%COUNT%", str(self.count)).replace(
            "%DEPTH%", str(self.rng.randint(*self.features.depth))).replace(
            "%FUEL%", str(self.rng.choice([5, 20, 60])))
        return CPP_HEAD + self.prototypes() + functions + main


CPP_CLASSES = {
    "throws": Features(BASE | {"throw": 2, "try": 3, "virtual": 1, "array": 1, "switch": 1}),
    "cleanup": Features(BASE | {"throw": 2, "try": 3, "virtual": 1, "array": 1, "object": 4}),
}


def make_cpp(rng, board, features):
    flags, _ = compilers(rng, board)
    return Recipe({"program.cpp": CppWriter(rng, features).text(), "attack.c": SUPPORT},
                  [flag for flag in flags if flag not in ("-flto", "-msave-restore")])


MAKERS = {"outlined": make_outlined, "nested": make_nested, "ram": make_ram, "shared": make_shared, "hand": make_hand,
          "moved": make_moved, "collide": make_collide}
CLASSES = [*C_CLASSES, *MAKERS, *CPP_CLASSES]


def fits(name, board):
    """Debian has C++ for Arm alone."""
    return not (name in CPP_CLASSES and board == "virt")

# SPDX-License-Identifier: MIT
"""Makes functions in assembly, as compilers and people write them: with ends that several share,
ends in another place, and functions in RAM whose calls have the low bits of others in flash."""
import typing

RAM_SECTION = ".ramcode"


class Shape(typing.NamedTuple):
    """A frame: how many registers beside the first two are saved, and bytes of locals."""
    more: int
    room: int


class Thumb:
    """Cortex-M. `wide`: the processor has jumps that reach anywhere."""
    HEAD = ".syntax unified\n.thumb\n"
    KIND = ".thumb_func\n"
    LR = 14
    BRANCH = {"if": "beq", "unless": "bne"}

    def __init__(self, wide):
        self.wide = wide

    def saved(self, shape):
        return f"{{r4-r{5 + shape.more}, "

    def size(self, shape):
        return 4 * (3 + shape.more) + shape.room

    def enter(self, shape, cfi):
        lines = [f"push {self.saved(shape)}lr}}", *cfi.moved(4 * (3 + shape.more)), *cfi.saved(-4)]
        if shape.room:
            lines += [f"sub sp, #{shape.room}", *cfi.moved(self.size(shape))]
        return lines + ["mov r4, r0", "mov r5, r1"]

    def drop(self, shape, cfi):
        return [f"add sp, #{shape.room}", *cfi.moved(4 * (3 + shape.more))] if shape.room else []

    def leave(self, shape):
        return [f"pop {self.saved(shape)}pc}}"]

    def leave_to(self, shape, name):
        """Ends the frame and goes on as another function."""
        if self.wide:
            return ["subs r0, r4, #1", "mov r1, r5", f"pop {self.saved(shape)}lr}}", f"b.w {name}"]
        return ["subs r0, r4, #1", "mov r1, r5",
                f"pop {{r4-r{5 + shape.more}}}", "pop {r2}", "mov lr, r2", *self.jump_any(name)]

    def result(self):
        return ["mov r0, r5"]

    def call(self, name):
        return [f"bl {name}"]

    def call_down(self, name, rng):
        return ["cmp r4, #0", "beq 1f", "subs r0, r4, #1", "mov r1, r5", f"bl {name}",
                "adds r5, r5, r0", f"adds r5, #{rng.randrange(9)}", "1:"]

    def spin(self, turns):
        return [f"movs r0, #{turns}", "bl spin"]

    def work(self, rng):
        return [rng.choice([f"adds r5, #{rng.randrange(99)}", f"lsls r1, r5, #{rng.randint(1, 5)}",
                            f"lsrs r1, r5, #{rng.randint(1, 5)}", "eors r5, r1", "adds r5, r5, r4",
                            "muls r5, r1, r5"]) for _ in range(rng.randint(1, 5))]

    def jump(self, name):
        return [f"b.w {name}" if self.wide else f"b {name}"]

    def jump_any(self, name):
        return [f"ldr r3, ={name}", "bx r3"]

    def jump_if(self, name, rng):
        test = f"movs r1, #{1 << rng.randrange(5)}"
        if self.wide and rng.randrange(2):
            return [test, "tst r5, r1", f"beq.w {name}"]
        return [test, "tst r5, r1", "bne 1f", *self.jump(name), "1:"]

    def pool(self):
        return [".ltorg"]

    def hand(self, writer):
        """A function: the return address in another register, pushed late or apart from others,
        several returns, a variable array, or one that goes on as the next function."""
        r = writer.rng
        add, sub = ("add", "sub") if isinstance(self, A32) else ("adds", "subs")
        again = ["cmp r4, #0", "beq 2f", f"{sub} r0, r4, #1", "mov r1, r5",
                 f"bl {writer.callee()}", f"{add} r5, r5, r0", "2:"]
        spin, work = self.spin(r.randint(1, 40)), self.work(r)
        ways = [
            ["push {r4-r6}", "mov r6, lr", "mov r4, r0", "mov r5, r1", *spin, *again, *work,
             "mov r0, r5", "mov lr, r6", "pop {r4-r6}", "bx lr"],
            ["push {r4, r5}", "mov r4, r0", "mov r5, r1", *work, "cmp r4, #0", "beq 3f", "push {lr}",
             *spin, *again, "pop {r3}", "mov r0, r5", "pop {r4, r5}", "bx r3", "3:", "mov r0, r5",
             "pop {r4, r5}", "bx lr"],
            ["push {lr}", "push {r4-r7}", "mov r4, r0", "mov r5, r1", *spin, "cmp r4, #1",
             "bhi 3f", "mov r0, r5", "pop {r4-r7, pc}", "3:", *again, *work, "mov r0, r5",
             "pop {r4-r7, pc}"],
            ["push {r4-r7, lr}", "mov r4, r0", "mov r5, r1", "mov r7, sp", "movs r2, #56",
             "mov r3, r5", "ands r3, r2" if add == "adds" else "ands r3, r3, r2",
             "mov r2, sp", f"{sub} r2, r2, r3", "mov sp, r2", *spin, *again, "mov sp, r7",
             "mov r0, r5", "pop {r4-r7, pc}"],
            ["push {r0-r3}", "push {r4, r5, lr}", "mov r4, r0", "mov r5, r1", *spin, *again, *work,
             "mov r0, r5", "pop {r4, r5}", "pop {r3}",
             "add sp, sp, #16" if isinstance(self, A32) else "add sp, #16", "bx r3"],
            ["push {r4, r5, lr}", "mov r4, r0", "mov r5, r1", *spin, *again,
             "mov r0, r5", "ldr r3, [sp, #8]", "mov lr, r3", "pop {r4, r5}",
             "add sp, sp, #4" if isinstance(self, A32) else "add sp, #4", "bx lr"],
        ]
        return r.choice(ways)


class A32(Thumb):
    HEAD = ".syntax unified\n.arm\n"
    KIND = ""

    def __init__(self):
        super().__init__(True)

    def enter(self, shape, cfi):
        return [line.replace("sub sp,", "sub sp, sp,") for line in super().enter(shape, cfi)]

    def drop(self, shape, cfi):
        return [line.replace("add sp,", "add sp, sp,") for line in super().drop(shape, cfi)]

    def work(self, rng):
        return [line.replace("adds r5, #", "adds r5, r5, #").replace("eors r5, r1", "eors r5, r5, r1")
                for line in super().work(rng)]

    def call_down(self, name, rng):
        return [line.replace("adds r5, #", "adds r5, r5, #") for line in
                super().call_down(name, rng)]

    def jump(self, name):
        return [f"b {name}"]

    def leave_to(self, shape, name):
        return ["subs r0, r4, #1", "mov r1, r5", f"pop {self.saved(shape)}lr}}", f"b {name}"]

    def jump_if(self, name, rng):
        return [f"tst r5, #{1 << rng.randrange(5)}", f"beq {name}"]


class RiscV:
    HEAD = ""
    KIND = ""
    LR = 1

    def size(self, shape):
        return (4 * (3 + shape.more) + shape.room + 15) & ~15

    def enter(self, shape, cfi):
        size = self.size(shape)
        return [f"addi sp, sp, -{size}", *cfi.moved(size), f"sw ra, {size - 4}(sp)", *cfi.saved(-4),
                *(f"sw s{i}, {size - 8 - 4 * i}(sp)" for i in range(2 + shape.more)),
                "mv s0, a0", "mv s1, a1"]

    def drop(self, _shape, _cfi):
        return []

    def restore(self, shape):
        size = self.size(shape)
        return [f"lw ra, {size - 4}(sp)",
                *(f"lw s{i}, {size - 8 - 4 * i}(sp)" for i in range(2 + shape.more)),
                f"addi sp, sp, {size}"]

    def leave(self, shape):
        return [*self.restore(shape), "ret"]

    def leave_to(self, shape, name):
        return ["addi a0, s0, -1", "mv a1, s1", *self.restore(shape), f"tail {name}"]

    def result(self):
        return ["mv a0, s1"]

    def call(self, name):
        return [f"call {name}"]

    def call_down(self, name, rng):
        return ["beqz s0, 1f", "addi a0, s0, -1", "mv a1, s1", f"call {name}", "add s1, s1, a0",
                f"addi s1, s1, {rng.randrange(9)}", "1:"]

    def spin(self, turns):
        return [f"li a0, {turns}", "call spin"]

    def work(self, rng):
        return [rng.choice([f"addi s1, s1, {rng.randrange(99)}", f"slli a1, s1, {rng.randint(1, 5)}",
                            f"srli a1, s1, {rng.randint(1, 5)}", "xor s1, s1, a1",
                            "add s1, s1, s0"]) for _ in range(rng.randint(1, 5))]

    def jump(self, name):
        return [f"j {name}"]

    def jump_any(self, name):
        return [f"la a3, {name}", "jr a3"]

    def jump_if(self, name, rng):
        return [f"andi a1, s1, {1 << rng.randrange(5)}", "bnez a1, 1f", *self.jump(name), "1:"]

    def hand(self, writer):
        """A function: the return address in another register, saved late or out of the usual
        place, several returns, or a variable array."""
        r = writer.rng
        again = ["beqz s0, 2f", "addi a0, s0, -1", "mv a1, s1", f"call {writer.callee()}",
                 "add s1, s1, a0", "2:"]
        spin, work = self.spin(r.randint(1, 40)), self.work(r)
        enter = ["addi sp, sp, -32", "sw s0, 4(sp)", "sw s1, 8(sp)"]
        begin = ["mv s0, a0", "mv s1, a1"]
        leave = ["mv a0, s1", "lw s0, 4(sp)", "lw s1, 8(sp)", "addi sp, sp, 32"]
        return r.choice([
            [*enter, "sw s2, 12(sp)", "mv s2, ra", *begin, *spin, *again, *work, "mv ra, s2",
             "lw s2, 12(sp)", *leave, "ret"],
            [*enter, *begin, *work, "beqz s0, 3f", "sw ra, 20(sp)", *spin, *again, "lw ra, 20(sp)",
             *leave, "ret", "3:", *leave, "ret"],
            [*enter, "sw ra, 0(sp)", *begin, *spin, *again, "lw t1, 0(sp)", *leave, "jr t1"],
            [*enter, "sw ra, 28(sp)", "sw s2, 12(sp)", *begin, "mv s2, sp", "andi a2, s1, 48",
             "sub sp, sp, a2", *spin, *again, "mv sp, s2", "lw ra, 28(sp)", "lw s2, 12(sp)", *leave,
             "ret"],
        ])

    def pool(self):
        return []


class Cfi:
    """What a function says of its frame: all, nothing (`empty`: an entry without rules), or no
    entry at all."""

    def __init__(self, kind, lr):
        self.kind, self.lr = kind, lr

    def begin(self, size=0):
        if self.kind == "none":
            return []
        lines = [".cfi_startproc"]
        if size:
            lines += [*self.moved(size), *self.saved(-4)]
        return lines

    def end(self):
        return [] if self.kind == "none" else [".cfi_endproc"]

    def moved(self, size):
        return [f".cfi_def_cfa_offset {size}"] if self.kind == "all" else []

    def saved(self, at):
        return [f".cfi_offset {self.lr}, {at}"] if self.kind == "all" else []


class Writer:
    """Writes functions g0, g1 and so on, which get a depth and a number as those in C do."""

    def __init__(self, rng, board):
        self.rng = rng
        self.cpu = {"virt": RiscV, "versatilepb": A32}.get(board)
        self.cpu = self.cpu() if self.cpu else Thumb(board != "microbit")
        said = rng.choice([("all", "all"), ("all", "empty"), ("none", "none")])
        self.cfi, self.piece_cfi = (Cfi(kind, self.cpu.LR) for kind in said)
        self.count = rng.randint(4, 9 if board == "microbit" else 14)
        self.shapes = [Shape(rng.randrange(3), rng.choice([0, 0, 8, 16, 40])) for _ in
                       range(rng.randint(1, 4))]
        self.lines = [self.cpu.HEAD, ".cfi_sections .debug_frame"]

    def function(self, name, body, cfi, size=0, section="shapes", symbol=True):
        head = [f'.section .text.{section}, "ax", %progbits' if not section.startswith(".")
                else f'.section {section}, "ax", %progbits', ".balign 4"]
        if symbol:
            head += [f".global {name}", self.cpu.KIND.strip(), f".type {name}, %function"]
        else:
            head += [self.cpu.KIND.strip()]
        self.lines += [*head, f"{name}:", *cfi.begin(size), *body, *cfi.end(),
                       *([f".size {name}, . - {name}"] if symbol else []), *self.cpu.pool()]

    def callee(self):
        return self.rng.choice(["g", "g", "g", "f"]) + str(self.rng.randrange(self.count))

    def step(self):
        r = self.rng
        return r.choice([lambda: self.cpu.work(r), lambda: self.cpu.work(r),
                         lambda: self.cpu.spin(r.randint(1, 60)),
                         lambda: self.cpu.call_down(self.callee(), r)])()

    def steps(self, most):
        return [line for _ in range(self.rng.randint(0, most)) for line in self.step()]

    def ending(self, shape, cfi):
        """The end of a frame: a return or a tail call."""
        if self.rng.randrange(4) == 0:
            label = f".Lno{len(self.lines)}_{self.rng.randrange(1 << 30)}"
            go = {"RiscV": [f"beqz s0, {label}"]}.get(
                type(self.cpu).__name__, ["cmp r4, #0", f"beq {label}"])
            again = cfi.moved(self.cpu.size(shape)) if shape.room else []
            return [*go, *self.cpu.drop(shape, cfi), *self.cpu.leave_to(shape, self.callee()),
                    *self.cpu.pool(), f"{label}:", *again, *self.cpu.result(),
                    *self.cpu.drop(shape, cfi), *self.cpu.leave(shape)]
        return [*self.cpu.result(), *self.cpu.drop(shape, cfi),
                *self.cpu.leave(shape)]

    def shared(self):
        """Ends that all functions with a frame of one shape share."""
        ends = {}
        for i, shape in enumerate(self.shapes):
            for j in range(self.rng.randint(1, 3)):
                name = f"end{i}_{j}"
                body = [*self.steps(2), *self.ending(shape, self.piece_cfi)]
                self.function(name, body, self.piece_cfi, self.cpu.size(shape))
                ends.setdefault(shape, []).append(name)
        return ends

    def write_shared(self):
        ends = self.shared()
        for number in range(self.count):
            shape = self.rng.choice(self.shapes)
            body = [*self.cpu.enter(shape, self.cfi), *self.steps(4)]
            if self.rng.randrange(3) == 0:
                body += [*self.cpu.jump_if(self.rng.choice(ends[shape]), self.rng),
                         *self.steps(2)]
            if self.rng.randrange(5):
                body += self.cpu.jump(self.rng.choice(ends[shape]))
            else:
                body += self.ending(shape, self.cfi)
            self.function(f"g{number}", body, self.cfi)

    def write_moved(self):
        """Each function's end, or its middle, is elsewhere and reached by a jump."""
        for number in range(self.count):
            shape, r = self.rng.choice(self.shapes), self.rng
            symbol = r.randrange(8) > 0
            # without the stack pointer in the log the truth takes a jump by register to a place
            # within another function for an exception's
            ways = [self.cpu.jump, lambda name: self.cpu.jump_if(name, r),
                    *[self.cpu.jump_any] * (symbol or not isinstance(self.cpu, RiscV))]
            way = r.choice(ways)
            name = r.choice([f"g{number}.cold", f"g{number}.end", f"far{number}"])
            back = f".Lback{number}"
            body = [*self.cpu.enter(shape, self.cfi), *self.steps(3), *way(name)]
            if r.randrange(3) or way not in (self.cpu.jump, self.cpu.jump_any):
                body += [*self.cpu.pool(), f"{back}:", *self.steps(2),
                         *self.ending(shape, self.cfi)]
                piece = [*self.steps(3), *self.cpu.jump(back)]
            else:
                piece = [*self.steps(3), *self.ending(shape, self.piece_cfi)]
            self.function(f"g{number}", body, self.cfi)
            self.function(name, piece, self.piece_cfi, self.cpu.size(shape), "shapes_ends",
                          symbol)

    def write_hand(self):
        """What people write: see hand() of each processor."""
        self.cfi = self.piece_cfi = Cfi("none", self.cpu.LR)
        for number in range(self.count):
            self.function(f"g{number}", self.cpu.hand(self), self.cfi)

    def write_collide(self):
        """A function in RAM makes a call at an address that has the low bits of one in flash."""
        r = self.rng
        shapes = r.sample([Shape(more, room) for more in range(3) for room in (0, 8, 16, 40)], 2)
        far = {"RiscV": ["lui a3, %hi(spin)", "jalr ra, %lo(spin)(a3)"]}.get(
            type(self.cpu).__name__,
            ["ldr r3, =spin"] + (["mov lr, pc", "bx r3"] if isinstance(self.cpu, A32)
                                 else ["blx r3"]))
        for name, shape, section, pad, mark in (
                ("ramf", shapes[0], RAM_SECTION, "FILL", "ramret"),
                ("twin", shapes[1], "shapes", "FLASH_FILL", "twinret")):
            turns = ["mov r0, r5", "lsrs r0, r0, #24"] if not isinstance(self.cpu, RiscV) else \
                ["srli a0, s1, 24"]
            self.lines += [f'.section {"" if section[0] == "." else ".text."}{section}, "ax", '
                           "%progbits", ".balign 4", f".space {pad}"]
            body = [*self.cpu.enter(shape, self.cfi), *turns, *far, f".global {mark}", f"{mark}:",
                    *self.cpu.work(r), *self.cpu.result(), *self.cpu.drop(shape, self.cfi),
                    *self.cpu.leave(shape)]
            self.function(name, body, self.cfi, section=section)
        self.count = 2

    def text(self):
        return "\n".join(self.lines) + "\n"


CALLERS = """
NI unsigned f{0}(unsigned d, unsigned x)
{{
    unsigned char a[{1}];

    touch(a, {1});
    return {2} + a[x % {1}];
}}
"""


def program(rng, count, functions):
    """Returns C that calls the functions."""
    names = [f"f{number}" for number in range(count)] + functions
    text = "".join(f"unsigned {name}(unsigned d, unsigned x);\n" for name in names)
    text += f"fn const volatile table[] = {{ {', '.join(names)} }};\n"
    for number in range(count):
        name = rng.choice(functions)
        call = f"(d ? {name}(d - 1, x * 7 + 1) : x)" if rng.randrange(2) else \
            f"(d ? table[x % {len(names)}](d - 1, x + 3) : x)"
        text += CALLERS.format(number, rng.choice([4, 8, 24, 40]), call)
    return text + f"""
uint32_t program(unsigned rounds)
{{
    (void)rounds;
    while (board_samples < ATTACK_SAMPLES) {{
        unsigned x = next_random();

        sink += table[x % {len(names)}]({rng.randint(2, 6)}, x << 8 | x >> 5);
    }}
    return 7;
}}
"""


def make(rng, board, kind):
    """Returns assembly, and C that calls it."""
    writer = Writer(rng, board)
    getattr(writer, "write_" + kind)()
    functions = ["ramf", "twin"] if kind == "collide" else \
        [f"g{number}" for number in range(writer.count)]
    return writer.text(), program(rng, writer.count, functions)

# SPDX-License-Identifier: MIT
"""`mcuprof patch` on ELFs of a few functions: what it changes, and what it leaves."""
import os
import re
import struct
import subprocess
import tempfile
import unittest

from elves import PROGRAM, assemble_code, run

ROOM = """
.balign 4
.global mcuprof_sites
mcuprof_sites: .word 0
.balign 4
mcuprof_thunks:
.rept {places}
.rept {halves}
udf #0
.endr
.hword 0
.word 0, 0
.endr
.size mcuprof_thunks, . - mcuprof_thunks
.bss
.balign 4
.global mcuprof_site_counts
mcuprof_site_counts: .space 4 * {places}
.size mcuprof_site_counts, 4 * {places}
"""
FAST, SHORT = 13, 3  # halfwords of a thunk
CODE = """
start: push {r4, lr}
bl leaf
bl leaf
pop {r4, pc}
leaf: movs r0, #1
bx lr
.space 300000
far: push {r4, lr}
bl leaf
bl start
pop {r4, pc}
"""


def firmware(folder, code=CODE, places=20, halves=FAST, name="plain.elf"):
    return assemble_code(folder, code + ROOM.format(places=places, halves=halves), name)


def symbols(elf):
    return {line.split()[2]: int(line.split()[0], 16) & ~1 for line in
            run("arm-none-eabi-nm", elf).stdout.decode().splitlines()}


def text(elf):
    """Returns the address of .text and its bytes."""
    head = run("arm-none-eabi-objdump", "-h", elf).stdout.decode()
    size, low, offset = (int(word, 16) for word in
                         re.search(r" \.text +(\S+)  (\S+)  \S+  (\S+)", head).groups())
    with open(elf, "rb") as file:
        return low, file.read()[offset:offset + size]


def calls(elf):
    """Returns {site: target} of what objdump shows as calls."""
    listing = run("arm-none-eabi-objdump", "-d", elf).stdout.decode()
    return {int(at, 16): int(to, 16) for at, to in
            re.findall(r"^ *([0-9a-f]+):\t\S+ \S+ \tbl?(?:\.w)?\t([0-9a-f]+) ", listing, re.M)}


class Patch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.out = os.path.join(self.folder, "out.elf")

    def patch(self, elf, *options, status=0):
        done = subprocess.run([PROGRAM, "patch", "-o", self.out, *options, elf], text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr if status else done.stdout

    def check(self, halves):
        """Each call leads to a thunk that names its callee; steps tell where the calls are, also
        where these are farther apart than a step can say."""
        elf = firmware(self.folder, halves=halves)
        self.assertIn("4 of 4 call sites", self.patch(elf))
        before, after, names = calls(elf), calls(self.out), symbols(elf)
        low, code = text(self.out)
        each = 2 * halves + 10
        at = struct.unpack_from("<I", code, names["mcuprof_sites"] - low)[0]
        told = {}
        for place in range(20):
            thunk = names["mcuprof_thunks"] + each * place
            end = thunk + each - low
            if struct.unpack_from("<H", code, thunk - low)[0] != 0xb40f:
                continue
            step, callee, count = struct.unpack_from("<HII", code, end - 10)
            at += 2 * step
            self.assertEqual(count, names["mcuprof_site_counts"] + 4 * place)
            if callee:
                told[at] = callee & ~1
                self.assertEqual(after[at], thunk)
        self.assertEqual(told, before)
        lint = run(PROGRAM, "lint", "--json", self.out, status=1).stdout.decode()
        self.assertIn('"sites": 4', lint)

    def test_fast(self):
        self.check(FAST)

    def test_short(self):
        self.check(SHORT)

    def test_no_room(self):
        elf = firmware(self.folder, places=2)
        said = self.patch(elf, status=3)
        self.assertRegex(said, r"MCUPROF_SITES=\d+ \(\d+ bytes of ROM, \d+ of RAM\)")
        self.assertIn("leaf has 3 of them (--without)", said)
        self.assertFalse(os.path.exists(self.out))
        wanted = int(re.search(r"MCUPROF_SITES=(\d+)", said)[1])
        self.patch(firmware(self.folder, places=wanted))
        self.patch(firmware(self.folder, places=wanted - 1), status=3)

    def test_jumps(self):
        """A jump within a function, or out of one with its frame, is no call; one behind the frame
        is. A call of a place that is no function's begin is none that has a name."""
        elf = firmware(self.folder, """
.cpu cortex-m3
start: b start
leaves: push {r4, lr}
b.w 1f
1: bl leaf
pop {r4, lr}
b.w leaf
leaf: movs r0, #1
bx lr
shares: push {r4, lr}
b.w ends
ends: movs r0, #2
pop {r4, pc}
inner: push {r4, lr}
bl 2f
pop {r4, pc}
2: bx lr
again: cmp r0, #0
beq 3f
b.w again
3: bx lr
""")
        self.assertIn("2 of 2 call sites", self.patch(elf))
        before, after, names = calls(elf), calls(self.out), symbols(elf)
        self.assertEqual({before[at] for at in before if before[at] != after[at]}, {names["leaf"]})

    def test_no_bytes_of_data(self):
        """Words that are calls when they are read as code, with and without mapping symbols."""
        elf = firmware(self.folder, """
start: push {r4, lr}
ldr r0, 1f
bl leaf
pop {r4, pc}
.balign 4
1: .word 0xf802f000, 0xf800f000, 0xfffef7ff
.ascii "\\\\xff\\\\xf7\\\\xfa\\\\xff\\\\xff\\\\xf7\\\\xfa\\\\xff"
leaf: movs r0, #1
bx lr
.word 0xfffcf7ff, 0xfff8f7ff
""")
        stripped = os.path.join(self.folder, "unmapped.elf")
        run("arm-none-eabi-objcopy", "-w", "--strip-symbol=$*", elf, stripped)
        for each in (elf, stripped):
            self.assertIn("1 of 1 call sites", self.patch(each))
            (low, before), (_, after) = text(each), text(self.out)
            room = symbols(each)["mcuprof_sites"] - low
            changed = {i // 2 * 2 for i in range(room) if before[i] != after[i]}
            self.assertLessEqual(changed, {4, 6})

    def test_flags(self):
        """Code that reads flags which it has set, also those of the FPU, keeps none over a call;
        what reads others does."""
        head = ".cpu cortex-m4\n.fpu fpv4-sp-d16\nstart: push {r4, lr}\nbl leaf\n"
        tail = "movs r0, #0\n1: pop {r4, pc}\nleaf: movs r0, #1\nbx lr\n"
        for code, told in (("cmp r0, #0\nbgt 1f\n", "1 of 1 call sites"),
                           ("vcmp.f32 s0, #0\nvmrs APSR_nzcv, fpscr\nbgt 1f\n", "1 of 1 call sites"),
                           ("vcmp.f32 s0, #0\nvmrs r1, fpscr\nbgt 1f\n", "no call of the sites"),
                           ("rrx r0, r0\n", "no call of the sites"),
                           ("ror.w r0, r0, #1\n", "1 of 1 call sites")):
            elf = firmware(self.folder, head + code + tail)
            status = 0 if "of 1" in told else 3
            self.assertIn(told, self.patch(elf, status=status))

    def test_flags_on_all_paths(self):
        """Flags are kept over a call where they are read behind a jump, a branch or another call, in
        a function that the callee jumps to, or by a callee that must keep them to the end."""
        keep = "leaf: mov r1, r0\nbx lr\n"
        tail = "movs r0, #0\n1: pop {r4, pc}\n" + keep
        for code in ("bl leaf\nbl leaf\nbhs 1f\n" + tail,
                     "bl leaf\nb 2f\nnop\n2: bhs 1f\n" + tail,
                     "bl leaf\ncbz r0, 2f\ncmp r0, #4\nb 1f\n2: bhs 1f\n" + tail,
                     "bl leaf\nmovs r2, #1\nbeq 2f\nb 1f\n2: bhs 1f\n" + tail,
                     "bl leaf\npop {r4, pc}\nleaf: b 1f\nnop\n1: adcs r0, r1\nbx lr\n",
                     "bl leaf\npop {r4, pc}\nleaf: vseleq.f32 s1, s2, s3\nbx lr\n",
                     "bl over\nbhs 1f\n" + tail + "over: b.w leaf\n",
                     "bl over\nbhs 1f\n" + tail + "over: push {lr}\nbl leaf\npop {pc}\n"):
            head = ".cpu cortex-m33\n.fpu fpv5-sp-d16\nstart: push {r4, lr}\ncmp r0, r1\n"
            with self.subTest(code):
                self.assertIn("no call of the sites",
                              self.patch(firmware(self.folder, head + code), status=3))

    def test_flags_behind_a_far_jump(self):
        """In a large function of Thumb-1 BL is a jump, behind which a branch may read flags."""
        elf = firmware(self.folder, """
start: push {r4, lr}
bl leaf
cmp r0, #1
bne 1f
bl 2f
1: bhi 3f
movs r0, #0
2: bl leaf
3: pop {r4, pc}
leaf: movs r0, #1
bx lr
""")
        self.assertIn("2 of 2 call sites", self.patch(elf))

    def test_damaged(self):
        """A bit of the ELF is flipped, outside of the code: refused, or no other byte changes than
        those of calls, thunks and the word before them."""
        elf = firmware(self.folder, CODE.replace("300000", "40"))
        low, code = text(elf)
        with open(elf, "rb") as file:
            whole = file.read()
        begin, free = whole.index(code), set()
        for at in calls(elf):
            free.update(range(begin + at - low, begin + at - low + 4))
        room = symbols(elf)["mcuprof_sites"] - low
        free.update(range(begin + room, begin + len(code)))
        places = [*range(16, 116, 3), *range(begin + len(code), len(whole), 23)]
        for number, place in enumerate(places):
            damaged = bytearray(whole)
            damaged[place] ^= 1 << number % 8
            path = os.path.join(self.folder, "damaged.elf")
            with open(path, "wb") as file:
                file.write(damaged)
            done = subprocess.run([PROGRAM, "patch", "-o", self.out, path], capture_output=True)
            self.assertIn(done.returncode, (0, 3), (place, done.stderr))
            if done.returncode == 0:
                with open(self.out, "rb") as file:
                    changed = {i for i, pair in enumerate(zip(damaged, file.read()))
                               if pair[0] != pair[1]}
                self.assertLessEqual(changed, free, place)

    def test_other_machines(self):
        said = self.patch(PROGRAM, status=3)
        self.assertIn("on Cortex-M only so far", said)
        elf = firmware(self.folder, """
start: push {r4, lr}
bl leaf
pop {r4, pc}
leaf: bx lr
.cpu arm7tdmi
.arm
1: bx lr
.thumb
""")
        self.assertIn("A32", self.patch(elf, status=3))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: MIT
"""`mcuprof unwind`: the rows that it makes for small functions, and what it writes."""
import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest

from mcuprof_run import PROGRAM

SECTION = '.section .mcuprof_unwind,"a",%progbits\n.space {}\n'


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def unwind(*arguments):
    return run(PROGRAM, "unwind", *arguments)


class Firmware(unittest.TestCase):
    """Assembles functions and links them; returns their rows."""
    tools, flags, text = "arm-none-eabi-", ["-mcpu=cortex-m4"], ".syntax unified\n.thumb\n"
    base, kind, back = 0x1000, "%function", "bx lr"

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.elf = os.path.join(self.folder.name, "fw.elf")

    def link(self, functions, more="", flags=()):
        """Links {name: assembly}; the functions follow each other in this order."""
        source = self.elf + ".s"
        with open(source, "w", encoding="ascii") as file:
            file.write(self.text)
            for name, code in functions.items():
                file.write(f".global {name}\n.type {name}, {self.kind}\n{name}:\n{code}\n"
                           f".size {name}, . - {name}\n")
            file.write(more)
        for command in ([self.tools + "as", *self.flags, "-o", self.elf + ".o", source],
                        [self.tools + "ld", f"-Ttext={self.base:#x}", "-e", "0", *flags,
                         "-o", self.elf, self.elf + ".o"]):
            done = run(*command)
            self.assertEqual(done.returncode, 0, done.stderr)

    def rows(self, code, name="f", more="", **others):
        """Returns [(offset, size, where)] of one function, which begins at `base`."""
        self.link({name: code, **others, "back": self.back}, more)
        done = unwind("--table", self.elf)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = [line.split() for line in done.stdout.splitlines()]
        return [(int(address, 16) - self.base, int(size) if size.isdigit() else size, where)
                for address, size, where, symbol in rows
                if symbol == name and (int(address, 16) > self.base or where != "unknown"
                                       or len(rows) == 1)]

    def row(self, name, offset=0):
        """Returns (size, where) of what is `offset` bytes behind the begin of a function that was
        linked; an offset of less than 0 is from its end."""
        done = unwind("--table", self.elf)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        symbols = run(self.tools + "nm", "-S", self.elf).stdout
        low, size = re.search(rf"^([0-9a-f]+) ([0-9a-f]+) \w {name}$", symbols, re.M).groups()
        at = int(low, 16) + offset + (int(size, 16) if offset < 0 else 0)
        found = [line.split()[1:3] for line in done.stdout.splitlines()
                 if int(line.split()[0], 16) <= at][-1]
        return int(found[0]) if found[0].isdigit() else found[0], found[1]


class Thumb(Firmware):
    def test_leaf(self):
        self.assertEqual(self.rows("adds r0, #1\nbx lr"), [(0, 0, "link")])

    def test_push_pop(self):
        self.assertEqual(self.rows("push {r4, lr}\nbl back\npop {r4, pc}"),
                         [(0, 0, "link"), (2, 8, "1")])

    def test_epilogue_through_a_register(self):
        self.assertEqual(
            self.rows("push {r4, lr}\nsub sp, #8\nbl back\nadd sp, #8\npop {r4}\npop {r3}\nbx r3"),
            [(0, 0, "link"), (2, 8, "1"), (4, 16, "1"), (10, 8, "1"), (12, 4, "1"),
             (14, 0, "r3")])

    def test_what_lies_below_the_stack_pointer(self):
        self.assertEqual(self.rows("push {r4, lr}\nbl back\nadd sp, #8\nnop\nsub sp, #8\n"
                                   "pop {r4, pc}"),
                         [(0, 0, "link"), (2, 8, "1"), (8, 0, "unknown")])
        told = (".cfi_startproc\npush {{r4, lr}}\n.cfi_def_cfa_offset 8\n.cfi_offset 14, {}\n"
                "ldr r0, [r0]\nmov sp, r0\nbl back\npop {{r4, pc}}\n.cfi_endproc")
        sections = ".cfi_sections .debug_frame\n"
        for offset, last in ((-4, []), (-12, [(6, 0, "unknown")])):
            self.assertEqual(self.rows(told.format(offset), more=sections),
                             [(0, 0, "link"), (2, 8, "1"), *last])

    def test_variadic(self):
        self.assertEqual(
            self.rows("push {r0, r1, r2, r3}\npush {r4, lr}\nbl back\npop {r4}\npop {r3}\n"
                      "add sp, #16\nbx r3"),
            [(0, 0, "link"), (2, 16, "link"), (4, 24, "5"), (10, 20, "5"), (12, 16, "r3"),
             (14, 0, "r3")])

    def test_high_registers_go_through_lr(self):
        self.assertEqual(
            self.rows("push {r4, lr}\nmov lr, r11\npush {r5, lr}\npop {r4, r5}\npop {r4, pc}"),
            [(0, 0, "link"), (2, 8, "1"), (6, 16, "1"), (8, 8, "1")])
        self.assertEqual(  # lr is overwritten before it is saved, so it is lost
            self.rows("mov lr, r11\npush {r5, lr}\nbl back\nb .")[-1], (2, 0, "unknown"))

    def test_counted_calls(self):
        self.assertEqual(
            self.rows("push {r4, lr}\npush {lr}\nbl __gnu_mcount_nc\nbl back\npop {r4, pc}",
                      __gnu_mcount_nc="mov r12, lr\npop {lr}\nbx r12"),
            [(0, 0, "link"), (2, 8, "1"), (4, 12, "1"), (8, 8, "1")])

    def test_large_frames(self):
        for code in ("ldr r3, =-1044\nadd sp, r3\nldr r3, =1044\nadd sp, r3\npop {pc}",
                     "subw sp, sp, #1044\nnop\naddw sp, sp, #1044\nnop\npop {pc}",
                     "movw r3, #1044\nsub sp, sp, r3\nmovw r3, #261\nlsls r3, #2\n"
                     "add sp, r3\npop {pc}"):
            rows = self.rows("push {lr}\n" + code + "\n.pool")
            self.assertEqual([row[1:] for row in rows],
                             [(0, "link"), (4, "1"), (1048, "1"), (4, "1")], code)

    def test_code_behind_a_function(self):
        """It has no symbol. `g` has another frame than `f`, which jumps there."""
        code = {"f": "push {r4, lr}\nbl back\nb.w 8f", "back": self.back,
                "g": "push {r4, r5, r6, lr}\nbl back\nb ."}
        self.link(code, "8: nop\npop {r4, lr}\nadds r0, #1\nbx lr\n"
                        "adds r0, #2\nadds r0, #3\n.word 0\n")
        for offset, row in ((8, (8, "1")), (10, (8, "1")), (14, (0, "link")), (16, (0, "link")),
                            (18, (0, "unknown")), (20, (0, "unknown"))):
            self.assertEqual(self.row("g", offset), row, offset)
        self.assertEqual(self.row("g", 6), (16, "1"))

    def test_switch_behind_a_function(self):
        self.link({"f": "push {r4, lr}\nbl back\nb.w 8f", "back": self.back}, "8: ldr r2, =7f\n"
                  "ldr r2, [r2, r1]\nmov pc, r2\n2: adds r0, #1\n3: pop {r4, pc}\n.pool\n"
                  '.section .rodata,"a"\n7: .word 2b, 3b, f\n')
        self.assertEqual([self.row("back", offset) for offset in (2, 8, 10)], [(8, "1")] * 3)

    def test_padding_behind_a_function(self):
        """It has no row."""
        self.link({"f": "push {r4, lr}\nbl back\nb .", "back": self.back}, ".balign 32\n"
                  ".global g\n.type g, %function\ng: bx lr\n.size g, . - g\n")
        self.assertEqual([line.split()[1:] for line in unwind("--table", self.elf)
                          .stdout.splitlines()],
                         [["0", "link", "f"], ["8", "1", "f"], ["0", "link", "back"]])

    def test_frame_pointer(self):
        self.assertEqual(
            self.rows("push {r7, lr}\nsub sp, #16\nadd r7, sp, #8\nsub sp, sp, r0\nbl back\n"
                      "adds r7, #8\nmov sp, r7\npop {r7, pc}"),
            [(0, 0, "link"), (2, 8, "1,2"), (4, 24, "1,2"), (10, "fp+16", "1,2"),
             (16, "fp+8", "1,2"), (18, 8, "1,2")])

    def test_frame_pointer_is_kept_where_a_way_moves_the_stack_pointer(self):
        self.assertEqual(
            self.rows("push {r4, r7, lr}\nmov r7, sp\ncbz r0, 1f\nsubs r3, r7, r0\n"
                      "mov sp, r3\n1: bl back\nmov sp, r7\npop {r4, r7}\npop {r3}\nbx r3"),
            [(0, 0, "link"), (2, 12, "1,2"), (10, "fp+12", "1,2"), (16, 12, "1,2"),
             (18, 4, "1"), (20, 0, "r3")])

    def test_frame_pointer_of_others(self):
        """A function that is called by one with a frame pointer may leave that register, save it or
        lose it."""
        based = "push {r7, lr}\nmov r7, sp\nsub sp, sp, r0\nbl f\nmov sp, r7\npop {r7, pc}"
        for code, rows in (
                ("push {r4, lr}\nbl back\npop {r4, pc}", [(0, 0, "link"), (2, 8, "1")]),
                ("push {r4, r7, r8, lr}\nmovs r7, #1\nbl back\npop {r4, r7, r8, pc}",
                 [(0, 0, "link"), (4, 16, "1,3")]),
                ("push {lr}\nmov r12, r7\nsub sp, #4\nstr r12, [sp]\nmovs r7, #1\n"
                 "bl back\nldr r7, [sp]\nadd sp, #4\npop {pc}",
                 [(0, 0, "link"), (2, 4, "1"), (6, 8, "1"), (10, 8, "1,2"), (20, 4, "1")]),
                ("movs r7, #1\nbx lr", [(0, 0, "link"), (2, 0, "link,lost")])):
            self.assertEqual(self.rows(code, based=based), rows, code)

    def test_frame_pointer_that_is_not_followed(self):
        self.assertEqual(self.rows("push {r5, lr}\nmov r5, sp\nsub sp, sp, r0\nbl back\n"
                                   "mov sp, r5\npop {r5, pc}"),
                         [(0, 0, "link"), (2, 8, "1"), (8, 0, "unknown"), (14, 8, "1")])

    def test_frame_pointer_by_frame_information(self):
        """The frame information is used behind a jump that cannot be followed."""
        code = (".cfi_sections .debug_frame\n.cfi_startproc\npush {r7, lr}\n"
                ".cfi_def_cfa_offset 8\n.cfi_offset 14, -4\n.cfi_offset 7, -8\n"
                "mov r7, sp\n.cfi_def_cfa_register 7\nldr r3, [r0]\nbx r3\n"
                "cmp r0, #1\nmov sp, r7\n.cfi_def_cfa_register 13\npop {r7, pc}\n.cfi_endproc")
        self.assertEqual(self.rows(code), [(0, 0, "link"), (2, 8, "1,2"), (8, "fp+8", "1,2"),
                                           (12, 8, "1,2")])

    def test_frame_too_large(self):
        large = "movw r4, #0xfff8\nmovt r4, #1\nsub sp, sp, r4\nbl back\nadd sp, r4\npop {pc}"
        self.assertEqual([row[1:] for row in self.rows("push {lr}\n" + large)],
                         [(0, "link"), (4, "1"), (131068, "1"), (4, "1")])
        self.assertEqual([row[1:] for row in self.rows("push {r4, lr}\n" + large)][2],
                         (0, "unknown"))

    def test_word_store_and_load(self):
        self.assertEqual(self.rows("str lr, [sp, #-4]!\nbl back\nldr pc, [sp], #4"),
                         [(0, 0, "link"), (4, 4, "1")])
        self.assertEqual(self.rows("strd r4, lr, [sp, #-8]!\nbl back\nldr lr, [sp, #4]\n"
                                   "add sp, #8\nbx lr"),
                         [(0, 0, "link"), (4, 8, "1"), (14, 0, "link")])

    def test_floating_point(self):
        self.assertEqual(self.rows("push {lr}\n.fpu fpv4-sp-d16\nvpush {d8, d9}\nbl back\n"
                                   "vpop {d8, d9}\npop {pc}"),
                         [(0, 0, "link"), (2, 4, "1"), (6, 20, "1"), (14, 4, "1")])

    def test_conditional_return(self):
        self.assertEqual(
            self.rows("push {r4, lr}\nsub sp, #8\ncmp r0, #0\nitt eq\naddeq sp, #8\n"
                      "popeq {r4, pc}\nbl back\nadd sp, #8\npop {r4, pc}"),
            [(0, 0, "link"), (2, 8, "1"), (4, 16, "1"), (10, 0, "unknown"), (12, 16, "1"),
             (18, 8, "1")])

    def test_join_of_different_stacks(self):
        self.assertEqual(
            self.rows("cbz r0, 1f\npush {lr}\n1: nop\nb .")[1:],
            [(4, 0, "unknown")])

    def test_code_behind_a_call_that_does_not_return(self):
        self.assertEqual(
            self.rows("cbz r0, 1f\nbx lr\n1: push {r4, lr}\nbl stop\n"
                      "2: bx lr\ncmp r0, #3\nb 2b", stop="b ."),
            [(0, 0, "link"), (6, 8, "1"), (10, 0, "unknown")])

    def test_tables(self):
        for code in ("cmp r0, #1\nbhi 9f\ntbb [pc, r0]\n1: .byte (2f-1b)/2, (3f-1b)/2\n",
                     "cmp r0, #1\nbhi 9f\ntbh [pc, r0, lsl #1]\n1: .2byte (2f-1b)/2, (3f-1b)/2\n",
                     "adr r1, 1f\nldr pc, [r1, r0, lsl #2]\n.balign 4\n1: .word 2f + 1, 3f + 1\n",
                     "add r0, pc\nldrb r0, [r0, #4]\nlsls r0, #1\nadd pc, r0\n"  # clang, Thumb-1
                     "1: .byte (2f-1b-2)/2, (3f-1b-2)/2\n",
                     "lsls r0, #1\nadd r0, pc\nldrh r0, [r0, #4]\nlsls r0, #1\nadd pc, r0\n"
                     "1: .2byte (2f-1b-2)/2, (3f-1b-2)/2\n",
                     "lsls r0, #2\nldr r1, =1f\nadds r1, r0, r1\nldr r1, [r1]\nmov pc, r1\n.pool\n"
                     "1: .word 2f, 3f\n"):
            rows = self.rows(f"push {{lr}}\n{code}"
                             "2: sub sp, #8\nbl back\nadd sp, #8\n9: pop {pc}\n"
                             "3: sub sp, #16\nbl back\nadd sp, #16\npop {pc}\n")
            self.assertEqual([row[1:] for row in rows],
                             [(0, "link"), (4, "1"), (12, "1"), (4, "1"), (20, "1"), (4, "1")],
                             code)

    def test_table_with_what_cannot_be(self):
        """clang has the function's end in a table for what the program says cannot be."""
        rows = self.rows("push {lr}\nadd r0, pc\nldrb r0, [r0, #4]\nlsls r0, #1\nadd pc, r0\n"
                         "1: .byte (2f-1b-2)/2, (9f-1b-2)/2, (9f-1b-2)/2, (3f-1b-2)/2\n"
                         "2: pop {pc}\n3: sub sp, #16\nbl back\nadd sp, #16\npop {pc}\n9:")
        self.assertEqual([row[1:] for row in rows], [(0, "link"), (4, "1"), (20, "1"), (4, "1")])

    LABELS = ("2: sub sp, #8\nbl back\nadd sp, #8\n{0}\n3: sub sp, #16\nbl back\nadd sp, #16\n{0}\n"
              "4: add sp, #4\npop {{pc}}")

    def test_computed_goto(self):
        """The array that is used is not known, but that the labels in it are the function's."""
        for section in ('.rodata,"a"', ".data"):
            for jump, bit in (("ldr r0, [r1]\nmov pc, r0", 0), ("ldr r0, [r1]\nbx r0", 1),
                              ("ldr pc, [r1]", 1)):
                rows = self.rows("push {r4, lr}\n" + jump + "\n" + self.LABELS.format(jump) +
                                 f"\n.pushsection {section}\n.balign 4\n.word 1, 2b + {bit}, "
                                 f"3b + {bit}, 4b + {bit}, 2\n.popsection")
                self.assertEqual([row[1:] for row in rows],
                                 [(0, "link"), (8, "1"), (16, "1"), (8, "1"), (24, "1"),
                                  (8, "1"), (4, "1")], section + jump)

    def test_computed_goto_where_only_the_frame_pointer_is_known(self):
        told = ".cfi_sections .debug_frame\n.cfi_startproc\npush {r7, lr}\n"
        code = ("2: nop\nbl back\nldr r0, [r1]\nmov pc, r0\n3: adds r0, #1\nldr r0, [r1]\nmov pc, r0\n"
                "4: mov sp, r7\npop {r7, pc}\n.cfi_endproc")
        rows = self.rows(told + ".cfi_def_cfa_offset 8\n.cfi_offset 14, -4\n.cfi_offset 7, -8\n"
                         "mov r7, sp\n.cfi_def_cfa_register 7\nbics r0, r1\nmov sp, r0\n"
                         "ldr r0, [r1]\nmov pc, r0\n" + code +
                         '\n.pushsection .rodata,"a"\n.balign 4\n.word 1, 2b, 3b, 4b, 2\n.popsection')
        self.assertEqual([row[1:] for row in rows],
                         [(0, "link"), (8, "1,2"), ("fp+8", "1,2"), (8, "1,2")])

    def test_computed_goto_by_distances(self):
        """The words of a named array are added to the address of a label, also to a small one, as
        in firmware at 0."""
        jump = "ldr r2, =8f\nldr r2, [r2, r1]\nldr r3, ={}\nadd r2, r3\nmov pc, r2"
        array = ("\n.pool\n.pushsection .rodata,\"a\"\n.balign 256\n{0}"
                 "8: .word 2b - {1}, 3b - {1}, 4b - {1}\n9: .word 8, 10, 6\n.popsection")
        name = ".type array, %object\narray: .size array, 9f - array\n"
        known = [(0, "link"), (8, "1"), (16, "1"), (8, "1"), (24, "1"), (8, "1"), (4, "1")]
        unknown = [*known[:2], (0, "unknown")]
        for self.base, told, rows in ((0x1000, name, known), (0x40, name, known),
                                      (0x1000, "", unknown)):
            for label in "1b", "f":
                code = "push {r4, lr}\n1: " + jump.format(label) + "\n"
                code += self.LABELS.format(jump.format(label)) + array.format(told, label)
                self.assertEqual([row[1:] for row in self.rows(code)], rows, (self.base, label))

    def test_computed_gotos_by_one_jump(self):
        """GCC joins all computed gotos of a function; each has its array. clang at -O0 keeps on the
        stack where to go."""
        array = ".balign 4\n.type {0}, %object\n{0}: .word {1}\n.size {0}, . - {0}\n"
        jump = "ldr r2, ={}\nldr r2, [r2, r1]\nldr r3, =1b\nadd r2, r3\n"
        for keep, take in ("", ""), ("str r2, [sp]\n", "ldr r2, [sp]\n"):
            rows = self.rows(
                "push {r4, lr}\n1: " + jump.format("one") + keep + "b 7f\n2: nop\n" +
                jump.format("two") + keep + "7: " + take + "mov pc, r2\n3: sub sp, #8\nbl back\n"
                "add sp, #8\n4: pop {r4, pc}\n.pool\n"
                '.pushsection .rodata,"a"\n' + array.format("one", "2b - 1b, 4b - 1b") +
                array.format("two", "3b - 1b, 4b - 1b") + ".popsection")
            self.assertEqual([row[1:] for row in rows],
                             [(0, "link"), (8, "1"), (16, "1"), (8, "1")], take)

    def test_arrays_that_are_no_labels(self):
        """Two words, words of two functions, and a jump without a frame, which may be a call."""
        labels = self.LABELS.format("ldr r0, [r1]\nmov pc, r0")
        for words in "2b, 3b", "2b, 3b, back + 2, 4b", "f, f, f":
            self.assertEqual(
                self.rows("push {r4, lr}\nldr r0, [r1]\nmov pc, r0\n" + labels +
                          f"\n.data\n.word {words}\n.text")[2], (6, 0, "unknown"), words)
        self.assertEqual(self.rows("ldr r0, [r1]\nbx r0\n" + labels +
                                   "\n.data\n.word 2b, 3b, 4b\n.text")[1], (4, 0, "unknown"))

    def test_switch_of_libgcc(self):
        self.assertEqual(
            [row[1:] for row in self.rows(
                "push {r4, lr}\nbl __gnu_thumb1_case_uqi\n1: .byte (2f-1b)/2, (3f-1b)/2\n"
                "2: sub sp, #8\nbl back\nadd sp, #8\n3: pop {r4, pc}",
                __gnu_thumb1_case_uqi="bx lr")],
            [(0, "link"), (8, "1"), (16, "1"), (8, "1")])

    def test_end_of_a_switch_of_libgcc(self):
        """It makes the return address that of its target."""
        code = ("push {r0, r1}\nmov r1, lr\nadds r1, #2\nldr r0, [r1, r0]\nadds r0, r0, r1\n"
                "{}\npop {r0, r1}\nmov pc, lr").replace
        known = [(0, 0, "link"), (2, 8, "link")]
        for change in "mov lr, r0", "add lr, r1":
            self.assertEqual(self.rows(code("{}", change), name="__gnu_thumb1_case_si"),
                             [*known, (12, 8, "target"), (14, 0, "target")])
            self.assertEqual(self.rows(code("{}", change)), [*known, (12, 0, "unknown")])

    def test_literals_are_no_code(self):
        self.assertEqual(self.rows("ldr r0, 1f\nbx lr\n1: .word 0xb500b500"), [(0, 0, "link")])

    def test_unwinder(self):
        """The wrapper's return address is known, except in places where frames are unwound."""
        wrapper = ("mov ip, sp\npush {{lr}}\npush {{ip, lr}}\npush {{r0-r12}}\n"
                   "push {{r2, r3}}\nadd r1, sp, #4\nbl {}\nldr lr, [sp, #64]\n"
                   "add sp, #72\nbx lr")
        pushes = [(0, 0, "link"), (4, 4, "1"), (8, 12, "1"), (12, 64, "1"), (14, 72, "1")]
        search = "push {r4, lr}\nbl back\npop {r4, pc}"
        self.assertEqual(self.rows(wrapper.format("__gnu_Unwind_RaiseException"),
                                   "_Unwind_RaiseException", unwind_phase2=search,
                                   __gnu_Unwind_RaiseException=search),
                         [*pushes, (26, 0, "link")])
        self.assertEqual(  # its caller is known, but not its caller's caller
            self.rows("push {r4, lr}\nbl back\nbl unwind_phase2\nnop\npop {r4, pc}",
                      "__gnu_Unwind_RaiseException", unwind_phase2=search),
            [(0, 0, "link"), (2, 8, "1"), (6, 0, "unknown")])
        self.assertEqual(re.findall(r" (\d+) +(\w+)  unwind_phase2",
                                    unwind("--table", self.elf).stdout),
                         [("0", "link"), ("8", "1")])
        self.assertEqual(self.rows(wrapper.format("__gnu_Unwind_Resume"), "_Unwind_Resume",
                                   unwind_phase2=search, __gnu_Unwind_Resume=search),
                         [*pushes, (16, 0, "unknown")])
        keeps = "push {r0, lr}\nsub sp, #72\nbl __gnu_Unwind_Resume\nnop"
        resume = "push {r4, lr}\nbl unwind_phase2\nnop\npop {r4, pc}"
        self.assertEqual(  # what keeps its return address elsewhere
            self.rows(keeps, "__wrap___cxa_end_cleanup", unwind_phase2=search,
                      __gnu_Unwind_Resume=resume), [(0, 0, "link"), (2, 8, "1"), (4, 80, "1")])
        self.assertEqual(re.findall(r" (\d+) +(\w+)  __gnu_Unwind_Resume",
                                    unwind("--table", self.elf).stdout),
                         [("0", "link"), ("8", "1")])
        self.assertEqual(self.rows(keeps, unwind_phase2=search, __gnu_Unwind_Resume=resume),
                         [(0, 0, "link"), (2, 8, "1"), (4, 0, "unknown")])
        self.assertEqual(  # the parts of the unwinder have no names, so nothing is known
            self.rows(wrapper.format("__gnu_Unwind_RaiseException"), "_Unwind_RaiseException",
                      __gnu_Unwind_RaiseException=search), [])

    def test_mapping_symbols_of_what_is_not_loaded(self):
        """The addresses of these sections begin at 0, where code can be, too."""
        self.assertEqual(self.rows("push {r4, lr}\nbl back\npop {r4, pc}",
                                   more='.section .debug_any,"",%progbits\n.space 0x1002\n'
                                        '$d:\n.word 0\n'),
                         [(0, 0, "link"), (2, 8, "1")])

    def test_tail_call(self):
        self.assertEqual(self.rows("push {lr}\nbl g\npop {r3}\nmov lr, r3\nb g", g="bx lr"),
                         [(0, 0, "link"), (2, 4, "1"), (8, 0, "link")][:2] + [(8, 0, "r3"),
                                                                            (10, 0, "link")])

    def test_reset_handler(self):
        for name in ("Reset_Handler", "_reset_handler"):  # the Pico SDK's is the second
            rows = self.rows("ldr r0, =0x20001000\nmov sp, r0\nbl g\nb .\n.pool", name, g="bx lr")
            self.assertEqual(rows, [(0, 0, "end")])

    def test_vectors_say_what_runs_first(self):
        """Neither a name nor the ELF's entry, which is the first function where a linker script has
        no ENTRY(), stands against them."""
        code = "push {r4, lr}\nbl g\npop {r4, pc}"
        self.link({"work": code, "reset_handler": code, "boot": "bl work\nb .", "g": "bx lr"},
                  '.section .vectors,"ax"\n.word 0x20001000, boot + 1\n',
                  ["--section-start=.vectors=0", "-e", "work"])
        self.assertEqual(self.row("boot"), (0, "end"))
        for name in ("work", "reset_handler"):
            self.assertEqual(self.row(name), (0, "link"))
            self.assertEqual(self.row(name, 2), (8, "1"))

    def test_an_entry_that_is_called(self):
        code = {"work": "push {r4, lr}\nbl g\npop {r4, pc}", "boot": "bl work\nb .", "g": "bx lr"}
        self.link(code, flags=["-e", "work"])
        self.assertEqual(self.row("work", 2), (8, "1"))
        self.link(code, flags=["-e", "boot"])
        self.assertEqual(self.row("boot"), (0, "end"))

    def test_what_threads_return_to(self):
        self.assertEqual(self.rows("cpsid i\nb .", "prvTaskExitError"), [(0, 0, "end")])

    def test_empty_frame_information(self):
        self.assertEqual(
            self.rows(".cfi_sections .debug_frame\n.cfi_startproc\npush {r4, lr}\nbl back\n"
                      "pop {r4, pc}\n.cfi_endproc"), [(0, 0, "link"), (2, 8, "1")])

    def test_frame_information_tells_which_way_is_right(self):
        code = (".cfi_sections .debug_frame\n.cfi_startproc\npush {r4, lr}\n"
                ".cfi_def_cfa_offset 8\n.cfi_offset 14, -4\nldr r3, [r0]\nbx r3\n"
                "nop\npop {r4, pc}\n.cfi_endproc")
        self.assertEqual(self.rows(code), [(0, 0, "link"), (2, 8, "1")])

    def test_frame_information_without_epilogues(self):
        """As clang's, in code that no way leads to: the code says where the frame is freed."""
        told = (".cfi_sections .debug_frame\n.cfi_startproc\npush {{r4, r7, lr}}\n"
                ".cfi_def_cfa_offset 12\n.cfi_offset 14, -4\n.cfi_offset 7, -8\n{}\nbx r3\n"
                "nop\nbl back\n{}\n.cfi_endproc")
        self.assertEqual(
            self.rows(told.format("sub sp, #8\n.cfi_def_cfa_offset 20",
                                  "add sp, #8\npop {r4, r7, pc}\nb .")),
            [(0, 0, "link"), (2, 12, "1"), (4, 20, "1"), (14, 12, "1"), (16, 20, "1")])
        self.assertEqual(
            self.rows(told.format("mov r7, sp\n.cfi_def_cfa 7, 12\nnop",
                                  "ldr r7, [r0]\npop {r4, r7, pc}\nb .")),
            [(0, 0, "link"), (2, 12, "1,2"), (10, "fp+12", "1,2"), (16, 0, "unknown"),
             (18, "fp+12", "1,2")])

    def test_where_both_differ_nothing_is_said(self):
        code = (".cfi_sections .debug_frame\n.cfi_startproc\npush {r4, lr}\n"
                ".cfi_def_cfa_offset 16\n.cfi_offset 14, -4\nnop\nb .\n.cfi_endproc")
        self.assertEqual(self.rows(code), [(0, 0, "link"), (2, 0, "unknown")])

    def test_assembly_entered_with_more_on_the_stack(self):
        self.assertEqual(self.rows("pop {r0, r1}\nbx lr"), [])


class LandingPads(Firmware):
    """Code that only the unwinder jumps to, behind a call that throws."""
    CALL = "push {r4, lr}\nsub sp, #8\n1: bl back\n2: add sp, #8\npop {r4, pc}"
    PAD = "7: movs r0, #1\nbl back\nb 2b"
    SITES = "1b - f, 2b - 1b, 7b - f, 1"

    def pad(self, code=CALL, sites=SITES, personality="__gxx_personality_v0", head="0xff, 0xff, 1"):
        """Returns the row of the code at 7, which `sites` say to be a landing pad."""
        self.link({
            "f": f".fnstart\n{code}\n{self.PAD}\n.personality {personality}\n.handlerdata\n"
                 f".byte {head}, 9f - 8f\n8: .byte {sites}\n9: .fnend\n.text", "back": self.back,
            "stop": "b .", "__gxx_personality_v0": self.back, "another": self.back})
        return self.row("f", -8)

    def test_all_calls(self):
        self.assertEqual(self.pad(), (16, "1"))
        for call in "bl stop", "blx r3", "cmp r0, #1\nit ne\nblxne r3":
            self.assertEqual(self.pad(self.CALL.replace("bl back", call)), (16, "1"), call)

    def test_what_is_no_call(self):
        """The calls from 1 to 2 have the landing pad, not what is between them."""
        self.assertEqual(self.pad("push {r4, lr}\n1: sub sp, #8\nbl back\nnop\nbl back\nadd sp, #8"
                                  "\n2: pop {r4, pc}"), (16, "1"))

    def test_calls_that_do_not_agree(self):
        self.assertEqual(self.pad("push {r4, lr}\n1: bl back\nsub sp, #8\nbl back\n2: add sp, #8\n"
                                  "pop {r4, pc}"), (0, "unknown"))

    def test_several(self):
        for sites in f"{self.SITES}, 4, 1, 0, 0", f"0, 2, 0, 0, {self.SITES}":
            self.assertEqual(self.pad(sites=sites), (16, "1"), sites)

    def test_words(self):
        """A table may have words in place of bytes."""
        self.assertEqual(self.pad(head="0xff, 0xff, 3", sites="\n.4byte 1b - f, 2b - 1b, "
                                  "7b - f\n.byte 1"), (16, "1"))

    def test_other_tables(self):
        """Tables of another kind, of another function, and such as are too short."""
        unknown = 0, "unknown"
        self.assertEqual(self.pad(personality="another"), unknown)
        for head in "0, 0xff, 1", "0xff, 0xff, 0x1b":
            self.assertEqual(self.pad(head=head), unknown, head)
        for sites in ("1b - f, 2b - 1b", "0x80, 0x80", "0, 8, 100, 0", "0, 100, 7b - f, 0",
                      "0, 4, 7b - f, 0", "0, 8, 0, 0"):
            self.assertEqual(self.pad(sites=sites), unknown, sites)


class Jumped(Firmware):
    """Code that is entered by a jump, with the frame of the code that jumps."""
    BEGIN, END = ".cfi_sections .debug_frame\n.cfi_startproc\n", "\n.cfi_endproc"

    def test_outlined_ends(self):
        """clang moves ends of functions to functions of their own, with empty frame information."""
        for begin, end in (("", ""), (self.BEGIN, self.END)):
            self.link({"f": "push {r7, lr}\nbl back\nb.w moved", "back": self.back,
                       "g": "push {r4, r7, lr}\nbl back\nb.w deeper",
                       "moved": f"{begin}lsrs r0, #5\npop {{r7, pc}}{end}",
                       "deeper": f"{begin}lsrs r0, #5\npop {{r4, r7, pc}}{end}"})
            self.assertEqual(self.row("moved"), (8, "1"))
            self.assertEqual(self.row("moved", -2), (8, "1"))
            self.assertEqual(self.row("deeper"), (12, "1"))
            self.assertEqual(self.row("f"), (0, "link"))

    def test_moved_calls(self):
        """clang saves a link register that holds nothing, and says so in frame information."""
        self.link({"f": "push {r4, lr}\nbl back\nb.w moved", "back": self.back,
                   "moved": f"{self.BEGIN}str lr, [sp, #-8]!\n.cfi_def_cfa_offset 8\n"
                            ".cfi_offset 14, -8\nbl back\nldr lr, [sp], #8\n"
                            f".cfi_def_cfa_offset 0\n.cfi_restore 14\npop {{r4, pc}}{self.END}"})
        self.assertEqual([self.row("moved", at) for at in (0, 4, -2)],
                         [(8, "1"), (16, "1"), (8, "1")])

    def test_ends_that_free_the_frame(self):
        for code in ("add sp, #8\npop {r4, lr}\nbx lr", "ldr lr, [sp, #12]\nadd sp, #16\nbx lr",
                     "add sp, #12\nldr pc, [sp], #4", "add sp, #12\npop {r3}\nbx r3"):
            self.link({"f": "push {r4, lr}\nsub sp, #8\nbl back\nb.w moved", "back": self.back,
                       "moved": "nop\n" + code})
            self.assertEqual(self.row("moved"), (16, "1"), code)

    def test_ends_that_jump_to_others(self):
        self.link({"f": "push {r7, lr}\nb.w first", "first": "nop\nb.w second",
                   "second": "nop\nb.w third", "third": "pop {r7, pc}",
                   "g": "push {r7, lr}\nb.w third"})
        for name in ("first", "second", "third"):
            self.assertEqual(self.row(name), (8, "1"), name)

    def test_veneers(self):
        self.link({"f": "push {r7, lr}\nb.w veneer\nnop", "veneer": "ldr.w pc, [pc]\n.word moved",
                   "g": "push {r7, lr}\nb.w veneer", "moved": "nop\npop {r7, pc}"})
        self.assertEqual(self.row("veneer"), (8, "1"))
        self.assertEqual(self.row("moved"), (8, "1"))

    def test_who_jumps_must_agree(self):
        self.link({"f": "push {r4, r7, lr}\nb.w moved", "g": "push {r7, lr}\nb.w moved",
                   "moved": "nop\npop {r7, pc}"})
        self.assertEqual(self.row("moved"), (0, "unknown"))
        self.assertEqual(self.row("g", 2), (8, "1"))

    def test_what_is_called_too(self):
        self.link({"f": "push {r7, lr}\nb.w moved", "g": "push {r7, lr}\nbl moved\npop {r7, pc}",
                   "moved": "nop\npop {r7, pc}"})
        self.assertEqual(self.row("moved"), (0, "unknown"))
        self.assertEqual(self.row("g", -2), (8, "1"))

    def test_nobody_jumps(self):
        self.link({"f": "bx lr", "moved": "nop\npop {r7, pc}"})
        self.assertEqual(self.row("moved"), (0, "unknown"))

    def test_a_last_call_is_no_loan(self):
        """Functions that are free of their frames jump to functions."""
        self.link({"f": "push {r7, lr}\nbl back\npop {r7, lr}\nb.w last", "back": self.back,
                   "g": "b.w last", "last": "push {r4, lr}\nbl back\npop {r4, pc}"})
        self.assertEqual(self.row("last"), (0, "link"))
        self.assertEqual(self.row("last", -2), (8, "1"))

    def test_what_does_not_return(self):
        """It takes nothing of the frame, but only code with a frame jumps to it."""
        stops = "nop\nbl back\nb ."
        self.link({"f": "push {r7, lr}\nb.w stops", "stops": stops, "back": self.back})
        self.assertEqual(self.row("stops", -2), (8, "1"))
        self.link({"f": "push {r7, lr}\nb.w stops", "stops": stops, "back": self.back,
                   "g": "push {r7, lr}\nbl stops"})
        self.assertEqual(self.row("stops"), (0, "unknown"))

    def test_a_jump_with_a_return_address_is_a_call(self):
        self.link({"f": "push {r7, lr}\nadr lr, 1f + 1\nb.w g\n.balign 4\n1: pop {r7, pc}",
                   "g": "bx lr"})
        self.assertEqual(self.row("g"), (0, "link"))

    def test_behind_a_call_that_does_not_return(self):
        """Code that seems to go on into the next function lends it nothing."""
        self.link({"f": "push {r7, lr}\nbl leaves", "g": "nop\nbx lr",
                   "leaves": "nop\nldm r0, {r4-r11, pc}"})
        self.assertEqual(self.row("g"), (0, "link"))

    def test_frame_pointer(self):
        self.link({"f": "push {r7, lr}\nmov r7, sp\nsub sp, sp, r0\nbl back\nb.w moved",
                   "back": self.back, "moved": "nop\nmov sp, r7\npop {r7, pc}"})
        self.assertEqual(self.row("moved"), ("fp+8", "1,2"))
        self.assertEqual(self.row("moved", -2), (8, "1,2"))

    def test_calls_within(self):
        """A subroutine without a name goes back behind its call; if it also takes what the function
        saved, it has the function's frame."""
        self.link({"f": "push {r4, lr}\nbl 1f\npop {r4, pc}\n1: nop\nbx lr"})
        self.assertEqual(self.row("f", -4), (0, "link"))
        self.link({"f": "push {r4, lr}\nbl 1f\npop {r4, pc}\n1: cbz r0, 2f\nbx lr\n"
                        "2: pop {r4, pc}"})
        self.assertEqual(self.row("f", -6), (8, "1"))
        self.link({"f": "push {r4, lr}\nbl 1f\npop {r4, pc}\n1: nop\nb 1b"})
        self.assertEqual(self.row("f", -4), (0, "unknown"))


class FarJump(Firmware):
    """GCC jumps by BL where a branch of 16 bits does not reach."""
    flags = ["-mcpu=cortex-m0"]
    FAR = ".rept 1000\nnop\n.endr\n"

    def test_far(self):
        self.link({"f": "push {r4, lr}\ncmp r0, #0\nbeq 1f\nbl 9f\n1: sub sp, #8\nbl back\n"
                        f"add sp, #8\nb 2f\n.balign 4\n.word 0\n{self.FAR}9: nop\n2: pop {{r4, pc}}",
                   "back": self.back})
        self.assertEqual(self.row("f", -4), (8, "1"))

    def test_back(self):
        self.link({"f": f"push {{r4, lr}}\n1: nop\n{self.FAR}bl 1b"})
        self.assertEqual(self.row("f", -4), (8, "1"))
        self.assertEqual(self.row("f", 2), (8, "1"))

    def test_subroutine(self):
        self.link({"f": f"push {{r4, lr}}\nbl 1f\npop {{r4, pc}}\n{self.FAR}1: nop\nbx lr"})
        self.assertEqual(self.row("f", -4), (0, "link"))
        self.link({"f": f"push {{r4, lr}}\nbl 1f\npop {{r4, pc}}\n{self.FAR}"
                        "1: push {r5, lr}\nnop\npop {r5, pc}"})
        self.assertEqual(self.row("f", -4), (8, "1"))
        self.assertEqual(self.row("f", -6), (0, "link"))

    def test_the_return_address_is_not_saved(self):
        self.link({"f": f"mov ip, lr\nbl 1f\nbx ip\n{self.FAR}1: nop\nbx lr"})
        self.assertEqual(self.row("f", -4), (0, "link"))


class A32(Firmware):
    flags, text = ["-mcpu=arm7tdmi"], ".syntax unified\n.arm\n"

    def test_frame(self):
        self.assertEqual(self.rows("push {r4, lr}\nsub sp, sp, #1024\nbl back\n"
                                   "add sp, sp, #1024\npop {r4, lr}\nbx lr"),
                         [(0, 0, "link"), (4, 8, "1"), (8, 1032, "1"), (16, 8, "1"),
                          (20, 0, "link")])

    def test_old_frames(self):
        self.assertEqual(self.rows("mov ip, sp\npush {fp, ip, lr, pc}\nsub fp, ip, #4\n"
                                   "sub sp, sp, r0\nbl back\nsub sp, fp, #12\nldm sp, {fp, sp, pc}"),
                         [(0, 0, "link"), (8, 16, "2,4"), (16, "fp+4", "2,4"),
                          (24, 16, "2,4")])

    def test_numbers_that_look_like_labels(self):
        """As `ldm sp!, {r0, pc}^` they would return from an interrupt."""
        self.base = 0x40  # as in firmware at 0, whose functions have small addresses
        rows = self.rows("push {r4, lr}\nldr pc, [r1]\n2: sub sp, sp, #8\nbl back\n"
                         "add sp, sp, #8\n3: nop\nldr pc, [r1]\n4: pop {r4, pc}\n"
                         "ldr r0, [r1]\n.inst 0xe8bd8000\n.inst 0x8001e8fd\n"
                         '.pushsection .rodata,"a"\n.word 2b, 3b, 4b, 1\n'
                         ".word 4b + 10, 4b + 10, 4b + 10\n.popsection")
        self.assertEqual(rows[:2], [(0, 0, "link"), (4, 8, "1")])

    def test_jump_to_thumb(self):
        self.assertEqual(self.rows("push {r4, lr}\nadd ip, pc, #4\norr ip, ip, #1\nbx ip\n"
                                   ".thumb\nsub sp, #8\nbl back\nadd sp, #8\npop {r4}\n"
                                   "pop {r3}\nbx r3\n.balign 4\n.arm"),
                         [(0, 0, "link"), (4, 8, "1"), (18, 16, "1"), (24, 8, "1"),
                          (26, 4, "1"), (28, 0, "r3")])

    def test_the_frame_pointer_that_tells_more(self):
        wide = "push {fp, lr}\nmov fp, sp\nsub sp, sp, r0\nbl back\nmov sp, fp\npop {fp, pc}"
        narrow = (".thumb\npush {r7, lr}\nmov r7, sp\nmov r1, sp\nsubs r1, r1, r0\n"
                  "mov sp, r1\nbl back\nmov sp, r7\npop {r7, pc}\n.arm")
        self.assertIn((12, "fp+8", "1,2"), self.rows(wide, other=".thumb\nbx lr\nnop\n.arm"))
        self.assertIn((10, "fp+8", "1,2"), self.rows(narrow, other="bx lr"))
        self.assertEqual(self.rows(wide, f2=narrow.replace("bl back", "nop"))[2][1:],
                         ("fp+8", "1,2"))
        self.assertEqual(self.rows(wide, f2=narrow, f3=narrow)[2][1:], (0, "unknown"))

    def test_conditional(self):
        self.assertEqual(self.rows("cmp r0, #0\nbxeq lr\npush {lr}\ncmp r0, #1\npopeq {pc}\n"
                                   "bl back\npop {pc}"), [(0, 0, "link"), (12, 4, "1")])

    def test_outlined_end(self):
        self.link({"f": "push {r4, lr}\nbl back\nb moved", "back": self.back,
                   "moved": "cmp r0, #1\npopeq {r4, pc}\npop {r4, lr}\nbx lr"})
        self.assertEqual(self.row("moved"), (8, "1"))

    def test_interrupt(self):
        self.assertEqual(self.rows("sub lr, lr, #4\npush {r0, lr}\nbl back\n"
                                   "ldm sp!, {r0, pc}^"), [(0, 0, "handler")])

    def test_another_mode_has_another_stack(self):
        self.assertEqual(self.rows("push {r4, lr}\nmsr cpsr_c, #31\nmov r4, sp\nmov sp, r4\n"
                                   "msr cpsr_c, #146\npop {r4, pc}"),
                         [(0, 0, "link"), (4, 8, "1"), (8, 0, "unknown")])
        self.assertEqual(self.rows("push {r4, lr}\nmsr cpsr_c, r0\nmsr cpsr_f, #0\nnop\n"
                                   "pop {r4, pc}"), [(0, 0, "link"), (4, 8, "1")])


class RiscV(Firmware):
    tools, flags, text = "riscv64-unknown-elf-", ["-march=rv32imac", "-mabi=ilp32"], ""
    kind, back = "@function", "ret"

    def link(self, functions, more="", flags=()):
        super().link(functions, more, ["-melf32lriscv", *flags])

    def test_frame(self):
        self.assertEqual(self.rows("addi sp,sp,-16\nsw ra,12(sp)\njal back\nlw ra,12(sp)\n"
                                   "addi sp,sp,16\nret"),
                         [(0, 0, "link"), (2, 16, "link"), (4, 16, "1"), (12, 0, "link")])

    def test_large_frame(self):
        rows = self.rows("addi sp,sp,-16\nsw ra,12(sp)\nli t0,-8192\nadd sp,sp,t0\njal back\n"
                         "li t0,8192\nadd sp,sp,t0\nlw ra,12(sp)\naddi sp,sp,16\nret")
        self.assertEqual([row[1:] for row in rows],
                         [(0, "link"), (16, "link"), (16, "1"), (8208, "1"), (16, "1"),
                          (0, "link")])

    def test_frame_pointer(self):
        rows = self.rows("addi sp,sp,-32\nsw s0,24(sp)\nsw ra,28(sp)\naddi s0,sp,32\n"
                         "sub sp,sp,a0\njal back\naddi sp,s0,-32\nlw ra,28(sp)\n"
                         "lw s0,24(sp)\naddi sp,sp,32\nret")
        self.assertEqual([row[1:] for row in rows],
                         [(0, "link"), (32, "link"), (32, "1,2"), ("fp+0", "1,2"),
                          (32, "1,2"), (0, "link")])

    def test_save_and_restore(self):
        rows = self.rows("jal t0,__riscv_save_4\njal back\ntail __riscv_restore_4",
                         __riscv_save_4="addi sp,sp,-32\nsw ra,28(sp)\nli t1,-16\n"
                                        "sub sp,sp,t1\njr t0",
                         __riscv_restore_4="lw ra,28(sp)\naddi sp,sp,32\nret")
        self.assertEqual(rows, [(0, 0, "link"), (4, 32, "1")])
        table = unwind("--table", self.elf).stdout
        self.assertIn(("0", "link"),
                      re.findall(r" (\d+) +(\w+)  __riscv_restore_4", table))
        self.assertEqual(re.findall(r" (\d+) +(\w+)  __riscv_save_4", table),
                         [("0", "r0"), ("32", "r0"), ("16", "r0")])

    def test_end_that_saves_of_several_sizes_share(self):
        """The frame is that of the code to which it goes back."""
        rows = self.rows("jal t0,__riscv_save_4\njal back\ntail __riscv_restore_4",
                         g="jal t0,__riscv_save_0\njal back\ntail __riscv_restore_4",
                         __riscv_save_4="addi sp,sp,-32\nli t1,0\nj 1f",
                         __riscv_save_0="addi sp,sp,-32\nli t1,16\n1: sw ra,28(sp)\n"
                                        "add sp,sp,t1\njr t0",
                         __riscv_restore_4="lw ra,28(sp)\naddi sp,sp,32\nret")
        self.assertEqual(rows, [(0, 0, "link"), (4, 32, "1")])
        self.assertEqual(re.findall(r" (\d+) +(\w+)  __riscv_save_0",
                                    unwind("--table", self.elf).stdout),
                         [("0", "r0"), ("32", "r0"), ("0", "target")])

    def test_computed_goto(self):
        """Arrays of labels may be in the section of the code, between functions."""
        code = ("addi sp,sp,-16\nsw ra,12(sp)\nlw a5,0(a0)\njr a5\n2: jal back\njr a5\n"
                "3: addi sp,sp,-16\njal back\naddi sp,sp,16\njr a5\n"
                "4: lw ra,12(sp)\naddi sp,sp,16\nret\n")
        for words, rows in ("2b, 3b, 4b", 6), ("2b, 3b", 4):
            found = self.rows(f"{code}.pushsection .text.data\n.word {words}\n.popsection")
            self.assertEqual([row[1:] for row in found][:3], [(0, "link"), (16, "link"), (16, "1")])
            self.assertEqual(len(found), rows, found)

    def test_table_before_a_table_of_functions(self):
        """No switch goes to the begin of its function, once that has a frame."""
        rows = self.rows("addi sp,sp,-16\nsw ra,12(sp)\nla a5,7f\nadd a5,a5,a0\nlw a5,0(a5)\n"
                         "jr a5\n2: addi sp,sp,-16\njal back\naddi sp,sp,16\n3: lw ra,12(sp)\n"
                         "addi sp,sp,16\nret\n.pushsection .rodata,\"a\"\n"
                         "7: .word 2b, 3b, f, back\n.popsection")
        self.assertEqual([row[1:] for row in rows], [(0, "link"), (16, "link"), (16, "1"),
                                                     (32, "1"), (16, "1"), (0, "link")])

    def test_call_by_t0(self):
        """clang's outliner calls what functions have in common by t0."""
        rows = self.rows("addi sp,sp,-16\nsw ra,12(sp)\njal t0,body\njal t0,end\nnop\nret",
                         body="addi a0,a0,1\njr t0", leaf="jal t0,body\nnop\nret",
                         end="nop\nlw ra,12(sp)\naddi sp,sp,16\nnop\njr t0")
        self.assertEqual(rows, [(0, 0, "link"), (2, 16, "link"), (4, 16, "1"), (12, 0, "link")])
        for name, offset, row in (("body", 0, (0, "r0")), ("body", -2, (0, "r0")),
                                  ("leaf", -4, (0, "link")), ("end", 2, (0, "r0")),
                                  ("end", -4, (0, "unknown"))):
            self.assertEqual(self.row(name, offset), row, name)

    def test_call_by_t0_that_is_not_followed(self):
        frame = "addi sp,sp,-16\nsw ra,12(sp)\njal t0,end\nnop\nnop\n"
        for code, row in (("beqz a0,1f\nnop\n1: nop\njr t0", (16, "1")),
                          ("beqz a0,1f\nnop\n1: lw ra,12(sp)\naddi sp,sp,16\njr t0",
                           (0, "unknown"))):
            for told in ("", ".cfi_sections .debug_frame\n.cfi_startproc\n"
                         ".cfi_def_cfa_offset 16\n.cfi_offset 1,-4\n"):
                self.link({"f": told + frame + "lw ra,12(sp)\naddi sp,sp,16\nret" +
                           ("\n.cfi_endproc" if told else ""), "end": code})
                self.assertEqual(self.row("f", -8), row, code)

    def test_call_by_t0_and_by_ra(self):
        self.link({"f": "jal t0,body\nret", "body": "addi a0,a0,1\njr t0",
                   "g": "addi sp,sp,-16\nsw ra,12(sp)\njal body\nlw ra,12(sp)\n"
                        "addi sp,sp,16\nret"})
        self.assertEqual(self.row("body"), (0, "unknown"))
        self.link({"f": "jal t0,body\nret", "body": "addi a0,a0,1\nret"})
        self.assertEqual(self.row("body"), (0, "unknown"))

    def test_unwinder(self):
        self.assertEqual(
            self.rows("addi sp,sp,-16\nsw ra,12(sp)\njal back\nbeqz a0,1f\nlw ra,12(sp)\n"
                      "addi sp,sp,16\nret\n1: jal uw_install_context_1\nlw ra,12(sp)\n"
                      "addi sp,sp,16\nadd sp,sp,a0\nret", "_Unwind_RaiseException",
                      uw_install_context_1="ret"),
            [(0, 0, "link"), (2, 16, "link"), (4, 16, "1"), (14, 0, "link"),
             (16, 0, "unknown")])

    def test_shared_end(self):
        self.link({"f": "addi sp,sp,-16\nsw ra,12(sp)\njal back\nj moved", "back": self.back,
                   "moved": "nop\nlw ra,12(sp)\naddi sp,sp,16\nret"})
        self.assertEqual(self.row("moved"), (16, "1"))

    def test_code_behind_a_function(self):
        self.link({"f": "addi sp,sp,-16\nsw ra,12(sp)\njal back\nj 8f", "back": self.back,
                   "g": "addi sp,sp,-32\nsw ra,28(sp)\njal back\n1: j 1b"},
                  "8: nop\nlw ra,12(sp)\naddi sp,sp,16\nret\naddi a0,a0,1\nret\n")
        for offset, row in ((8, (32, "1")), (10, (16, "1")), (12, (16, "1")), (16, (0, "link")),
                            (18, (0, "unknown"))):
            self.assertEqual(self.row("g", offset), row, offset)

    def test_calls_within(self):
        self.link({"f": "addi sp,sp,-16\nsw ra,12(sp)\njal 1f\nlw ra,12(sp)\naddi sp,sp,16\nret\n"
                        "1: nop\nret"})
        self.assertEqual(self.row("f", -4), (0, "link"))

    def test_interrupt(self):
        self.assertEqual(self.rows("addi sp,sp,-16\nsw ra,12(sp)\njal back\nlw ra,12(sp)\n"
                                   "addi sp,sp,16\nmret"), [(0, 0, "handler")])


class Sparc(Firmware):
    tools, flags, text = "sparc64-linux-gnu-", ["-32", "-Av8"], ""
    kind, back = "@function", "retl\nnop"

    def link(self, functions, more="", flags=()):
        super().link(functions, more, ["-melf32_sparc", *flags])

    def test_window(self):
        self.assertEqual(self.rows("save %sp,-96,%sp\ncall back\nnop\nret\nrestore"),
                         [(0, 0, "link"), (4, 0, "window")])

    def test_shared_end(self):
        self.link({"f": "save %sp,-96,%sp\ncall back\nnop\nba moved\nnop", "back": self.back,
                   "moved": "nop\nret\nrestore"})
        self.assertEqual(self.row("moved"), (0, "window"))

    def test_leaf(self):
        self.assertEqual(self.rows("add %sp,-96,%sp\nretl\nsub %sp,-96,%sp"),
                         [(0, 0, "link"), (4, 96, "link")])

    def test_last_call(self):
        self.assertEqual(self.rows("or %o7,%g0,%g1\ncall back\nor %g1,%g0,%o7"),
                         [(0, 0, "link"), (8, 0, "unknown")])

    def test_trap(self):
        self.assertEqual(self.rows("nop\njmp %l1\nrett %l2"), [(0, 0, "handler")])


class Avr(Firmware):
    """`size` is the caller's stack pointer minus the function's, as the registers hold them."""
    tools, flags, text = "avr-", ["-mmcu=atmega1284p"], ""
    kind, back = "@function", "ret"

    def link(self, functions, more="", flags=()):
        super().link(functions, more, ["-mavr51", *flags])

    def test_push(self):
        self.assertEqual(self.rows("push r28\npush r29\nrcall back\npop r29\npop r28\nret"),
                         [(0, 2, "1"), (2, 3, "1"), (4, 4, "1"), (8, 3, "1"), (10, 2, "1")])

    def test_frame(self):
        """Frames of less than 300 bytes are made by one or two instructions; r1 is 0."""
        for less, more, size in (("sbiw r28,8", "adiw r28,8", 8),
                                 ("subi r28,100\nsbc r29,r1",
                                  "subi r28,lo8(-100)\nsbci r29,hi8(-100)", 100),
                                 ("subi r28,lo8(300)\nsbci r29,hi8(300)",
                                  "subi r28,lo8(-300)\nsbci r29,hi8(-300)", 300)):
            move = "in r0,0x3f\ncli\nout 0x3e,r29\nout 0x3f,r0\nout 0x3d,r28\n"
            rows = self.rows(f"push r28\npush r29\nin r28,0x3d\nin r29,0x3e\n{less}\n{move}"
                             f"call back\n{more}\n{move}pop r29\npop r28\nret")
            self.assertEqual([row[1] for row in rows], [2, 3, 4, 4 + size, 4, 3, 2])

    def test_a_call_makes_room(self):
        self.assertEqual(self.rows("rcall .+0\npush r0\ncall back\npop r0\npop r0\npop r0\nret"),
                         [(0, 2, "1"), (2, 4, "1"), (4, 5, "1"), (10, 4, "1"), (12, 3, "1"),
                          (14, 2, "1")])

    def test_shared_end(self):
        self.link({"f": "push r28\nrcall back\nrjmp moved", "back": self.back,
                   "moved": "nop\npop r28\nret"})
        size, where = self.row("moved")
        self.assertEqual((size - int(where), where), (2, where))

    def test_skips(self):
        self.assertEqual(self.rows("push r0\nsbrc r24,0\njmp 1f\npop r0\nret\n"
                                   "1: rcall back\npop r0\nret"),
                         [(0, 2, "1"), (2, 3, "1"), (10, 2, "1"), (12, 3, "1"), (16, 2, "1")])


    def test_a_size_makes_a_function(self):
        """A symbol with a size is no label in the function before it, even if that one's size dates
        from before the linker shrank it."""
        self.link({"back": self.back, "f": "rcall g\nret"},
                  ".global g\ng: push r0\nrcall back\npop r0\nret\n.size g, . - g\n.size f, 32\n")
        rows = re.findall(r" (\d+)  \d  g$", unwind("--table", self.elf).stdout, re.M)
        self.assertEqual([int(size) - int(rows[-1]) for size in rows], [1, 0])

    def test_handler(self):
        """Nothing calls a handler."""
        self.assertEqual(self.rows("push r0\nrcall back\npop r0\nreti"), [(0, 0, "handler")])


class AvrLarge(Avr):
    flags = ["-mmcu=atmega2560"]

    def link(self, functions, more="", flags=()):
        Firmware.link(self, functions, more, ["-mavr6", *flags])

    def rows(self, *code):
        """Returns the rows as on a device whose return addresses have two bytes."""
        names = {"2": "1", "handler": "handler"}
        return [(at, size - (where == "2"), names.get(where))
                for at, size, where in super().rows(*code)]

    def test_a_call_makes_room(self):
        self.assertEqual([row[1] for row in self.rows("rcall .+0\ncall back\npop r0\npop r0\n"
                                                      "pop r0\nret")],
                         [2, 5, 4, 3, 2])


class Store(Firmware):
    """What the program writes into the ELF."""
    def link_with(self, size):
        self.link({"f": "push {r4, lr}\nbl back\npop {r4, pc}", "back": "bx lr"},
                  SECTION.format(size), ["--section-start=.mcuprof_unwind=0x80000"])

    def bytes(self):
        path = self.elf + ".bin"
        run("arm-none-eabi-objcopy", "-O", "binary", "-j", ".mcuprof_unwind", self.elf, path)
        with open(path, "rb") as file:
            return file.read()

    def test_table(self):
        self.link_with(64)
        done = unwind(self.elf)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^2 functions, 3 rows, 42 bytes; 0 functions not ")
        header = struct.unpack_from("<4sIHHHHIHH", self.bytes())
        self.assertEqual(header, (b"PUW5", 0x1000, 1, 2, 3, 0, 0, 0, 0))
        frames = struct.unpack_from("<2I", self.bytes(), 24)
        self.assertEqual(frames, (0, 247))
        self.assertEqual(struct.unpack_from("<2H3H", self.bytes(), 32),
                         (0, 3, 0 << 9 | 1, 1 << 9 | 256 + 8 // 4, 4 << 9 | 1))

    def link_in_ram(self, *names):
        """Links one function in flash, and others in sections at 0x20000100, apart from it."""
        more = "".join(f'.section .ram,"ax",%progbits\n.global {name}\n.type {name}, %function\n'
                       f"{name}: push {{r4, lr}}\nblx r3\npop {{r4, pc}}\n.size {name}, . - {name}\n"
                       for name in names)
        self.link({"back": "bx lr"}, more + SECTION.format(96), [
            "--section-start=.mcuprof_unwind=0x80000", "--section-start=.ram=0x20000100"])

    def test_code_in_ram(self):
        """Its pages and rows come first. A row is at the begin of each range."""
        self.link_in_ram("f", "g")
        done = unwind("-v", self.elf)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, "^3 functions, 5 rows, 48 bytes; 0 functions not ")
        self.assertIn("\n2 functions, 12 bytes of code, from 0x20000100 on: in RAM, or elsewhere "
                      "than the rest\n", done.stdout)
        self.assertEqual(struct.unpack_from("<4sIHHHHIHH", self.bytes()),
                         (b"PUW5", 0x1000, 1, 2, 5, 0, 0x20000100, 1, 0))
        self.assertEqual(struct.unpack_from("<3H5H", self.bytes(), 32),
                         (0, 4, 5, 1, 1 << 9 | 258, 3 << 9 | 1, 4 << 9 | 258, 1))
        self.assertEqual([line.split()[0] for line in unwind("--table", self.elf).stdout.splitlines()],
                         ["20000100", "20000102", "20000106", "20000108", "00001000"])

    RAISES = {"raises": "push {r4, lr}\nbl _Unwind_RaiseException\npop {r4, pc}",
              "_Unwind_RaiseException": "push {r0-r6, lr}\nbl __gnu_Unwind_RaiseException\n"
                                        "pop {r0-r6, pc}",
              "__gnu_Unwind_RaiseException": "push {r4, lr}\nbl unwind_phase2\npop {r4, pc}",
              "unwind_phase2": "bx lr"}

    def test_a_nop_before_a_constant_is_no_address(self):
        """It is 0x46c0 on ARMv6-M, and the constant's lower half is 0: read as one they are the
        wrapper's address. Where a constant has the address, others may call the wrapper, too."""
        self.base = 0x46b8
        for data, caller in ((0x10000, "1@46be"), (0x46c1, "1")):
            with self.subTest(data=data):
                self.link({**self.RAISES, "unwind_phase2": f"bx lr\nmov r8, r8\n.word {data:#x}"})
                code = run("arm-none-eabi-objdump", "-s", "-j.text", self.elf).stdout
                self.assertIn(f" 7047c046 {struct.pack('<I', data).hex()}", code)
                table = unwind("--table", self.elf).stdout
                self.assertRegex(table, rf"(?m)^000046c2 +\S+ +{caller} ")

    def test_what_looks_like_a_reference(self):
        """Halves of two constants are no address, and a constant is no branch to the wrapper."""
        self.base = 0x46b8
        for data, caller in ((".2byte 1, 0x46c1, 0, 1", "1@46be"), (".2byte 0x46c1, 0", "1"),
                             (".2byte 0xe7f2, 0xe7f1, 0xe7f0, 0xe7ef", "1@46be")):
            with self.subTest(data=data):
                self.link({**self.RAISES, "unwind_phase2": f"bx lr\n.balign 4\n{data}"})
                table = unwind("--table", self.elf).stdout
                self.assertRegex(table, rf"(?m)^000046c2 +\S+ +{caller} ")

    def test_a_text_that_looks_like_a_reference(self):
        """Texts have no name, pointers have one."""
        self.base = 0x6e58  # the wrapper's address in T32 is the text "an"
        for name, caller in ("", "1@6e5e"), (".type p, %object\n.size p, 4\np: ", "1"):
            with self.subTest(name=name):
                self.link(self.RAISES, f'.section .rodata,"a"\n.balign 4\n{name}.asciz "an"\n'
                                       ".byte 0\n")
                table = unwind("--table", self.elf).stdout
                self.assertRegex(table, rf"(?m)^00006e62 +\S+ +{caller} ")

    def test_passed(self):
        """A row goes past the frame of the one caller, whose return address is at the end."""
        self.link(self.RAISES, SECTION.format(96), ["--section-start=.mcuprof_unwind=0x80000"])
        table = unwind("--table", self.elf).stdout.splitlines()
        self.assertEqual([line.split()[:3] for line in table],
                         [["00001000", "0", "link"], ["00001002", "8", "1"],
                          ["00001008", "0", "link"], ["0000100a", "40", "1@1006"],
                          ["0000100e", "32", "1"], ["00001010", "0", "link"],
                          ["00001012", "8", "1"], ["00001018", "0", "link"]])
        self.assertRegex(unwind(self.elf).stdout, r"^4 functions, 8 rows, 60 bytes; 0 functions ")
        self.assertEqual(struct.unpack_from("<4sIHHHH", self.bytes()), (b"PUW5", 0x1000, 1, 2, 8, 1))
        self.assertEqual(struct.unpack_from("<2I", self.bytes(), 52), (0x100e, 0x1006))

    def test_plain_frames(self):
        """They are below 1,024 bytes, with the return address in the highest word."""
        self.link({"f": "push {r4, lr}\nsub sp, #508\nsub sp, #504\nadds r0, #1\nsub sp, #4\n"
                        "bl g\nadd sp, #508\nadd sp, #508\npop {r4, pc}",
                   "g": "push {r0-r3}\npush {r4, lr}\nbl f\npop {r4}\npop {r3}\nadd sp, #16\nbx r3"},
                  SECTION.format(120), ["--section-start=.mcuprof_unwind=0x80000"])
        said = [line.split()[1:3] for line in unwind("--table", self.elf).stdout.splitlines()]
        for each in ["1020", "1"], ["1024", "1"], ["24", "5"]:
            self.assertIn(each, said)
        self.assertEqual(unwind(self.elf).returncode, 0)
        count, rows = struct.unpack_from("<HH", self.bytes(), 10)
        numbers = struct.unpack_from(f"<{rows}H", self.bytes(), 24 + 4 * count + 4)
        self.assertEqual([4 * (number % 256) if number & 256 else None for number in numbers],
                         [int(size) if where == "1" and size != "1024" else None
                          for size, where in said])

    def test_frame_pointer(self):
        self.link({"f": "push {r7, lr}\nmov r7, sp\nsub sp, sp, r0\nbl back\nmov sp, r7\n"
                        "pop {r7, pc}", "back": "movs r7, #0\nbx lr"},
                  SECTION.format(64), ["--section-start=.mcuprof_unwind=0x80000"])
        self.assertIn("\n1 rows go by the frame pointer\n", unwind("-v", self.elf).stdout)
        self.assertEqual(struct.unpack_from("<H", self.bytes(), 22), (7,))
        self.assertEqual(set(struct.unpack_from("<5I", self.bytes(), 24)),
                         {0, 247, 8 << 15 | 2 << 8 | 1, 8 << 15 | 1 << 14 | 2 << 8 | 1,
                          63 << 8 | 247})

    def test_worked_example(self):
        """The worked example of docs/unwind.md is true."""
        with open("docs/unwind.md", encoding="utf-8") as file:
            text = file.read()
        code = re.search(r"```asm\n(.*?)```", text, re.S).group(1)
        table = re.search(r"```text\n(.*?)```", text, re.S).group(1)
        octets = re.search(r"```hex\n(.*?)```", text, re.S).group(1)
        self.link({}, code + SECTION.format(44), ["--section-start=.mcuprof_unwind=0x80000"])
        self.assertEqual(unwind("--table", self.elf).stdout, table)
        self.assertEqual(unwind(self.elf).returncode, 0)
        self.assertEqual(self.bytes(), b"".join(
            bytes.fromhex(re.match(r"(?:[0-9a-f]{2} ?)*(?= |$)", line).group(0))
            for line in octets.splitlines()))

    def test_again(self):
        self.link_with(64)
        unwind(self.elf)
        before = self.bytes()
        self.assertEqual(unwind(self.elf).returncode, 0)
        self.assertEqual(self.bytes(), before)

    def assert_error(self, text, path=None):
        done = unwind(path or self.elf)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn(text, done.stderr)
        self.assertIn(path or self.elf, done.stderr)

    def test_too_small(self):
        self.link_with(32)
        self.assert_error("has 32 bytes, but the table needs 42: link with "
                          "-Wl,--defsym=__mcuprof_unwind_bytes=44")

    def test_no_section(self):
        self.link({"f": "bx lr"})
        self.assert_error("no section .mcuprof_unwind for the table's ")

    def test_no_bytes(self):
        self.link({"f": "bx lr"}, '.section .mcuprof_unwind,"aw",%nobits\n.space 99\n')
        self.assert_error("has no bytes in the file")

    def test_not_writable(self):
        self.assert_error("No such file or directory", self.elf + ".none")
        shutil.copy("build/mcuprof", self.elf)
        self.assert_error("no unwind table is made for x86-64 yet")

    def test_usage(self):
        self.assertEqual(unwind().returncode, 2)
        self.assertEqual(unwind("a", "b").returncode, 2)


if __name__ == "__main__":
    unittest.main()

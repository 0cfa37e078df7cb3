# SPDX-License-Identifier: MIT
"""Compares `mcuprof unwind` with the compiler's frame information in functions whose frames have
no constant size, because of arrays of variable length and alloca()."""
import os
import re
import subprocess
import tempfile
import unittest

import frames

SOURCE = r"""
void use(void *, int), leave(void) __attribute__((noreturn));
int less(int a);
#define alloca(n) __builtin_alloca(n)

#ifndef NONE
int array(int n) { int a[n]; use(a, n); return a[0] + less(n); }
int two(int n, int m) { int a[n]; use(a, 1); { char b[m]; use(b, 2); } return a[1] + less(n); }
int loop(int n)
{
    int sum = 0;
    for (int i = 1; i < n; i++) { short a[i]; use(a, i); sum += a[0]; }
    return sum + less(sum);
}
int early(int n)
{
    if (n < 3) return less(n) + 1;
    int a[n], fixed[40];
    use(a, n); use(fixed, 40);
    if (a[2]) { char b[n * 3]; use(b, a[0]); if (b[0]) return less(b[1]); }
    return a[1] + fixed[3];
}
int chosen(int n, int way)
{
    void *room = way ? alloca(n) : 0;
    switch (way) {
    case 0: use(&n, 0); break;
    case 1: room = alloca(2 * n); use(room, 1); break;
    case 2: use(room, less(2)); break;
    case 3: use(alloca(n + 5), 3); break;
    case 4: use(room, less(n)); /* and on */
    default: use(room, 5);
    }
    return less(n) + way;
}
int large(int n) { int fixed[3000], a[n]; use(fixed, 1); use(a, 2); return fixed[9] + a[0]; }
int six(int a, int b, int c, int d, int e, int f);
int passes(int n) { int a[n]; use(a, 1); return six(1, 2, 3, 4, a[0], a[1]) + less(1); }
int varied(int n, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, n);
    int a[n];
    use(a, __builtin_va_arg(list, int));
    return a[0] + less(2);
}
void stops(int n) { int a[n]; use(a, n); if (a[0]) leave(); use(a, 1); }
int leaf(int n) { volatile char a[n]; a[0] = 1; return a[0]; }
#endif
int plain(int n) { return less(n) + less(n + 1); }
int saves(int a, int b, int c, int d)
{
    int sum = a;
    for (int i = 0; i < b; i++) sum += less(c * i) * less(d + i) - less(sum ^ a) * less(b) + c;
    return sum + a + b + c + d;
}
void use(void *p, int n) { ((volatile char *)p)[n] = 1; }
int less(int a) { volatile int b = a; return b; }
int six(int a, int b, int c, int d, int e, int f) { return less(a + b + c + d + e + f); }
void leave(void) { for (;;) { } }
int main(void)
{
#ifdef NONE
    return plain(5) + saves(1, 2, 3, 4);
#else
    return array(1) + two(2, 3) + loop(4) + early(5) + chosen(6, 7) + large(8) + passes(9) +
           varied(2, 3) + leaf(4) + plain(5) + saves(1, 2, 3, 4) + (stops(6), 7);
#endif
}
"""
UNWINDER = r"""
#include <unwind.h>
struct _Unwind_Exception exception;
_Unwind_Reason_Code trace(struct _Unwind_Context *context, void *p) { return context == p; }
int calls(int n);
int raises(int n) { return _Unwind_RaiseException(&exception) + calls(n); }
int again(int n) { return _Unwind_Resume_or_Rethrow(&exception) + calls(n); }
int resumes(int n) { calls(n); _Unwind_Resume(&exception); }
#ifdef TWICE
int twice(int n) { return _Unwind_RaiseException(&exception) - calls(n); }
#endif
#ifdef POINTER
_Unwind_Reason_Code (*pointer)(struct _Unwind_Exception *) = _Unwind_RaiseException;
#endif
#ifdef LOADED
int calls(int n) { return n * (int)_Unwind_RaiseException; }
#else
int calls(int n) { return n * 2; }
#endif
#ifdef TAIL
int tail(void) { return _Unwind_RaiseException(&exception); }
#endif
#ifdef MAIN
int main(void) { _Unwind_RaiseException(&exception); _Unwind_Resume(&exception); }
#else
int main(void)
{
    _Unwind_Backtrace(trace, 0);
    return raises(1) + again(2) + resumes(3);
}
#endif
void *malloc(__SIZE_TYPE__ n) { return (void *)n; }
void free(void *p) { *(char *)p = 0; }
void abort(void) { for (;;) { } }
void *memcpy(void *to, const void *from, __SIZE_TYPE__ n)
{
    for (char *a = to; n > 0; n--) a[n - 1] = ((const char *)from)[n - 1];
    return to;
}
void *memset(void *to, int c, __SIZE_TYPE__ n)
{
    for (char *a = to; n > 0; n--) a[n - 1] = (char)c;
    return to;
}
__SIZE_TYPE__ strlen(const char *s) { __SIZE_TYPE__ n = 0; while (s[n]) n++; return n; }
"""
# The functions in which the return address is never known.
UNKNOWN_ARM = {"__gnu_Unwind_RaiseException", "__gnu_Unwind_Resume", "_Unwind_Resume"}
UNREACHED_ARM = {"_Unwind_Resume"}  # what is behind its last call, which does not return
UNKNOWN_RISCV = {"_Unwind_RaiseException", "_Unwind_Resume_or_Rethrow", "_Unwind_ForcedUnwind",
                 "_Unwind_Resume"}
MACHINES = {
    "thumb1": ("arm-none-eabi-gcc", "-mcpu=cortex-m0", "-mthumb"),
    "thumb2": ("arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb"),
    "a32": ("arm-none-eabi-gcc", "-mcpu=arm926ej-s", "-marm"),
    "t32": ("arm-none-eabi-gcc", "-mcpu=arm7tdmi", "-mthumb"),
    "riscv": ("riscv64-unknown-elf-gcc", "-march=rv32imac", "-mabi=ilp32"),
}


class Frames(unittest.TestCase):
    def build(self, compiler, *flags, program=SOURCE):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        source, elf = (os.path.join(folder.name, name) for name in ("fw.c", "fw.elf"))
        with open(source, "w", encoding="ascii") as file:
            file.write(program)
        subprocess.run([compiler, *flags, "-g", "-ffreestanding", "-fno-inline", "-nostdlib",
                        "-fno-ipa-cp", "-fno-ipa-sra", "-Wl,-Ttext=0x1000", "-Wl,-e,main",
                        "-o", elf, source, "-lgcc"], check=True, stderr=subprocess.DEVNULL)
        return elf

    def test_all(self):
        for name, machine in MACHINES.items():
            for optimise in ("-O0", "-Os", "-O2", "-Os -fno-omit-frame-pointer"):
                with self.subTest(name + " " + optimise):
                    self.check(self.build(*machine, *optimise.split()))

    def check(self, elf):
        calls, based, unknown, wrong = frames.compare(elf)
        self.assertEqual(wrong, [])
        self.assertEqual(unknown, 0)
        self.assertGreater(calls, 30)
        self.assertGreater(based, 15)

    def unwinder(self, name, *flags):
        """Returns an ELF with libgcc's unwinder, what the table says of it, and of which of its
        functions something is unknown."""
        elf = self.build(*MACHINES[name], "-Os", "-fexceptions", *flags, program=UNWINDER)
        self.assertEqual(frames.compare(elf)[3], [])
        table = frames.output(frames.PROGRAM, "unwind", "-v", "--table", elf)
        unknown = set(re.findall(r"bytes unknown  (\w*[Uu]nwind\w*|uw_\w+)$", table, re.M))
        return elf, table, {each for each in unknown if not each.endswith("_from_thumb")}

    def test_unwinder(self):
        """The functions of libgcc's unwinder, called from several places."""
        for name in MACHINES:
            with self.subTest(name):
                _, table, unknown = self.unwinder(name, "-DTWICE", "-DMAIN")
                self.assertEqual(unknown, UNKNOWN_RISCV if name == "riscv" else UNKNOWN_ARM)
                self.assertRegex(table, r" [12]  _*Unwind_Backtrace\n")
                self.assertRegex(table, r" \d+  (1|1,2|2|2,\d+)  _*Unwind_RaiseException\n")

    def test_unwinder_of_one_caller(self):
        """Rows go past the frames of functions that alone call those of the unwinder. T32 calls
        them by veneers of the linker's."""
        for name in MACHINES.keys() - {"riscv", "t32"}:
            with self.subTest(name):
                elf, table, unknown = self.unwinder(name)
                self.assertEqual(unknown, UNREACHED_ARM)
                code = frames.output("arm-none-eabi-objdump", "-d", elf)
                for caller, called in (("raises", "_Unwind_RaiseException"),
                                       ("again", "_Unwind_Resume_or_Rethrow"),
                                       ("resumes", "_Unwind_Resume")):
                    at = re.search(rf"([0-9a-f]+):.*\tblx?\t.*<_*{called}\b", code)
                    row = re.search(rf"(\d+)  1(?:,\w+)?@([0-9a-f]+)  _*{called}$", table, re.M)
                    self.assertEqual(int(row[2], 16), int(at[1], 16) + 4)
                    frame = int(re.search(rf" (\d+)  1(?:,\d+)?  {caller}$", table, re.M)[1])
                    self.assertEqual(int(row[1]), 72 + frame)

    def test_unwinder_whose_caller_is_not_known(self):
        """What is called in another way, too, or from where no frame is known."""
        for name in MACHINES.keys() - {"riscv"}:
            for flag in ("-DTWICE", "-DPOINTER", "-DLOADED", "-DTAIL", "-DMAIN"):
                with self.subTest(name + flag):
                    loads = "-mslow-flash-data" if name == "thumb2" else "-Os"  # by MOVW, MOVT
                    _, table, unknown = self.unwinder(name, flag, loads)
                    self.assertIn("__gnu_Unwind_RaiseException", unknown)
                    self.assertNotRegex(table, "@.*Unwind_RaiseException")

    def test_without(self):
        """The frame pointer is not tracked if no frame uses it."""
        for machine in MACHINES.values():
            elf = self.build(*machine, "-O0", "-DNONE")
            self.assertEqual({(row[0], row[3]) for row in frames.rows(elf).values()},
                             {("sp", "0")})
            self.assertEqual(frames.compare(elf)[1:], (0, 0, []))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: MIT
"""Attacks the walk of call paths: programs that were once told wrong, and a new random one of each
class. attack.py has more of each, on all boards."""
import os
import unittest

import attack
import generate

SAMPLES, NEW_SAMPLES = 600, 250
NEW_BOARD = "mps2-an385"
RANDOM_SEED = os.environ.get("SEED") or "1"  # `make attack` takes a new one each time
UNDECIDED_FEW = 3  # samples of a short run that the log may leave open


class Attack(unittest.TestCase):
    def check(self, board, label, recipe, samples):
        program, _, found = attack.attack(board, label, recipe, samples)
        told = f"{board} {label}, {recipe.says()}, SEED={RANDOM_SEED}: " + "\n".join(
            [str({name: getattr(found, name) for name in found.NAMES}), *found.examples[:9]])
        self.assertGreater(found.samples, samples - 1, told)
        self.assertEqual(found.wrong, 0, told)
        self.assertLessEqual(found.undecided,
                             max(UNDECIDED_FEW, attack.UNDECIDED_MOST * found.samples), told)
        return found

    def check_case(self, names, *flags, boards=("microbit", "mps2-an385"), **more):
        files = {"attack.c": generate.SUPPORT}
        for name in names.split():
            with open(f"{attack.FOLDER}/cases/{name}", encoding="ascii") as file:
                files[name] = file.read()
        for board in boards:
            with self.subTest(board=board):
                self.check(board, names.split(".")[0], generate.Recipe(files, list(flags), **more),
                           SAMPLES)

    def test_variable_arrays_of_two_callers(self):
        self.check_case("alias.c", "-Os", "-g")

    def test_variable_arrays_in_recursion(self):
        self.check_case("vrec.c", "-Os", "-g")

    def test_variable_arrays_by_clang(self):
        self.check_case("vrec.c", "-Os", "-g", boards=["microbit"], clang=True)

    def test_variable_arrays_on_riscv(self):
        self.check_case("vrec.c", "-O2", "-g", boards=["virt"])

    def test_call_in_ram_that_collides(self):
        self.check_case("ramalias.c ramalias_twins.S", "-Os", "-g", collide=("ramret", "twinret"))

    def test_outlined_ends(self):
        self.check_case("outlined.S", "-g")

    def test_outlined_ends_on_riscv(self):
        self.check_case("outlined_riscv.S", "-g", boards=["virt"])

    def test_new_programs(self):
        print(f"SEED={RANDOM_SEED}")
        for name in generate.CLASSES:
            with self.subTest(name=name):
                rng = attack.seeded(RANDOM_SEED, NEW_BOARD, name, 0)
                self.check(NEW_BOARD, f"new-{name}", generate.make(name, rng, NEW_BOARD),
                           NEW_SAMPLES)


if __name__ == "__main__":
    unittest.main()

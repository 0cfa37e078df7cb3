# SPDX-License-Identifier: MIT
"""Attacks the walk of call paths: programs that were once told wrong, and a new random one of each
class. attack.py has more of each, on all boards."""
import os
import unittest

import attack
import generate
import shares

SAMPLES, NEW_SAMPLES = 600, 250
NEW_BOARD = "mps2-an385"
RANDOM_SEED = os.environ.get("SEED") or "1"  # `make attack` takes a new one each time
WITHIN_FEW = 90  # per cent of the few shares of a short run hold
UNDECIDED_FEW = 3  # samples of a short run that the log may leave open


class Attack(unittest.TestCase):
    def check(self, board, label, recipe, samples):
        program, truth, found = attack.attack(board, label, recipe, samples)
        told = f"{board} {label}, {recipe.says()}, SEED={RANDOM_SEED}: " + "\n".join(
            [str({name: getattr(found, name) for name in found.NAMES}), *found.examples[:9]])
        self.assertGreater(found.samples, samples - 1, told)
        self.assertEqual(found.wrong, 0, told)
        self.assertLessEqual(found.undecided,
                             max(UNDECIDED_FEW, attack.UNDECIDED_MOST * found.samples), told)
        return program, truth, found

    def check_case(self, names, *flags, boards=("microbit", "mps2-an385"), missed=1, then=None,
                   **more):
        """`missed`: the share of the samples that may be unsure or cut; then: checks more of what
        check() returns."""
        files = {"attack.c": generate.SUPPORT}
        for name in names.split():
            with open(f"{attack.FOLDER}/cases/{name}", encoding="ascii") as file:
                files[name] = file.read()
        for board in boards:
            with self.subTest(board=board):
                came = self.check(board, names.split(".")[0],
                                  generate.Recipe(files, list(flags), **more), SAMPLES)
                self.assertLessEqual(came[-1].missed(), missed, came[-1].places)
                if then:
                    then(*came)

    def test_variable_arrays_of_two_callers(self):
        self.check_case("alias.c", "-Os", "-g")

    def test_variable_arrays_in_recursion(self):
        self.check_case("vrec.c", "-Os", "-g")

    def test_variable_arrays_by_clang(self):
        self.check_case("vrec.c", "-Os", "-g", boards=["microbit"], clang=True)

    def test_variable_arrays_on_riscv(self):
        self.check_case("vrec.c", "-O2", "-g", boards=["virt"])

    def test_variable_arrays_in_thumb_on_an_arm9(self):
        self.check_case("vrec.c", "-Os", "-g", "-mthumb", boards=["versatilepb"], missed=0.03)

    def test_call_in_ram_that_collides(self):
        self.check_case("ramalias.c ramalias_twins.S", "-Os", "-g", collide=("ramret", "twinret"))

    def test_outlined_ends(self):
        self.check_case("outlined.S", "-g")

    def test_outlined_ends_on_riscv(self):
        self.check_case("outlined_riscv.S", "-g", boards=["virt"])

    def check_hidden(self, program, truth, found):
        """A total may be too low by what is unsure, where that may be below; none is too high."""
        rows = shares.rows(program, truth)
        self.assertGreater(found.unsure, 0.3 * found.samples)
        for name, row in rows.items():
            self.assertLess(row.said_whole - row.whole, 4 * row.chance, name)
            self.assertLess(row.whole - row.said_whole, row.whole_error + 4 * row.chance, name)
        self.assertLess(rows["most"].said_whole, rows["most"].whole / 2)
        for name in ("other", "spin", "hidden"):
            self.assertAlmostEqual(rows[name].whole_error, rows[name].chance, places=4)

    def test_unsure_samples_in_one_place(self):
        self.check_case("hidden.c hidden_kept.S", "-Os", "-g", then=self.check_hidden)

    def test_landing_pads(self):
        self.check_case("pads.cpp", "-O1", "-g0", boards=("mps2-an385", "versatilepb"), missed=0.03)

    def test_new_programs(self):
        print(f"SEED={RANDOM_SEED}")
        told = shares.Shares()
        for name in generate.CLASSES:
            with self.subTest(name=name):
                rng = attack.seeded(RANDOM_SEED, NEW_BOARD, name, 0)
                *_, found = self.check(NEW_BOARD, f"new-{name}",
                                       generate.make(name, rng, NEW_BOARD), NEW_SAMPLES)
                told.add(found.shares)
        for kind in ("totals", "selfs"):
            self.assertGreater(told.within(kind), WITHIN_FEW, told.says())
        self.assertEqual(told.wide, 0)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: MIT
"""The CMSIS-Pack: it contains exactly what its description lists, and compiles from that alone."""
import glob
import os
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree
import zipfile


class Pack(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        subprocess.run(["packaging/cmsis/make-pack", self.folder], check=True, timeout=180)
        packs = os.listdir(self.folder)
        self.assertRegex(packs[0], r"^mcuprof\.mcuprof\.\d+\.\d+\.\d+\.pack$")
        with zipfile.ZipFile(f"{self.folder}/{packs[0]}") as pack:
            pack.extractall(self.folder)
        self.root = xml.etree.ElementTree.parse(f"{self.folder}/mcuprof.mcuprof.pdsc").getroot()

    def listed(self, group, *categories):
        return [file.get("name") for part in self.root.find("components")
                if part.get("Cgroup") == group for file in part.find("files")
                if file.get("category") in categories]

    def test_files(self):
        version = self.root.find("releases/release").get("version")
        told = subprocess.run(["build/mcuprof", "--version"], capture_output=True, text=True,
                              check=True).stdout
        self.assertIn(version, told)
        for file in self.root.iter("file"):
            self.assertTrue(os.path.exists(f"{self.folder}/{file.get('name')}"), file.get("name"))
        sources = set(self.listed("mcuprof", "sourceC", "sourceAsm"))
        self.assertEqual(sources, {*glob.glob("target/core/*.c"), "target/template/mcuprof_board.c",
                                   *glob.glob("target/arch/cortex-m/*.[cS]")})

    def test_it_compiles_from_the_pack_alone(self):
        includes = [f"-I{self.folder}/{path}" for path in self.listed("mcuprof", "include")]
        template = "target/template/mcuprof_board.c"  # it tells the user what to write
        sources = [path for path in self.listed("mcuprof", "sourceC", "sourceAsm")
                   if path != template] + ["target/link/pl011.c"]
        self.assertIn(sources[-1], self.listed("mcuprof link", "sourceC"))
        made = subprocess.run(
            ["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-Os", "-Werror", *includes,
             "-DMCUPROF_TIMER_HZ=1000000", "-DMCUPROF_LINK_ADDRESS=0x40000000", "-c",
             *(f"{self.folder}/{path}" for path in sources)],
            cwd=self.folder, capture_output=True, text=True, check=False, timeout=120)
        self.assertEqual(made.returncode, 0, made.stderr)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: MIT
"""Tells what -l must find where GNU gprof crashes. GNU addr2line asks BFD for each address as GNU
gprof does. BFD's answers depend on earlier questions, so addresses are asked in the same order:
each function, then all of .text twice."""
import re
import subprocess

import images


def tool(name, program):
    found = program.replace("gprof", name)
    images.need(found)
    return found


def function_addresses(program, image):
    """Returns the functions' addresses in the order of the symbol table."""
    text = subprocess.run([tool("nm", program), "-p", image], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    rows = [line.split() for line in text.splitlines()]
    return [int(row[0], 16) for row in rows if len(row) == 3 and row[1] in "tTwW"
            and "$" not in row[2] and not (row[1] == "t" and re.search(r"\.(?!\d)", row[2]))]


def answers(program, image, addresses):
    """Returns (file, line, name) of each address; None for what is unknown."""
    text = "\n".join(f"{address:#x}" for address in addresses) + "\n"
    done = subprocess.run([tool("addr2line", program), "-f", "-e", image], input=text, check=True,
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          encoding="latin-1", timeout=120)
    lines = done.stdout.split("\n")
    for name, place in zip(lines[0::2], lines[1::2]):
        place = re.sub(r" \(discriminator \d+\)$", "", place)
        file, line = place.rsplit(":", 1)
        known = name != "??" and file != "??" and line.isdigit() and line != "0"
        yield (file, int(line), name) if known else None


def line_labels(program, image, low, high):
    """Returns {address: (file, line, name)} for each address where the answer changes in the
    second round."""
    functions = function_addresses(program, image)
    walk = list(range(low, high))
    found = list(answers(program, image, functions + walk + walk))[len(functions) + len(walk):]
    labels, last = {}, None
    for address, answer in zip(walk, found):
        if answer and answer != last:
            labels[address] = last = answer
    return labels


def lines_agree(place):
    """Whether our list of lines has GNU gprof's functions (without a last one behind .text, which
    -l drops) and between them addr2line's lines. An untyped label may have either name; other
    programs judge that."""
    def listed(side, *options):
        done = place.run(side, ["-b", "-C", "-z", *options, "prog", "bsd.gmon"])
        return listing(done.stdout.decode("latin-1"))

    elf = images.elf(place.name)
    functions = listed("gnu")
    if functions and max(functions) >= elf.high:
        functions.pop(max(functions))
    labels = line_labels(place.judge, place.image, elf.low, elf.high)
    ours = listed("ours", "-l")
    for address in functions.keys() & labels.keys():
        typed = functions[address][2] in elf.names.get(address, ())
        if not typed and ours.get(address) == labels[address]:
            functions[address] = labels[address]
    return {**labels, **functions} == ours


def listing(text):
    """Returns {address: (file, line, name)} from the output of -C -z."""
    rows = re.findall(r"(?m)^(.*):(\d+): \((.*):0x([0-9a-f]+)\) \d+ executions$", text)
    return {int(address, 16): (file, int(line), name) for file, line, name, address in rows}

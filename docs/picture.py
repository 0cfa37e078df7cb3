#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws terminal text (standard input, with colours) as an SVG (standard output):

    make demo
    COLUMNS=92 build/mcuprof report --color always -e build/firmware/microbit/blinky.elf \\
        build/firmware/microbit/blinky.mprof | docs/picture.py > docs/report.svg

and docs/annotate.svg, of a terminal of 104 columns:

    make capture EXAMPLE=inlined KNOBS=-DMCUPROF_SAMPLE_HZ=8000
    build/mcuprof annotate --color always --focus sum --source-map "$PWD=." \\
        -e build/firmware/microbit/inlined.elf build/firmware/microbit/inlined.mprof
"""
import html
import re
import sys

CHARACTER, LINE, MARGIN = 8.43, 18, 16
COLOURS = {"31": "#f28b82", "32": "#a8d8a0", "33": "#e8c872", "34": "#8ab4f8",
           "35": "#d7aefb", "36": "#81d4d4"}


def spans(line):
    """(text, SVG attributes) of a line, by its SGR codes."""
    style = {}
    for code, text in re.findall(r"(?:\x1b\[([\d;]*)m)|([^\x1b]+)", line):
        if text:
            yield text, " ".join(f'{key}="{value}"' for key, value in style.items())
            continue
        for part in (code or "0").split(";"):
            if part == "0":
                style = {}
            elif part == "1":
                style["font-weight"] = "bold"
            elif part == "2":
                style["fill"] = "#8a9099"
            elif part in COLOURS:
                style["fill"] = COLOURS[part]


def main():
    lines = sys.stdin.read().rstrip("\n").split("\n")
    plain = [re.sub(r"\x1b\[[\d;]*m", "", line) for line in lines]
    width = round(max(map(len, plain)) * CHARACTER + 2 * MARGIN)
    height = len(lines) * LINE + 2 * MARGIN
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
          f'viewBox="0 0 {width} {height}">')
    print("<style>text { white-space: pre }</style>")
    print('<rect width="100%" height="100%" rx="8" fill="#1d2026"/>')
    print('<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" '
          'fill="#e4e6ea">')
    for number, line in enumerate(lines):
        parts, column = [], 0
        for text, attributes in spans(line):
            if text.strip():
                x = MARGIN + column * CHARACTER
                parts.append(f'<tspan x="{x:.1f}" {attributes}>{html.escape(text)}</tspan>')
            column += len(text)
        if parts:
            print(f'<text y="{MARGIN + (number + 0.75) * LINE:.1f}">{"".join(parts)}</text>')
    print("</g>\n</svg>")


if __name__ == "__main__":
    main()

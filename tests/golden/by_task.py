# SPDX-License-Identifier: MIT
"""Reads exports by task in the way of the programs for which they are made."""

import json
import re

from elves import run


def frames(dot):
    """Reads a call graph in graphviz' language: {the frame's label: ({its functions: their labels},
    sorted [(caller, callee, label)])}."""
    graph = json.loads(run("dot", "-Tjson0", stdin=dot).stdout)
    objects = graph["objects"]
    lines = [[text.strip() for text in o.get("label", "").split("\\n")] for o in objects]
    found = {}
    for frame in objects:
        if not frame["name"].startswith("cluster"):
            continue
        edges = sorted((lines[edge["tail"]][0], lines[edge["head"]][0], edge["label"])
                       for edge in graph.get("edges", ()) if edge["tail"] in frame["nodes"]
                       and edge.get("style") != "invis")
        label = frame["label"].replace("\\n", ": ")
        assert label not in found, label
        found[label] = ({lines[n][0]: lines[n][1:] for n in frame["nodes"]}, edges)
    return found


def annotated(callgrind, *options):
    """Returns {(function, object): cost} as callgrind_annotate prints it, and the total."""
    done = run("callgrind_annotate", "--threshold=100", "--auto=no", *options, callgrind)
    assert not done.stderr, done.stderr
    text = done.stdout.decode()
    costs = re.findall(r"^ *([\d,]+) +\(.*?\) +[^:]*:(.*) \[(.*)\]$", text, re.M)
    total = re.search(r"([\d,]+).* PROGRAM TOTALS", text)
    return ({(name, task): int(cost.replace(",", "")) for cost, name, task in costs},
            int(total[1].replace(",", "")))


def call_counts(callgrind):
    """Returns {object: {(caller, callee): count}} with names without their contexts."""
    found, task, caller, callee = {}, None, None, None
    with open(callgrind, encoding="utf-8") as lines:
        for line in lines:
            key, _, value = line.rstrip("\n").partition("=")
            name, _, context = value.partition("'")
            if key == "ob":
                task = value
                assert task not in found, task
                found[task] = {}
            elif key == "fn":
                caller = name
            elif key == "cfn":
                callee = name
            if key in ("fn", "cfn"):
                assert context == task, line
            if key == "calls":
                pair = caller, callee
                found[task][pair] = found[task].get(pair, 0) + int(value.split()[0])
    return found

# SPDX-License-Identifier: MIT
"""What each command and export says of a capture, read by its own format: {function: Shares}."""
import collections
import csv
import html
import io
import json
import re
import subprocess
import typing

MCUPROF = "build/mcuprof"
INLINED = " (inlined)"
ROOTS = ("[profiler]", "[unknown]", "[cut]", "[unsure]")


class Shares(typing.NamedTuple):
    """A function's own and whole part of the program's time, in per cent, with the errors that
    are said of them; None: this format does not say it."""
    own: float
    own_error: typing.Optional[float] = None
    whole: typing.Optional[float] = None
    whole_error: typing.Optional[float] = None


def export(program, form, *options):
    out = f"{program.capture}.{form}"
    subprocess.run([MCUPROF, "export", "-e", program.elf, "--to", form, *options, "-o", out,
                    program.capture], check=True, timeout=120)
    return out


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def added(rows):
    """Adds up rows of functions of one name: (name, Shares). An error is the root of the sum of
    squares."""
    found = {}
    for name, shares in rows:
        old = found.get(name)
        if old:
            shares = Shares(*(
                None if a is None or b is None else (a * a + b * b) ** 0.5 if at % 2 else a + b
                for at, (a, b) in enumerate(zip(old, shares))))
        found[name] = shares
    return found


def of_counts(own, whole=None):
    """Makes shares of counts by function, which are without the profiler's."""
    everything = sum(own.values())
    return {name: Shares(100 * own[name] / everything, None,
                         None if whole is None else 100 * whole[name] / everything)
            for name in own | (whole or {})}


def plain(name):
    """FILE:NAME is one of several functions of that name."""
    return re.sub(r"^[^: ]+\.\w+:(?!:)", "", name)


def from_json(model):
    """The profiler's own functions have no share of the program."""
    second = 100 / model["program_seconds"]
    rows = []
    for function in model["functions"]:
        if function["overhead"]:
            continue
        error = function["total_error_seconds"]
        rows.append((function["symbol"], Shares(
            function["self_percent"], function["self_error_seconds"] * second,
            function["total_percent"], None if error is None else error * second)))
    return added(rows)


def from_csv(program):
    rows = []
    for row in csv.DictReader(io.StringIO(text_of(export(program, "csv")))):
        if row["overhead"] == "0":
            rows.append((row["name"], Shares(float(row["self_percent"]), None,
                                             float(row["total_percent"]))))
    return added(rows)


def calls_by_csv(program):
    """Returns {function: calls, its own included}."""
    calls = collections.Counter()
    for row in csv.DictReader(io.StringIO(text_of(export(program, "csv")))):
        name = program.facts.functions.called(plain(row["name"]))
        calls[name] += int(row["calls"] or 0) + int(row["self_calls"] or 0)
    return +calls


def from_report(program):
    """The columns: self %, self ms, its error, total %, total ms, its error, function. A share
    that is not measured is "<": below, or missing."""
    text = subprocess.run([MCUPROF, "report", "--flat", "--wide", "-e", program.elf,
                           program.capture], check=True, capture_output=True, text=True,
                          timeout=120).stdout
    row = re.compile(r" *(?:(<) *)?([\d.]+) .*?  (\S+)$")
    found = []
    for line in text[text.index("Flat profile"):].splitlines():
        match = row.match(line)
        if match and not match[1]:
            found.append((match[3], Shares(float(match[2]))))
    return added(found)


def physical(frames):
    """Leaves out what was expanded inline: it is a part of the function before it."""
    return [frame for frame in frames if not frame.endswith(INLINED)]


def from_stacks(stacks):
    """`stacks`: (functions from the outermost, count)."""
    own, whole = collections.Counter(), collections.Counter()
    for frames, count in stacks:
        if frames[0] == "[profiler]":
            continue
        frames = [frame for frame in physical(frames) if frame not in ROOTS]
        if frames:
            own[frames[-1]] += count
            for frame in set(frames):
                whole[frame] += count
    return of_counts(own, whole)


def from_folded(program):
    lines = text_of(export(program, "folded")).splitlines()
    split = [line.rpartition(" ") for line in lines]
    return from_stacks([(frames.split(";"), int(count)) for frames, _, count in split])


def from_speedscope(program):
    told = json.loads(text_of(export(program, "speedscope")))
    names = [frame["name"] for frame in told["shared"]["frames"]]
    return from_stacks([([names[at] for at in frames], weight) for profile in told["profiles"]
                        for frames, weight in zip(profile["samples"], profile["weights"])])


def from_firefox(program):
    told = json.loads(text_of(export(program, "firefox")))
    shared = told["shared"]
    stacks, functions = shared["stackTable"], shared["frameTable"]["func"]

    def frames(at):
        found = []
        while at is not None:  # from the leaf outwards
            name = shared["funcTable"]["name"][functions[stacks["frame"][at]]]
            found.append(shared["stringArray"][name])
            at = stacks["prefix"][at]
        return found[::-1]

    return from_stacks([(frames(at), weight) for thread in told["threads"] for at, weight in zip(
        thread["samples"]["stack"], thread["samples"]["weight"]) if at is not None])


def from_flamegraph(program):
    """Each frame is `n` samples wide; what no frame above it covers is its own."""
    frame = re.compile(r'<g class="f" data-name="([^"]*)" data-x="(\d+)" data-n="(\d+)" '
                       r'data-d="(\d+)">')
    boxes = sorted((int(x), int(depth), int(n), html.unescape(name)) for name, x, n, depth in
                   frame.findall(text_of(export(program, "flamegraph"))))
    stacks, under = [], []  # under: names, ends and the index of the stack of what lies below
    for x, _, n, name in boxes:
        while under and under[-1][1] <= x:
            under.pop()
        if under:
            stacks[under[-1][2]][1] -= n
        under.append((name, x + n, len(stacks)))
        stacks.append([[each for each, *_ in under], n])
    return from_stacks(stacks)


def from_dot(program):
    """A function that calls nothing has one share, which is both."""
    node = re.compile(r'^ *f\d+ \[label="(.*?)(?:\\n[^"\\]+:\d+)?\\n(?:self )?([\d.]+) %, [^"\\]*'
                      r'(?:\\ntotal ([\d.]+) %)?', re.M)
    return added((name, Shares(float(own), None, float(whole or own))) for name, own, whole in
                 node.findall(text_of(export(program, "dot", "--limit", "0"))))


def from_html(program):
    """The table of functions, of the data in the page."""
    out = f"{program.capture}.html"
    subprocess.run([MCUPROF, "html", "-e", program.elf, "-o", out, program.capture], check=True,
                   stderr=subprocess.DEVNULL, timeout=120)  # it misses sources
    table = json.loads(re.search(r'<script id="functions" type="application/json">(.*?)</script>',
                                 text_of(out), re.S)[1])
    rows = [dict(zip(table["columns"], row)) for row in table["rows"]]
    own, whole = collections.Counter(), collections.Counter()
    for row in rows:
        if not row["overhead"]:
            own[row["name"]] += row["self"]
            whole[row["name"]] += row["total"]
    return of_counts(own, whole)


def from_callgrind(program):
    """Self time: the lines of figures that no `calls=` is before."""
    names, own, function, called = {}, collections.Counter(), None, False
    for line in text_of(export(program, "callgrind")).splitlines():
        name = re.match(r"fn=(?:(\(\d+\))\s*)?(.*)", line)
        if name:
            if name[1] and name[2]:
                names[name[1]] = name[2]
            function = names.get(name[1]) or name[2]
        elif line.startswith("calls="):
            called = True
        elif function and re.match(r"[+*-]?\d* ?\d+", line):
            if not called:
                own[function] += int(line.split()[-1])
            called = False
    return of_counts(own)


def from_gprof(program, tools, known):
    """Samples by function as GNU gprof prints them, of `known` functions: it does not tell those
    of the profiler. It prints two decimals of a second, so the rate is said to be 1 Hz."""
    called = program.facts.functions.called
    gmon = export(program, "gmon")
    order = "big" if "sparc" in tools else "little"
    with open(gmon, "r+b") as file:
        data, at = bytearray(file.read()), 20
        while at < len(data) and data[at] == 0:  # histograms come first
            data[at + 13:at + 17] = (1).to_bytes(4, order)
            at += 33 + 2 * int.from_bytes(data[at + 9:at + 13], order)
        file.seek(0)
        file.write(data)
    text = subprocess.run([tools + "gprof", "-b", "-p", program.elf, gmon], check=True,
                          capture_output=True, text=True, timeout=120).stdout
    own = collections.Counter()
    for line in text.splitlines():
        row = re.match(r" *[\d.]+ +[\d.]+ +([\d.]+) .*?(\S+)$", line)
        if row and called(row[2]) in known:
            own[called(row[2])] += float(row[1])
    return of_counts(own)


def message(text):
    """Reads what protoc prints: a list of (field, value), where a value may be such a list."""
    stack = [[]]
    for line in text.splitlines():
        word = line.strip()
        if word.endswith("{"):
            stack.append([])
            stack[-2].append((word[:-1].strip(), stack[-1]))
        elif word == "}":
            stack.pop()
        else:
            field, _, value = word.partition(": ")
            stack[-1].append((field, value))
    return stack[0]


def values(fields, name):
    return [value for field, value in fields if field == name]


def from_pprof(program):
    with subprocess.Popen(["zcat", export(program, "pprof")], stdout=subprocess.PIPE) as packed:
        profile = message(subprocess.run(
            ["protoc", "--decode=pprof.Profile", "-Ihost/export", "pprof.proto"],
            stdin=packed.stdout, check=True, capture_output=True, text=True, timeout=120).stdout)
    texts = [text.strip('"') for text in values(profile, "string_table")]
    functions = {values(each, "id")[0]: texts[int(values(each, "name")[0])]
                 for each in values(profile, "function")}
    places = {  # the last line is the function; those before are inlined into it
        values(each, "id")[0]: functions[values(values(each, "line")[-1], "function_id")[0]]
        for each in values(profile, "location")}
    return from_stacks([([places[at] for at in reversed(values(sample, "location_id"))],
                         int(values(sample, "value")[0]))
                        for sample in values(profile, "sample")])


def views(program, model, tools, known):
    """Returns {format: {function: Shares}} of all formats that hold times of functions; `known`:
    the functions of the program. Of a place with several names each format may choose another:
    they become the one that the truth has."""
    found = {"json": from_json(model), "csv": from_csv(program), "report": from_report(program),
             "folded": from_folded(program), "pprof": from_pprof(program),
             "speedscope": from_speedscope(program), "firefox": from_firefox(program),
             "flamegraph": from_flamegraph(program), "html": from_html(program),
             "gprof": from_gprof(program, tools, known)}
    if model["stacks"]:
        found["callgrind"] = from_callgrind(program)
        found["dot"] = from_dot(program)
    called = program.facts.functions.called
    return {form: added((called(plain(name)), each) for name, each in shares.items())
            for form, shares in found.items()}

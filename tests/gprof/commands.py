# SPDX-License-Identifier: MIT
"""The command lines: every option alone, in useful pairs, and with every kind of profile."""

SYMBOL_TABLE = """\
BASE00 t first_of_table
0xBASE20 T second_of_table of no use
BASE30 d not_code
BASE40 T third
BASE70 W weak
BASE80 t fourth
BASEc0 T beforelast
END T last
"""


def split(text):
    return [line.split() for line in text.strip().splitlines()]


# They name functions of start.c and files; filled() replaces {words}.
OUTPUT = [[]] + split("""
-p
-q
-p -q
-pbeta
-palpha -pbeta
-Pbeta
-P
-pmcount
-pnobody
-Pnobody
-p -Pbeta
-qping
-qbeta
-qmain/beta
-q/beta
-qmain/
-Qbeta
-Qping
-Qmain/beta
-Q/alpha
-Q
-qred -Qgreen
-Bgreen
-B
-C
-C -z
-Cbeta
-Zbeta
-Z
-Cleaf.c
-i
-i -p
-i -q
-L
-L -l -p
-L -q --inline-file-names
-T
-T -z
-T -p
-T -q
-T -l
-T -C
-T -A
-w 40
-w 0
-w 200
-w -7
-w 79 -T
-z
-z -p
-z -q
-z -C -l
-p -p -q -z
--flat-profile
--flat-profile=beta
--graph=pong
--gr=pong
--no-flat-profile
--no-graph=pong
--exec-counts
--brief
--width=30
""")
ORDERS = split("""
-r
-r -z
--function-ordering
-r -k main/beta
-r -q
-R map
--file-ordering=map
-R map -p
-r -R map
-R nothere
-r -l
""")
SOURCE = split("""
-A
-A -z
-A -x
-A -x -l
-A -l
-A -l -z
-A -t 3
-A -t 0
-A -t -1
-A -t 100 -l
-A -m 5
-A -m 2 -x -l
-A -m 1000000
-Aleaf.c
-Abeta
-Aleaf.c:beta
-Acycles.c -Aleaf.c
-Jleaf.c
-Jbeta
-J
-A -Jparts.h -l
-A -C
-A -q
-A -y
-A -p -y
-y
-y -A -l -x
-A -I /nowhere
-A -I {programs}
-A -I /nowhere:{programs} -l
-A -L
-A -i
--annotated-source=leaf.c --all-lines
--annotated-source --table-length=2 --min-count=3
-x
-A -T -x
-A -D
-A -a
-A -p -q -C
""")
ANALYSIS = split("""
-a
-a -q
-a -l -p
-a -D
-D
-D -l
-D -z
-k main/beta
-k /beta
-k main/
-k beta
-k red/green -k green/red
-k ping/pong -r
-k nobody/beta
-l
-l -p
-l -q
-l -C
-l -T
-l -z
-l -L -C
-l -A -C -p -q
-l --inline-file-names
--inline-file-names
--inline-file-names -p
--inline-file-names -q -z
--inline-file-names -T
-nbeta
-n ping
-n main -n red
-Nbeta
-N ping
-N red -q
-n alpha -N beta
-n nobody
--time=pong
--no-time=pong
-e beta
-E beta
-f beta
-F beta
-e ping
-E red
-f ping
-F red
-F self -E delta
-f main -e beta
-e beta -e alpha -q
-E beta -T
-e nobody
-f nobody
-S table
-S table -p
-S table -l
-S nothere
--external-symbol-table=table -z
-l -a -D
-l -k main/beta
-l -N beta
-l -E beta
-l -f ping
-l -pbeta
-l -qmain/beta
-l -pleaf.c
""")
SPECS = split("""
-pleaf.c
-pleaf.c:beta
-pcycles.c:twin
-p:beta
-pleaf.c:
-p25
-pleaf.c:25
-pleaf.c:25 -l
-p25 -l
-pnothere.c
-pnothere.c:beta
-pleaf.c:nobody
-p.
-p:
-pparts.h -l
-Pleaf.c -l
-qleaf.c
-qstart.c/leaf.c
-Qstart.c:main/leaf.c:beta
-qmain/beta -Qmain/alpha
-q/
-k start.c/
-k start.c:main/leaf.c:beta
-k /leaf.c
-Cleaf.c:beta
-Zcycles.c
-Aleaf.c:25
-ncycles.c
-Nleaf.c:alpha
-e cycles.c
-ftwin
-E twin
-plocal_label
-pnumber.12
-p:number.12
-pglobal.part.5
-p:global.part.5
-pglobal$dollar
-pfrom_cxx
-qfrom_cxx/
-p_ZN5outer5inner5twiceIlEET_S2_
-pouter::inner::twice
""")
NAMES = split("""
--demangle
--demangle=auto
--demangle=gnu-v3
--demangle=none
--demangle=java
--demangle=gnat
--demangle=dlang
--demangle=rust
--demangle=wrong
--demangle=gnu
--no-demangle
--no-demangle -l
--demangle -l
--demangle=none --demangle -p
--no-demangle --demangle=auto -q
""")
MISCELLANEOUS = split("""
-s
-s -p
-s -l
-s -C
-s prog gmon.out gmon.out
-s -a
-s prog both.gmon several.gmon
-s prog gap.gmon
-s prog bsd.gmon
-s prog bsd44.gmon
-s prog huge.gmon huge.gmon
-s prog arcs.gmon
-s prog samples.gmon
-s prog empty.gmon
-s prog blocks.gmon
-s -k main/beta
-i -s
-Oauto
-Omagic
-Om
-Oxyz
-O prof
-Obsd prog bsd.gmon
-Ob prog bsd.gmon
-O4.4bsd prog bsd44.gmon
-O4
-Obsd prog bsd44.gmon
-Omagic prog bsd.gmon
nothere
prog nothere
prog gmon.out nothere
gmon.out
prog prog
prog map
prog table
-p -l prog both.gmon
prog -p both.gmon -q
-bp
-bpq
-pq
-zTp
-bl prog both.gmon -w 20 -p
@arguments
@arguments prog both.gmon
@nothere
-- prog both.gmon
--file-format=bsd prog bsd.gmon
--sum prog both.gmon both.gmon
--file-info prog both.gmon both.gmon
--print-path --line -p
--traditional
--no-static --display-unused-functions
--ignore-non-functions
-Z -J -P -Q
-P -Q
-P -Q -A
-C -P -z
-t x -A
-m -1 -A
-w x
-p -w
-k
--bogus
-?
-W
--fl=beta --no-fl
--no
--time
""")
# These are run with every program.
SHORT = split("""
-p
-q
-z
-T
-l
-l -p
-l -C
-l -q -z
-L -l -p
-C
-C -z
-A
-A -l
-A -l -x
-a
-a -l
-D
-D -l -z
-r
-R map
-s
-E beta
-F red
-k main/beta
-pleaf.c
-pleaf.c:beta
-qcycles.c/leaf.c
--inline-file-names -z
--no-demangle
-p prog random.gmon
-q prog random.gmon
-l prog random.gmon
-r prog random.gmon
-R map prog random.gmon
-T prog random.gmon
-q prog ring.gmon
-C -z prog random.gmon
-q prog tied.gmon
-r prog tied.gmon
-A -z -l -x prog random.gmon
-s prog random.gmon gmon.out
-Nbeta prog random.gmon
""")
# These are run with programs that are linked with libraries: device.c and
# device_parts.c.
LINKED = split("""
-p
-q
-l
-l -p
-l -q -z
-l -a -z
-l -D -C -z
-C -z
-A
-A -x -l -z
-x
-y -A -l
-z
-i
-B
-a
-D -z
-r
-s
-T
-T -l
-L -l -p
-w 40 -q
--inline-file-names -z
--no-demangle -z
--demangle=gnu-v3 -q
--demangle=java -p
--demangle=none -l -p
-pweigh
-pdevice_parts.c
-l -pdevice.c
-qmain/weigh
-E weigh
-F main -q
-k main/weigh
-l -qmain/
-l -k main/qsort -k weigh/
-l -k 51/ -q
-l -k device.c/
-l -k /weigh
-l -q/device_parts.c
-l -Qdevice.c/device_parts.c
-l -p prog coarse.gmon
-A -l prog coarse.gmon
-i -q prog more.gmon gmon.out
-s prog more.gmon gmon.out
-p -q prog gmon.out bsd.gmon
""")
# GNU gprof must find calls in the code for these; for other machines see test_static.py.
STATIC = split("""
-c
-c -q
-c -z -q
-c -l
-c -l -q -z
-c -k main/beta
-c -k /delta
-c -T
-c -C
-c -C -z
-c -p
-c -r
-c -a
-c -D
-c -s
-c -E beta
-c -f main
-c -qmain/beta
-c prog random.gmon
-c -q prog gap.gmon
-c prog arcs.gmon
-c prog samples.gmon
--static-call-graph -z
""")

# Every kind of profile is read in each of these forms.
FORMS = split("""
prog {profile}
-i prog {profile}
-l prog {profile}
-T prog {profile}
-z prog {profile}
-r prog {profile}
-s prog {profile}
""")
KINDS = """both random ring samples zeros one empty old straddle crooked bytes threes shifted
several gap huge tied nocalls rate1 rate1000 rate1e6 rate30000 cycles long
bsd bsd44 bsdpart arcs""".split()
BLOCKS = "blocks zeroblocks".split()
# Several files are summed, or refused.
SUMMED = split("""
prog both.gmon both.gmon
prog both.gmon random.gmon
prog huge.gmon huge.gmon huge.gmon
prog both.gmon arcs.gmon
prog arcs.gmon both.gmon
prog samples.gmon arcs.gmon
prog several.gmon gap.gmon
prog gap.gmon several.gmon
prog both.gmon straddle.gmon
prog both.gmon rate1000.gmon
prog rate1.gmon rate1000.gmon
prog both.gmon cycles.gmon
prog both.gmon long.gmon
prog both.gmon crooked.gmon
prog both.gmon bytes.gmon
prog both.gmon shifted.gmon
prog bsd.gmon bsd.gmon
prog bsd.gmon both.gmon
prog both.gmon bsd.gmon
prog bsd.gmon bsd44.gmon
prog bsd44.gmon bsd.gmon
prog bsd44.gmon bsd44.gmon
prog empty.gmon both.gmon
prog empty.gmon empty.gmon
prog zeros.gmon both.gmon
-i prog both.gmon both.gmon bsd.gmon
-i -p prog both.gmon straddle.gmon
-q prog random.gmon ring.gmon tied.gmon
-r prog random.gmon ring.gmon tied.gmon
-C prog random.gmon ring.gmon
""")


def filled(commands, **words):
    """Returns the commands with {words} replaced."""
    return [[word.format(**words) if "{" in word else word for word in command]
            for command in commands]


def on_profiles(profiles):
    return [command for profile in profiles
            for command in filled(FORMS, profile=f"{profile}.gmon")]


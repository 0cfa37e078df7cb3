/* SPDX-License-Identifier: MIT */
/* mcuprof run --init: writes mcuprof.conf from what lies in the current folder. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../port/system.h"
#include "../port/text.h"
#include "../source/ports.h"
#include "conf.h"
#include "step.h"

#define MAKEFILE "{GNUm,M,m}akefile"

/* How projects are built, told by a file that they have; the first that is there counts:
 * a sketch with a makefile is built by that. `elf` is a pattern. */
static const struct project {
    const char *name, *marker, *build, *flash, *elf;
} projects[] = {
    {"PlatformIO", "platformio.ini", "pio run", "pio run -t upload",
     ".pio/build/*/firmware.elf"},
    {"Zephyr", "prj.conf", "west build", "west flash", "build/zephyr/zephyr.elf"},
    {"CMake", "CMakeLists.txt", "cmake -S . -B build && cmake --build build", NULL,
     "build/*.elf"},
    {"Make", MAKEFILE, "make", NULL, "*.elf"},
    {"Arduino", "*.ino", "arduino-cli compile --output-dir build",
     "arduino-cli upload --input-dir build", "build/*.elf"},
};

/* What puts an ELF on to a board, told by its own file. */
static const struct {
    const char *marker, *flash;
} flashers[] = {
    {"openocd.cfg", "openocd -f openocd.cfg -c \"program $ELF verify reset exit\""},
    {"pyocd.y*ml", "pyocd flash \"$ELF\""},
};

/* Where an ELF may lie of which its project's row says nothing. */
static const char *const elf_patterns[] = {"*.elf", "*/*.elf", "*/*/*.elf",
                                           "*/*/*/*.elf"};
/* And where one whose name does not tell, as CMake makes it. */
static const char *const program_patterns[] = {"*", "*/*"};

/* Rules of a makefile by which projects put firmware on to their board. */
static const char *const flash_rules[] = {"flash", "upload", "program", "burn"};

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* The newest file that a pattern finds, and that is wanted (NULL: any), or NULL. The
 * caller frees it. */
static char *newest(const char *pattern, bool (*is_wanted)(const char *path))
{
    char *found = NULL;
    time_t time = 0;
    glob_t paths;

    if (port_glob_braces(pattern, &paths) != 0)
        return NULL;
    for (size_t i = 0; i < paths.gl_pathc; i++) {
        struct stat now;

        if (stat(paths.gl_pathv[i], &now) != 0 || (found != NULL && now.st_mtime <= time))
            continue;
        if (is_wanted != NULL && (!S_ISREG(now.st_mode) || !is_wanted(paths.gl_pathv[i])))
            continue;
        time = now.st_mtime;
        free(found);
        found = strdup(paths.gl_pathv[i]);
    }
    globfree(&paths);
    return found;
}

static bool is_there(const char *pattern)
{
    char *found = newest(pattern, NULL);

    free(found);
    return found != NULL;
}

static const struct project *find_project(void)
{
    for (size_t i = 0; i < COUNT_OF(projects); i++) {
        if (is_there(projects[i].marker))
            return &projects[i];
    }
    return NULL;
}

/* The text of the newest file that a pattern finds, or NULL. The caller frees it. */
static char *read_newest(const char *pattern)
{
    char *path = newest(pattern, NULL), *text = NULL;
    FILE *file = path != NULL ? fopen(path, "r") : NULL;
    size_t room = 0;

    if (file != NULL && getdelim(&text, &room, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    if (file != NULL)
        fclose(file);
    free(path);
    return text;
}

/* Whether it is an ELF that runs, and no test of CMake's. */
static bool is_program(const char *path)
{
    unsigned char head[18];
    FILE *file = strstr(path, "CMakeFiles/") == NULL ? fopen(path, "rb") : NULL;
    bool is = file != NULL && fread(head, sizeof head, 1, file) == 1 &&
              memcmp(head, "\177ELF", 4) == 0 && head[16] + head[17] == 2; /* ET_EXEC */

    if (file != NULL)
        fclose(file);
    return is;
}

static char *find_elf(const struct project *project)
{
    char *found = project != NULL ? newest(project->elf, NULL) : NULL;

    for (size_t i = 0; found == NULL && i < COUNT_OF(elf_patterns); i++)
        found = newest(elf_patterns[i], NULL);
    for (size_t i = 0; found == NULL && i < COUNT_OF(program_patterns); i++)
        found = newest(program_patterns[i], is_program);
    return found;
}

/* Whether the line of a makefile is the rule of this name. */
static bool is_rule(const char *line, const char *name)
{
    size_t size = strlen(name);

    if (strncmp(line, name, size) != 0)
        return false;
    line += size + strspn(line + size, " ");
    return line[0] == ':' && line[1] != '=' && strncmp(line, "::=", 3) != 0;
}

/* The makefile's rule that flashes, or NULL. */
static const char *find_flash_rule(void)
{
    char *text = read_newest(MAKEFILE), *rest = text, *line;
    const char *found = NULL;

    if (text != NULL && strstr(text, "Arduino.mk") != NULL)
        found = "upload";
    while (found == NULL && (line = port_strsep(&rest, "\n")) != NULL) {
        for (size_t i = 0; found == NULL && i < COUNT_OF(flash_rules); i++)
            found = is_rule(line, flash_rules[i]) ? flash_rules[i] : NULL;
    }
    free(text);
    return found;
}

/* NULL: nothing here tells it. The caller frees it. */
static char *find_flash(const struct project *project)
{
    const char *rule = find_flash_rule();
    char *made;

    if (project != NULL && project->flash != NULL)
        return strdup(project->flash);
    if (rule != NULL)
        return port_asprintf(&made, "make %s", rule) >= 0 ? made : NULL;
    for (size_t i = 0; i < COUNT_OF(flashers); i++) {
        if (is_there(flashers[i].marker))
            return strdup(flashers[i].flash);
    }
    return NULL;
}

/* The only serial device, or NULL. The caller frees it. */
static char *find_source(void)
{
    struct ports ports;
    struct error error;
    char *found = NULL;

    if (ports_find(&ports, &error) && ports.count == 1)
        found = strdup(ports.items[0].source);
    ports_release(&ports);
    return found;
}

/* Asks for a setting. The answer takes the place of what was found; an empty line, or
 * none, leaves that, and "-" is for nothing. */
static char *ask(const char *question, char *found)
{
    char *line = NULL;
    size_t room = 0;

    fprintf(stderr, "%s%s%s%s: ", question, found != NULL ? " [" : "",
            found != NULL ? found : "", found != NULL ? "]" : "");
    if (getline(&line, &room, stdin) < 0) {
        fputc('\n', stderr);
        free(line);
        return found;
    }
    line[strcspn(line, "\r\n")] = '\0';
    if (*line == '\0') {
        free(line);
        return found;
    }
    free(found);
    if (strcmp(line, "-") != 0)
        return line;
    free(line);
    return NULL;
}

/* Builds, if nobody minds. */
static bool build_now(const char *build)
{
    struct error error;
    char *answer = ask("Nothing is built yet. Build it now, to see which ELF that makes?",
                       strdup("yes"));
    bool wanted = answer != NULL && strchr("yY", *answer) != NULL && !feof(stdin), done;

    free(answer);
    done = wanted && step_run("build", build, &error);
    if (wanted && !done)
        fprintf(stderr, "%s\n", error.text);
    return done;
}

/* A setting that nobody knows is a comment, which shows how to write it. */
static void print(FILE *file, const char *name, const char *value, const char *example)
{
    if (value != NULL && *value != '\0')
        fprintf(file, "%s = %s\n", name, value);
    else
        fprintf(file, "# %s = %s\n", name, example);
}

/* Whether a source is the command of an emulator. */
static bool is_command(const char *source)
{
    struct stat file;

    return source != NULL && (strchr(source, ' ') != NULL ||
                              (stat(source, &file) == 0 && S_ISREG(file.st_mode) &&
                               access(source, X_OK) == 0));
}

static bool is_device(const char *source)
{
    return !is_command(source) && strncmp(source, "tcp:", 4) != 0 &&
           strncmp(source, "udp:", 4) != 0;
}

static void print_all(FILE *file, const struct conf *conf)
{
    bool command = is_command(conf->source);

    fprintf(file, "# For `mcuprof run`: man mcuprof-run has all settings.\n");
    print(file, "build", conf->build, "make");
    print(file, "elf", conf->elf, "build/firmware.elf");
    print(file, "flash", conf->flash, "openocd -f board.cfg -c \"program $ELF exit\"");
    if (command)
        print(file, "emulator", conf->source, "");
    else
        print(file, "source", conf->source, "/dev/ttyUSB0");
    if (!command)
        print(file, "baud", conf->baud, "1000000");
    print(file, "duration", NULL, "10");
    print(file, "show", "report", "");
    print(file, "show", "html -o profile.html", "");
    print(file, "budgets", NULL, "budgets.txt");
}

/* Fills in what lies here tells, and asks. */
static void find_all(struct conf *conf)
{
    const struct project *project = find_project();

    if (project != NULL)
        fprintf(stderr,
                "This is a project of %s. An empty line takes what is in brackets, "
                "'-' nothing.\n",
                project->name);
    conf->build =
        ask("Command that builds it", project != NULL ? strdup(project->build) : NULL);
    conf->elf = find_elf(project);
    if (conf->elf == NULL && conf->build != NULL && build_now(conf->build))
        conf->elf = find_elf(project);
    conf->elf = ask("ELF that the build makes", conf->elf);
    conf->flash = ask("Command that puts it on to the board ($ELF is the ELF)",
                      find_flash(project));
    conf->source =
        ask("Serial device (mcuprof ports), tcp:HOST:PORT, udp:[ADDRESS:]PORT, or the "
            "command of an emulator",
            find_source());
    if (conf->source == NULL || is_device(conf->source))
        conf->baud = ask("Baud rate", strdup("115200"));
}

bool conf_init(const char *path, struct error *error)
{
    struct conf conf = {0};
    FILE *file;
    bool done;

    if (access(path, F_OK) == 0)
        return error_set(error, EXIT_BAD_INPUT, "%s exists already; remove it first",
                         path);
    find_all(&conf);
    file = fopen(path, "wx");
    if (file != NULL)
        print_all(file, &conf);
    done = file != NULL && fclose(file) == 0;
    if (!done)
        error_set(error, EXIT_BAD_INPUT, "%s: %s", path, strerror(errno));
    else
        printf("Wrote %s. %s: mcuprof run\n", path,
               conf.elf == NULL || conf.source == NULL
                   ? "Fill in what is missing (lines that begin with #), then call"
                   : "Now call");
    conf_release(&conf);
    return done;
}

/* SPDX-License-Identifier: MIT */
/*
 * Draws frames of `mcuprof top` without a terminal and without a clock, for
 * tests/golden/test_top.py:
 *
 *   top_frames [OPTION=VALUE...] CAPTURE <SCRIPT
 *
 * Options: elf=FILE, format=NAME, hz=RATE, addr-bytes=N, window=SECONDS, name=SOURCE,
 * baud=N, ascii=1, colour=1, file=1 (the source is a regular file). The lines of the
 * script:
 *
 *   size COLUMNS ROWS     of the frames; 80 24 at first
 *   feed BYTES SECONDS    the next bytes of the capture come at this time; 0: all others
 *   pass SECONDS          it is this time, and nothing came
 *   link up|lost|ended SECONDS
 *   problem TEXT          the ELF's problem: its names are not used then; - : none
 *   finish SECONDS        the source has ended
 *   key NAME              a character, or tab, enter, escape, backspace, up, down, space,
 *                         page-up, page-down, home, end
 *   frame                 looks and prints a frame
 *   line                  looks and prints the line that replaces frames where there is
 *                         no terminal
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/image.h"
#include "live/live.h"
#include "top/top.h"

static struct {
    struct decode_options decode;
    const char *elf, *name;
    unsigned window, baud;
    bool ascii, colour, file;
    const char *columns, *sort;
} given = {.decode.format = "mcuprof", .name = "/dev/ttyACM0", .window = 10};

static struct live live;
static struct top top;
static struct grid grid;
static struct image *image;
static uint8_t *bytes;
static size_t byte_count, bytes_fed, columns = 80, rows = 24;
static char problem[256];

static void fail(const char *why)
{
    fprintf(stderr, "top_frames: %s\n", why);
    exit(2);
}

static void take_option(const char *option)
{
    const char *value = strchr(option, '=') + 1;
    size_t size = (size_t)(value - option) - 1;

#define IS(name) (size == sizeof name - 1 && memcmp(option, name, size) == 0)
    if (IS("elf"))
        given.elf = value;
    else if (IS("format"))
        given.decode.format = value;
    else if (IS("hz"))
        given.decode.hz = strtod(value, NULL);
    else if (IS("addr-bytes"))
        given.decode.addr_bytes = (unsigned)strtoul(value, NULL, 10);
    else if (IS("window"))
        given.window = (unsigned)strtoul(value, NULL, 10);
    else if (IS("name"))
        given.name = value;
    else if (IS("baud"))
        given.baud = (unsigned)strtoul(value, NULL, 10);
    else if (IS("ascii"))
        given.ascii = true;
    else if (IS("colour"))
        given.colour = true;
    else if (IS("file"))
        given.file = true;
    else if (IS("columns"))
        given.columns = value;
    else if (IS("sort"))
        given.sort = value;
    else
        fail(option);
#undef IS
}

static void read_capture(const char *path)
{
    FILE *in = fopen(path, "rb");
    size_t room = 0, got;

    if (in == NULL)
        fail(path);
    do {
        room += 65536;
        bytes = realloc(bytes, room);
        got = bytes != NULL ? fread(bytes + byte_count, 1, room - byte_count, in) : 0;
        byte_count += got;
    } while (got > 0);
    fclose(in);
}

static void check(bool done, const struct error *error)
{
    if (!done)
        fail(error->text);
}

static void feed(size_t count, double now)
{
    struct error error;

    if (count == 0 || count > byte_count - bytes_fed)
        count = byte_count - bytes_fed;
    check(live_bytes(&live, bytes + bytes_fed, count, now, &error), &error);
    bytes_fed += count;
}

static int key_named(const char *name)
{
    static const struct {
        const char *name;
        int key;
    } keys[] = {
        {"tab", TOP_KEY_TAB},
        {"enter", TOP_KEY_ENTER},
        {"escape", TOP_KEY_ESCAPE},
        {"backspace", TOP_KEY_BACKSPACE},
        {"up", TOP_KEY_UP},
        {"down", TOP_KEY_DOWN},
        {"space", ' '},
        {"page-up", TOP_KEY_PAGE_UP},
        {"home", TOP_KEY_HOME},
        {"page-down", TOP_KEY_PAGE_DOWN},
        {"end", TOP_KEY_END},
    };

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(keys[i].name, name) == 0)
            return keys[i].key;
    return name[0];
}

static void look(void)
{
    struct error error;

    top.source.problem = problem[0] != '\0' ? problem : NULL;
    check(top_look(&top, &live, problem[0] != '\0' ? NULL : image, &error), &error);
}

static void print_frame(void)
{
    look();
    grid.columns = columns;
    grid.rows = rows;
    top_draw(&top, &live, &grid);
    grid_print(&grid, stdout);
}

static void print_line(void)
{
    look();
    if (!top_print_line(&top, &live, stdout))
        fail("out of memory");
}

static void set_link(const char *state, double now)
{
    top.source.link = strcmp(state, "up") == 0     ? LINK_UP
                      : strcmp(state, "lost") == 0 ? LINK_LOST
                                                   : LINK_ENDED;
    top.source.losses += top.source.link == LINK_LOST;
    top.source.link_since = now;
    top.source.link_error = top.source.link == LINK_LOST ? "/dev/ttyACM0: is gone" : "";
}

static void obey(char *line)
{
    char word[64] = "", text[200] = "";
    double now = 0;
    size_t count = 0;
    struct error error;

    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "size %zu %zu", &columns, &rows) == 2)
        return;
    if (sscanf(line, "feed %zu %lf", &count, &now) == 2)
        feed(count, now);
    else if (sscanf(line, "pass %lf", &now) == 1)
        check(live_pass(&live, now, &error), &error);
    else if (sscanf(line, "link %63s %lf", word, &now) == 2)
        set_link(word, now);
    else if (sscanf(line, "problem %199[^\n]", text) == 1)
        snprintf(problem, sizeof problem, "%s", strcmp(text, "-") == 0 ? "" : text);
    else if (sscanf(line, "finish %lf", &now) == 1)
        printf("finish: %s\n", live_finish(&live, now, &error) ? "ok" : error.text);
    else if (sscanf(line, "key %63s", word) == 1)
        printf("%s", top_key(&top, key_named(word)) ? "" : "the end\n");
    else if (strcmp(line, "frame") == 0)
        print_frame();
    else if (strcmp(line, "line") == 0)
        print_line();
    else if (line[0] != '\0')
        fail(line);
}

static void begin(const char *capture)
{
    struct style style = {.utf8 = !given.ascii, .colour = given.colour};
    struct error error;

    read_capture(capture);
    if (given.elf != NULL)
        check(image_open(&image, given.elf, &error), &error);
    top_init(&top, &style, given.window, TOP_SELF);
    if (given.columns != NULL)
        check(figures_parse(&top.columns, given.columns, &error), &error);
    if (given.sort != NULL) {
        struct figure_list order;
        check(figures_parse_order(&order, given.sort, &error), &error);
        top.sort = TOP_SORTS;
        top.by = order.keys[0].figure;
    }
    grid_init(&grid, &style);
    check(live_init(&live, &given.decode, given.name, 0, &error), &error);
    top.source = (struct top_source){.name = given.name,
                                     .elf = given.elf,
                                     .baud = given.baud,
                                     .lives = !given.file,
                                     .link_error = ""};
}

int main(int argc, char **argv)
{
    char line[256];
    int i = 1;

    setlocale(LC_CTYPE, "C.UTF-8");
    for (; i < argc && strchr(argv[i], '=') != NULL; i++)
        take_option(argv[i]);
    if (i + 1 != argc)
        fail("expected options and one capture");
    begin(argv[i]);
    while (fgets(line, sizeof line, stdin) != NULL)
        obey(line);
    top_release(&top);
    grid_release(&grid);
    live_release(&live);
    image_close(image);
    free(bytes);
    return 0;
}

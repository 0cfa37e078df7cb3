/* SPDX-License-Identifier: MIT */
/* Names as flat profile, graph and index print them. */
#include <stdlib.h>
#include <string.h>

#include "../../port/stream.h"
#include "../symbols/image.h"
#include "print.h"

/* Whether demangling by the automatic style could succeed: it is tried for no other name.
 * */
static bool maybe_mangled(const struct gprof *gprof, const char *name)
{
    if (gprof->options.demangle_style != 0 ||
        (gprof->image != NULL && gprof->image->underscore))
        return true;
    name += strspn(name, ".$");
    return name[0] == '_' &&
           (name[1] == 'Z' || name[1] == 'R' || name[1] == 'G' || name[1] == '_');
}

/* The demangled name. It is kept, because a caller's name is printed for each of its
 * callees. */
static const char *plain_name(const struct gprof *gprof,
                              const struct gprof_symbol *symbol, char **to_free)
{
    struct gprof_image *image = gprof->image;
    *to_free = NULL;
    if (!gprof->options.demangle || gprof->options.traditional ||
        !maybe_mangled(gprof, symbol->name))
        return symbol->name;
    bool keep = image != NULL && symbol >= gprof->symbols &&
                symbol < gprof->symbols + gprof->symbol_count;
    if (keep && image->plain_names == NULL)
        image->plain_names = calloc(gprof->symbol_count, sizeof(char *));
    if (!keep || image->plain_names == NULL) {
        *to_free = gprof_demangle(gprof, symbol->name);
        return *to_free == NULL ? symbol->name : *to_free;
    }
    char **kept = &image->plain_names[symbol - gprof->symbols];
    if (*kept == NULL)
        *kept = gprof_demangle(gprof, symbol->name);
    return *kept == NULL ? symbol->name : *kept;
}

/* Like fputs_unlocked, but returns how many bytes it printed. */
static size_t put(const struct gprof *gprof, const char *text)
{
    size_t length = strlen(text);
    port_fwrite_unlocked(text, 1, length, gprof->out);
    return length;
}

static size_t put_place(const struct gprof *gprof, const struct gprof_symbol *symbol)
{
    const struct gprof_options *options = &gprof->options;
    if ((!options->lines && !options->inline_file_names) || symbol->file == NULL)
        return 0;
    char text[GPROF_LINE_BYTES];
    char *at = gprof_put_count(gprof_put_text(text, ":"), symbol->line, 0);
    if (options->lines)
        at = gprof_put_hex(gprof_put_text(at, " @ "), symbol->address);
    at = gprof_put_text(at, ")");
    size_t printed = put(gprof, " (");
    printed += put(gprof, options->print_path ? symbol->file->path : symbol->file->base);
    gprof_put_line(gprof->out, text, at);
    return printed + (size_t)(at - text);
}

size_t gprof_print_name_only(const struct gprof *gprof, const struct gprof_symbol *symbol)
{
    if (symbol->name == NULL)
        return 0;
    char *to_free;
    const char *name = plain_name(gprof, symbol, &to_free);
    size_t printed = put(gprof, name);
    free(to_free);
    return printed + put_place(gprof, symbol);
}

size_t gprof_print_name(const struct gprof *gprof, const struct gprof_symbol *symbol)
{
    char text[64];
    size_t printed = gprof_print_name_only(gprof, symbol);
    if (symbol->cycle != 0) {
        snprintf(text, sizeof(text), " <cycle %u>", symbol->cycle);
        printed += put(gprof, text);
    }
    if (symbol->index != 0) {
        snprintf(text, sizeof(text), symbol->print ? " [%zu]" : " (%zu)", symbol->index);
        printed += put(gprof, text);
    }
    return printed;
}

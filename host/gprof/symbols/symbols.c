/* SPDX-License-Identifier: MIT */
/* Decides which symbols of the ELF GNU gprof takes for functions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../trace.h"
#include "image.h"

enum { EM_CYGNUS_V850 = 0x9080, EM_CYGNUS_MN10300 = 0xbeef };

/* The state while the symbol table is read. */
struct symbol_reading {
    struct gprof *gprof;
    struct gprof_image *image;
    bool *code;     /* by section: it may have functions */
    uint8_t *plain; /* by offset in the strings: see scan_names() */
    bool files;     /* file and line of a symbol are printed, or options choose by them */
    bool static_files;
};

/* Whether the machine's C compiler puts a '_' in front of names. */
static bool leading_underscore(unsigned machine)
{
    static const unsigned machines[] = {
        EM_RX,
        EM_RL78,
        EM_V850,
        EM_CYGNUS_V850,
        EM_SH,
        EM_H8_300,
        EM_H8_300H,
        EM_H8S,
        EM_M32C,
        EM_CR16,
        EM_BLACKFIN,
        EM_MN10300,
        EM_CYGNUS_MN10300,
    };
    for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
        if (machines[i] == machine)
            return true;
    return false;
}

/* Whether a section can be code by its name: BFD takes these few for something else,
 * whatever their flags say. */
static bool code_name(const char *name)
{
    static const char *const other[] = {".drectve", ".edata", ".idata", ".pdata"};
    for (size_t i = 0; name != NULL && i < sizeof(other) / sizeof(*other); i++) {
        size_t length = strlen(other[i]);
        /* the last character of the set is '\0' */
        if (strncmp(name, other[i], length) == 0 &&
            memchr(".$0123456789", name[length], sizeof(".$0123456789")) != NULL)
            return false;
    }
    return true;
}

static bool find_code(struct symbol_reading *reader)
{
    const struct elf_file *file = &reader->image->file;
    reader->code = calloc(file->section_count, sizeof(bool));
    if (reader->code == NULL)
        return false;
    for (size_t i = 1; i < file->section_count; i++) {
        GElf_Shdr header;
        if (elf_file_header(file, i, &header))
            reader->code[i] = (header.sh_flags & SHF_EXECINSTR) != 0 &&
                              code_name(elf_file_section_name(file, &header));
    }
    return true;
}

enum { PLAIN = 1, DIGITS = 2 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* How many bytes behind a '.' its digits begin: suffixes of clones may have a word
 * before. */
static size_t suffix_word(const char *text, size_t left)
{
    static const char *const words[] = {".clone.", ".constprop."};
    for (size_t i = 0; i < 2; i++) {
        size_t length = strlen(words[i]);
        if (left > length && memcmp(text, words[i], length) == 0 &&
            is_digit(text[length]))
            return length;
    }
    return 1;
}

/*
 * Finds for each offset in the string table whether a local name that begins there is a
 * function's: it has no '$', and '.' only before digits. GNU gprof does not see the end
 * of a name behind such digits and reads on into the next name, so a chain of names can
 * be as long as the table. Therefore one pass from the table's end answers for all
 * offsets. PLAIN: a name is accepted from here on; DIGITS: it is accepted behind a '.'.
 */
static bool scan_names(struct symbol_reading *reader)
{
    const char *text = reader->image->file.strings;
    size_t bytes = reader->image->file.string_bytes;
    uint8_t *plain = reader->plain = malloc(bytes + 1);
    if (plain == NULL)
        return false;
    plain[bytes] = PLAIN | DIGITS;
    for (size_t i = bytes; i-- > 0;) {
        bool on_plain = (plain[i + 1] & PLAIN) != 0, digits = false;
        bool accepted = text[i] != '$' && (text[i] == '\0' || on_plain);
        if (text[i] == '.')
            accepted = (plain[i + suffix_word(text + i, bytes - i)] & DIGITS) != 0;
        if (is_digit(text[i]))
            digits = (plain[i + 1] & DIGITS) != 0;
        else if (text[i] == '\0')
            digits = on_plain;
        else if (text[i] == '.')
            digits = accepted;
        plain[i] = (uint8_t)((accepted ? PLAIN : 0) | (digits ? DIGITS : 0));
    }
    return true;
}

static bool local_function(const struct symbol_reading *reader, const GElf_Sym *symbol)
{
    const struct gprof_options *options = &reader->gprof->options;
    const char *name = elf_file_string(&reader->image->file, symbol->st_name);
    if (options->no_static || name[0] == '\0' ||
        (reader->plain[symbol->st_name] & PLAIN) == 0)
        return false;
    if (options->only_functions && GELF_ST_TYPE(symbol->st_info) != STT_FUNC)
        return false;
    if (reader->image->underscore && name[0] != '_')
        return false;
    return strncmp(name, "__gnu_compiled", 14) != 0 &&
           strncmp(name, "___gnu_compiled", 15) != 0;
}

/* Whether GNU gprof takes the symbol for a function; *local: for a static one. */
static bool wanted(const struct symbol_reading *reader, const GElf_Sym *symbol,
                   uint32_t section, bool *local)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    unsigned bind = GELF_ST_BIND(symbol->st_info);
    bool reserved = symbol->st_shndx >= SHN_LORESERVE && symbol->st_shndx != SHN_XINDEX;
    bool object = type == STT_OBJECT || type == STT_COMMON;
    *local = bind == STB_LOCAL;
    if (type == STT_SECTION || type == STT_FILE || type == STT_GNU_IFUNC ||
        symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_COMMON)
        return false;
    if (bind == STB_WEAK)
        return !object;
    if (reserved || section >= reader->image->file.section_count ||
        !reader->code[section])
        return false;
    if (bind == STB_LOCAL)
        return local_function(reader, symbol);
    return bind == STB_GLOBAL;
}

static void trace_refused(const struct symbol_reading *reader, const GElf_Sym *symbol)
{
    const char *name = elf_file_string(&reader->image->file, symbol->st_name);

    if (name[0] != '\0' && name[0] != '$') /* not Arm's marks of code and data */
        gprof_trace_line(reader->gprof, GPROF_TRACE_SYMBOLS,
                         "0x%08" PRIx64 " %s: no function", symbol->st_value, name);
}

static bool read_symbols(struct symbol_reading *reader, struct gprof_labels *labels)
{
    for (size_t i = 1; i < reader->image->file.symbol_count; i++) {
        GElf_Sym symbol;
        uint32_t section;
        bool local;
        if (!bfd_symbol(&reader->image->file, i, &symbol, &section))
            continue;
        if (!wanted(reader, &symbol, section, &local)) {
            trace_refused(reader, &symbol);
            continue;
        }
        struct gprof_label label = {
            .address = symbol.st_value,
            .name = elf_file_string(&reader->image->file, symbol.st_name),
            .is_function = GELF_ST_TYPE(symbol.st_info) == STT_FUNC,
            .is_static = local,
            .has_border = true,
        };
        if (!gprof_map_name(reader->gprof, &label.name))
            continue;
        bool files = reader->files || (reader->static_files && local);
        if (files && !gprof_find_line(reader->gprof, &label))
            return false;
        if (!gprof_add_label(labels, &label))
            return false;
    }
    return true;
}

/* Whether a spec may name a file or a line. */
static bool specs_have_files(const struct gprof_options *options)
{
    for (size_t i = 0; i < options->spec_count; i++)
        if (options->specs[i].text != NULL &&
            strpbrk(options->specs[i].text, ".:0123456789") != NULL)
            return true;
    return false;
}

/* Decides whether debug information is read: it takes most of the time, so only where it
 * shows. Where no option chooses an output, the profile decides, and it may show. */
static void choose_files(struct symbol_reading *reader)
{
    const struct gprof_options *options = &reader->gprof->options;
    unsigned shown = GPROF_COUNTS | GPROF_ANNOTATED | GPROF_SUM;
    reader->files = options->lines || options->inline_file_names ||
                    options->output == 0 || (options->output & shown) != 0 ||
                    specs_have_files(options);
    reader->static_files = (options->output & GPROF_GRAPH) != 0;
}

static bool read_elf(struct gprof *gprof, struct gprof_labels *labels)
{
    struct symbol_reading reader = {.gprof = gprof, .image = gprof->image};
    choose_files(&reader);
    bool done =
        reader.files || !reader.static_files || gprof_lines_depend(gprof, &reader.files);
    done = done && find_code(&reader) && scan_names(&reader) &&
           read_symbols(&reader, labels);
    free(reader.code);
    free(reader.plain);
    return done;
}

/* -l: adds the lines, and the functions without a last one that lies behind .text. The
 * last line reaches up to that function. */
static bool add_lines(struct gprof *gprof, struct gprof_labels *functions)
{
    struct gprof_labels lines = {0};
    uint64_t end = gprof->image->text_high - 1;
    bool done = gprof_add_line_labels(gprof, functions, &lines);
    for (size_t i = 0; done && i < functions->count; i++) {
        const struct gprof_label *function = &functions->items[i];
        if (function->address <= function->end)
            done = gprof_add_label(&lines, function);
        else
            end = function->address - 1;
    }
    done = done && gprof_fold_labels(&lines, end);
    free(functions->items);
    *functions = lines;
    return done;
}

/* The map of the program's code. */
static void trace_symbols(const struct gprof *gprof)
{
    if (!gprof_traces(gprof, GPROF_TRACE_SYMBOLS))
        return;
    gprof_trace_line(gprof, GPROF_TRACE_SYMBOLS,
                     "0x%08" PRIx64 " to 0x%08" PRIx64 " .text", gprof->image->text_low,
                     gprof->image->text_high);
    for (size_t i = 0; i < gprof->symbol_count; i++) {
        const struct gprof_symbol *symbol = &gprof->symbols[i];

        gprof_trace(gprof, GPROF_TRACE_SYMBOLS);
        fprintf(gprof->out, "0x%08" PRIx64 " to 0x%08" PRIx64 " %-6s %-8s ",
                symbol->address, symbol->end, symbol->is_static ? "static" : "global",
                symbol->is_line       ? "line"
                : symbol->is_function ? "function"
                                      : "label");
        gprof_trace_name(gprof, symbol);
        fputc('\n', gprof->out);
    }
}

bool gprof_read_symbols(struct gprof *gprof, struct error *error)
{
    const struct gprof_options *options = &gprof->options;
    struct gprof_labels labels = {0};
    if (!gprof_open_image(gprof, error) || !gprof_read_map(gprof, error))
        return false;
    gprof->image->underscore = leading_underscore(gprof->image->file.header.e_machine);
    bool table = options->symbol_table != NULL;
    bool done = true;
    if (table && !gprof_read_table(gprof, &labels, error)) {
        free(labels.items);
        return false;
    }
    if (!table && gprof->image->file.symbols != NULL)
        done = read_elf(gprof, &labels);
    if (done && labels.count == 0)
        return error_set(error, EXIT_NO, "file `%s' has no symbols",
                         table ? options->symbol_table : options->image);
    done = done && gprof_fold_labels(&labels, gprof->image->text_high - 1);
    if (options->lines && !table)
        done = done && add_lines(gprof, &labels);
    done = done && gprof_make_symbols(gprof, &labels);
    free(labels.items);
    if (done)
        trace_symbols(gprof);
    return done || error_set(error, EXIT_NO, "out of memory");
}

/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../port/memory.h"
#include "internal.h"
#include "spans.h"

enum { NOTE_SCAN_MAX = 1 << 20 }; /* bytes of a section that are searched for a note */

static bool bad(const struct image *image, struct error *error, const char *what)
{
    return error_set(error, EXIT_BAD_INPUT, "%s: %s", image->path, what);
}

static bool open_file(struct image *image, struct error *error)
{
    struct elf_file *file = &image->file;
    file->fd = open(image->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    if (file->fd < 0 || fstat(file->fd, &status) != 0)
        return bad(image, error, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return bad(image, error, "is a directory, not an ELF file");
    if (!S_ISREG(status.st_mode))
        return bad(image, error, "not a regular file, so not an ELF file");
    return true;
}

static bool truncated(const struct image *image, struct error *error, const char *what,
                      uint64_t end)
{
    return error_set(error, EXIT_BAD_INPUT,
                     "%s: truncated ELF: %s up to byte %llu, but the file has %llu",
                     image->path, what, (unsigned long long)end,
                     (unsigned long long)image->file.bytes);
}

static bool has_magic(const struct image *image)
{
    char magic[SELFMAG];
    return pread(image->file.fd, magic, SELFMAG, 0) == SELFMAG &&
           memcmp(magic, ELFMAG, SELFMAG) == 0;
}

static bool check_header(const struct image *image, struct error *error)
{
    const GElf_Ehdr *header = &image->file.header;
    if (!has_magic(image))
        return bad(image, error, "not an ELF file");
    if (image->file.bytes < sizeof(Elf32_Ehdr))
        return truncated(image, error, "its header reaches", sizeof(Elf32_Ehdr));
    if (header->e_ident[EI_MAG0] != ELFMAG0)
        return bad(image, error, "damaged ELF: its header is unreadable");
    if (header->e_type == ET_REL)
        return bad(image, error, "an object file, not a linked ELF");
    if (header->e_type == ET_CORE)
        return bad(image, error, "a core dump, not a program");
    if (header->e_shoff > image->file.bytes)
        return truncated(image, error, "its section headers start", header->e_shoff);
    return true;
}

/* Every section must lie in the file: a shortened copy is refused, not half read. */
static bool check_sections(const struct image *image, struct error *error)
{
    const struct elf_file *file = &image->file;
    uint64_t table_end =
        file->header.e_shoff + (uint64_t)file->section_count * file->header.e_shentsize;
    if (file->section_count > 0 && table_end > file->bytes)
        return truncated(image, error, "its section headers reach", table_end);
    for (size_t i = 1; i < file->section_count; i++) {
        GElf_Shdr header;
        if (!elf_file_header(file, i, &header))
            return bad(image, error, "damaged ELF: a section header is unreadable");
        if (header.sh_type == SHT_NOBITS || header.sh_size == 0)
            continue;
        if (header.sh_offset > file->bytes ||
            header.sh_size > file->bytes - header.sh_offset)
            return truncated(image, error, "a section reaches",
                             header.sh_offset + header.sh_size);
    }
    return true;
}

static bool read_code(struct image *image, struct error *error)
{
    const GElf_Xword code = SHF_ALLOC | SHF_EXECINSTR;
    struct spans spans = {0};
    GElf_Shdr header;
    bool done = true;
    for (size_t i = 1; done && i < image->file.section_count; i++)
        if (elf_file_header(&image->file, i, &header) &&
            (header.sh_flags & code) == code &&
            header.sh_addr + header.sh_size > header.sh_addr)
            done = spans_add(&spans,
                             &(struct span){.low = header.sh_addr,
                                            .high = header.sh_addr + header.sh_size});
    image->code = calloc(spans.count + 1, sizeof *image->code);
    done = done && spans_flatten(&spans) && image->code != NULL;
    for (size_t i = 0; done && i < spans.count; i++)
        image->code[image->code_count++] =
            (struct image_range){spans.items[i].low, spans.items[i].high};
    free(spans.items);
    return done || bad(image, error, "out of memory");
}

static bool keep_build_id(struct image *image, const uint8_t *bytes, size_t size)
{
    if (size == 0 || size > sizeof image->build_id)
        return false;
    memcpy(image->build_id, bytes, size);
    image->build_id_bytes = size;
    return true;
}

static bool build_id_in_notes(struct image *image, Elf_Data *data)
{
    GElf_Nhdr note;
    size_t offset = 0, name, description;
    while ((offset = gelf_getnote(data, offset, &note, &name, &description)) > 0) {
        const uint8_t *bytes = data->d_buf;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            memcmp(bytes + name, "GNU", 4) == 0)
            return keep_build_id(image, bytes + description, note.n_descsz);
    }
    return false;
}

/* A linker script may put the note into another section (the vectors, .text). This looks
 * there for its header: name size 4, a build ID's size, type 3, "GNU". */
static bool build_id_in_bytes(struct image *image, const uint8_t *bytes, size_t count)
{
    bool big = image_big_endian(image);
    const uint8_t sizes[] = {20, 16, 8};
    for (size_t i = 0; i < sizeof sizes; i++) {
        uint8_t pattern[16] = {0};
        pattern[big ? 3 : 0] = 4;
        pattern[big ? 7 : 4] = sizes[i];
        pattern[big ? 11 : 8] = NT_GNU_BUILD_ID;
        memcpy(pattern + 12, "GNU", 4);
        const uint8_t *found = port_memmem(bytes, count, pattern, sizeof pattern);
        if (found != NULL && (size_t)(bytes + count - found) >= 16u + sizes[i])
            return keep_build_id(image, found + 16, sizes[i]);
    }
    return false;
}

/* Reads the bytes itself: libelf would keep the whole section in memory. */
static bool build_id_in_section(struct image *image, const GElf_Shdr *header)
{
    size_t count = header->sh_size < NOTE_SCAN_MAX ? header->sh_size : NOTE_SCAN_MAX;
    uint8_t *bytes = malloc(count);
    ssize_t got =
        bytes == NULL ? 0 : pread(image->file.fd, bytes, count, (off_t)header->sh_offset);
    bool found = got > 0 && build_id_in_bytes(image, bytes, (size_t)got);
    free(bytes);
    return found;
}

static void read_build_id(struct image *image)
{
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 1; i < image->file.section_count; i++) {
            GElf_Shdr header;
            if (!elf_file_header(&image->file, i, &header) ||
                header.sh_type != (pass == 0 ? SHT_NOTE : SHT_PROGBITS) ||
                (pass == 1 && (header.sh_flags & SHF_ALLOC) == 0))
                continue;
            Elf_Data *data = pass == 0 ? elf_file_section(&image->file, i) : NULL;
            if (pass == 0 ? data != NULL && build_id_in_notes(image, data)
                          : build_id_in_section(image, &header))
                return;
        }
    }
}

static bool read_image(struct image *image, struct error *error)
{
    uint64_t inflated;
    if (!open_file(image, error))
        return false;
    /* The file is read, not mapped: if a build shortens it, a live view must not crash.
     */
    bool has_sections = elf_file_begin(&image->file, image->file.fd, ELF_C_READ);
    if (!check_header(image, error))
        return false;
    if (!has_sections)
        return bad(image, error, "truncated or damaged ELF: no section headers");
    if (elf_file_swells(&image->file, &inflated))
        return error_set(
            error, EXIT_BAD_INPUT,
            "%s: damaged ELF: its compressed debug sections would have %" PRIu64
            " bytes, but the file has %" PRIu64,
            image->path, inflated, image->file.bytes);
    if (!check_sections(image, error) || !read_code(image, error))
        return false;
    read_build_id(image);
    return true;
}

bool image_read_symbols(struct image *image, struct error *error)
{
    if (!image_find_symbols(image, error))
        return false;
    image_find_sources(image);
    return image_find_sites(image) ||
           error_set(error, EXIT_BAD_INPUT, "%s: out of memory", image->path);
}

bool image_begin(struct image **image, const char *path, struct error *error)
{
    struct image *opened = calloc(1, sizeof *opened);
    if (opened != NULL)
        opened->path = strdup(path);
    if (opened == NULL || opened->path == NULL) {
        free(opened);
        return error_set(error, EXIT_BAD_INPUT, "%s: out of memory", path);
    }
    opened->file.fd = -1;
    /* libelf only reports that it cannot read the section; errno of malloc() tells why.
     */
    errno = 0;
    bool done = read_image(opened, error);
    if (errno == ENOMEM)
        done = error_set(error, EXIT_BAD_INPUT, "%s: out of memory", path);
    if (!done) {
        image_close(opened);
        return false;
    }
    *image = opened;
    return true;
}

bool image_open(struct image **image, const char *path, struct error *error)
{
    struct image *opened = NULL;
    if (!image_begin(&opened, path, error))
        return false;
    if (!image_read_symbols(opened, error)) {
        image_close(opened);
        return false;
    }
    *image = opened;
    return true;
}

void image_close(struct image *image)
{
    if (image == NULL)
        return;
    image_close(image->shipped);
    image_release_lines(image);
    image_release_blocks(image);
    image_release_hooks(image);
    image_release_call_graph(image);
    image_release_tails(image);
    image_release_names(image);
    image_release_symbols(image);
    free(image->code);
    free(image->sites);
    elf_file_release(&image->file);
    free(image->path);
    free(image);
}

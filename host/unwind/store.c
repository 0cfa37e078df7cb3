/* SPDX-License-Identifier: MIT */
/* Writes the table's bytes into the ELF, into the section that the linker reserved. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "../image/elf_file.h"
#include "mcuprof_unwind.h"
#include "unwind.h"

#define SECTION ".mcuprof_unwind"

/* A part of the file. */
struct part {
    uint64_t offset, size;
};

static bool overlaps(struct part one, struct part other)
{
    return one.size > 0 && other.size > 0 && one.offset < other.offset + other.size &&
           other.offset < one.offset + one.size;
}

/* What else lies where the section does, so that the table would overwrite it; NULL:
 * nothing. */
static const char *overlapped(const struct elf_file *elf, size_t section,
                              struct part table)
{
    const GElf_Ehdr *head = &elf->header;
    GElf_Shdr header;
    if (overlaps(table, (struct part){0, head->e_ehsize}) ||
        overlaps(table, (struct part){head->e_phoff,
                                      (uint64_t)head->e_phnum * head->e_phentsize}) ||
        overlaps(table,
                 (struct part){head->e_shoff, elf->section_count * head->e_shentsize}))
        return "the ELF's own tables";
    for (size_t i = 1; i < elf->section_count; i++) {
        if (i == section || !elf_file_header(elf, i, &header) ||
            header.sh_type == SHT_NOBITS ||
            !overlaps(table, (struct part){header.sh_offset, header.sh_size}))
            continue;
        const char *name = elf_file_section_name(elf, &header);
        return name != NULL ? name : "a section without a name";
    }
    return NULL;
}

static bool check(const struct unwind_table *table, const struct elf_file *elf,
                  GElf_Shdr *header, const char *path, struct error *error)
{
    size_t section = elf_file_find(elf, 0, SECTION, header);
    if (section == 0)
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: no section " SECTION " for the table's %zu bytes: link "
                         "with mcuprof.ld, and mcuprof's library with call paths on",
                         path, table->size);
    if (header->sh_type == SHT_NOBITS)
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: section " SECTION " has no bytes in the file: the linker "
                         "script must not have it NOLOAD, or among .bss",
                         path);
    if (header->sh_size <= sizeof(struct mcuprof_unwind))
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: no room behind section " SECTION "'s head for the table's "
                         "%zu bytes: link with mcuprof.ld (MCUPROF_LDFLAGS has it)",
                         path, table->size);
    if (header->sh_size < table->size)
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: section " SECTION " has %llu bytes, but the table needs "
                         "%zu: link with -Wl,--defsym=__mcuprof_unwind_bytes=%zu",
                         path, (unsigned long long)header->sh_size, table->size,
                         (table->size + 3) / 4 * 4);
    const char *other =
        elf_file_has(elf, header)
            ? overlapped(elf, section, (struct part){header->sh_offset, header->sh_size})
            : "the file's end";
    if (other != NULL)
        return error_set(error, EXIT_BAD_INPUT,
                         "%s: damaged ELF: section " SECTION " overlaps %s, which the "
                         "table would overwrite: link it anew",
                         path, other);
    return true;
}

static bool write_all(int file, const uint8_t *bytes, size_t size, uint64_t offset)
{
    while (size > 0) {
        ssize_t written = pwrite(file, bytes, size, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        size -= (size_t)written;
        offset += (uint64_t)written;
    }
    return true;
}

static bool store(const struct unwind_table *table, int file, const char *path,
                  struct error *error)
{
    struct elf_file elf = {0};
    GElf_Shdr header;
    elf_file_begin(&elf, file, ELF_C_READ);
    bool done = check(table, &elf, &header, path, error);
    elf.fd = -1; /* stays open */
    elf_file_release(&elf);
    if (!done)
        return false;
    if (!write_all(file, table->bytes, table->size, header.sh_offset))
        return error_set(error, EXIT_BAD_INPUT, "%s: %s", path, strerror(errno));
    return true;
}

bool unwind_table_store(const struct unwind_table *table, const char *path,
                        struct error *error)
{
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return error_set(error, EXIT_BAD_INPUT, "%s: %s", path, strerror(errno));
    bool done = store(table, file, path, error);
    if (close(file) != 0 && done)
        return error_set(error, EXIT_BAD_INPUT, "%s: %s", path, strerror(errno));
    return done;
}

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

static bool check(const struct unwind_table *table, const struct elf_file *elf,
                  GElf_Shdr *header, const char *path, struct error *error)
{
    if (elf_file_find(elf, 0, SECTION, header) == 0)
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

/* SPDX-License-Identifier: MIT */
#include "elf_file.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../port/memory.h"

/* Compilers' debug information becomes 3 to 6 times as large as it was compressed. */
enum { INFLATED_MAX = 64 << 20, SWELLS_MAX = 16 };

bool elf_file_begin(struct elf_file *file, int fd, Elf_Cmd how)
{
    struct stat status;
    file->fd = fd;
    file->bytes = fstat(fd, &status) == 0 ? (uint64_t)status.st_size : 0;
    elf_version(EV_CURRENT);
    file->elf = elf_begin(fd, how, NULL);
    if (file->elf == NULL || elf_kind(file->elf) != ELF_K_ELF ||
        gelf_getehdr(file->elf, &file->header) == NULL)
        return false;
    const unsigned char *kind = file->header.e_ident;
    file->arch = arch_of(file->header.e_machine);
    file->word_bytes = kind[EI_CLASS] == ELFCLASS64 ? 8 : 4;
    file->big_endian = kind[EI_DATA] == ELFDATA2MSB;
    return elf_getshdrnum(file->elf, &file->section_count) == 0;
}

void elf_file_release(struct elf_file *file)
{
    elf_end(file->elf);
    if (file->fd >= 0)
        close(file->fd);
    *file = (struct elf_file){.fd = -1};
}

bool elf_file_header(const struct elf_file *file, size_t index, GElf_Shdr *header)
{
    return gelf_getshdr(elf_getscn(file->elf, index), header) != NULL;
}

static Elf_Data *with_bytes(Elf_Data *data)
{
    return data != NULL && data->d_buf != NULL ? data : NULL;
}

Elf_Data *elf_file_section(const struct elf_file *file, size_t index)
{
    GElf_Shdr header;
    if (!elf_file_header(file, index, &header) || header.sh_type == SHT_NOBITS)
        return NULL;
    return with_bytes(elf_getdata(elf_getscn(file->elf, index), NULL));
}

bool elf_file_has(const struct elf_file *file, const GElf_Shdr *header)
{
    struct stat status;
    return header->sh_type != SHT_NOBITS && fstat(file->fd, &status) == 0 &&
           header->sh_offset <= (uint64_t)status.st_size &&
           header->sh_size <= (uint64_t)status.st_size - header->sh_offset;
}

Elf_Data *elf_file_bytes(const struct elf_file *file, size_t index)
{
    GElf_Shdr header;
    Elf_Data *data = with_bytes(elf_rawdata(elf_getscn(file->elf, index), NULL));
    if (data != NULL || !elf_file_header(file, index, &header) ||
        !elf_file_has(file, &header))
        return data;
    /* libelf refuses a table whose size is no multiple of an entry's */
    return with_bytes(elf_getdata_rawchunk(file->elf, (int64_t)header.sh_offset,
                                           (size_t)header.sh_size, ELF_T_BYTE));
}

const char *elf_file_section_name(const struct elf_file *file, const GElf_Shdr *header)
{
    size_t names;
    if (elf_getshdrstrndx(file->elf, &names) != 0)
        return NULL;
    return elf_strptr(file->elf, names, header->sh_name);
}

size_t elf_file_find(const struct elf_file *file, size_t index, const char *name,
                     GElf_Shdr *header)
{
    while (++index < file->section_count) {
        const char *other = elf_file_header(file, index, header)
                                ? elf_file_section_name(file, header)
                                : NULL;
        if (other != NULL && strcmp(other, name) == 0)
            return index;
    }
    return 0;
}

bool elf_file_is_loaded(const struct elf_file *file, size_t index)
{
    GElf_Shdr header;
    return !elf_file_header(file, index, &header) || (header.sh_flags & SHF_ALLOC) != 0;
}

/* How many bytes a section says that it has when it is inflated; 0: it is not
 * compressed. An older form has no flag, but a name, "ZLIB" and its size. */
static uint64_t inflated(const struct elf_file *file, size_t index,
                         const GElf_Shdr *header)
{
    const char *name = elf_file_section_name(file, header);
    uint8_t head[12];
    uint64_t bytes = 0;
    GElf_Chdr compressed;
    if ((header->sh_flags & SHF_COMPRESSED) != 0)
        return gelf_getchdr(elf_getscn(file->elf, index), &compressed) != NULL
                   ? compressed.ch_size
                   : 0;
    if (name == NULL || strncmp(name, ".zdebug", 7) != 0 ||
        pread(file->fd, head, sizeof head, (off_t)header->sh_offset) != sizeof head ||
        memcmp(head, "ZLIB", 4) != 0)
        return 0;
    for (size_t i = 4; i < sizeof head; i++)
        bytes = bytes << 8 | head[i];
    return bytes;
}

bool elf_file_swells(const struct elf_file *file, uint64_t *bytes)
{
    GElf_Shdr header;
    *bytes = 0;
    for (size_t i = 1; i < file->section_count; i++) {
        uint64_t more =
            elf_file_header(file, i, &header) ? inflated(file, i, &header) : 0;
        *bytes = more > UINT64_MAX - *bytes ? UINT64_MAX : *bytes + more;
    }
    return *bytes > INFLATED_MAX && *bytes / SWELLS_MAX > file->bytes;
}

/* The names must be usable as strings, so the section must end with a '\0'. */
static void take_strings(struct elf_file *file, size_t index)
{
    Elf_Data *data = elf_file_section(file, index);
    if (data == NULL || data->d_size == 0)
        return;
    const char *bytes = data->d_buf;
    const char *last = port_memrchr(bytes, '\0', data->d_size);
    file->strings = bytes;
    file->string_bytes = last == NULL ? 0 : (size_t)(last - bytes) + 1;
}

void elf_file_find_symbols(struct elf_file *file)
{
    GElf_Shdr header;
    for (size_t i = 1; i < file->section_count; i++) {
        if (!elf_file_header(file, i, &header))
            continue;
        if (header.sh_type == SHT_SYMTAB_SHNDX)
            file->section_numbers = elf_file_section(file, i);
        if (header.sh_type != SHT_SYMTAB || file->symbols != NULL)
            continue;
        file->symbols = elf_file_section(file, i);
        if (file->symbols == NULL)
            continue;
        file->symbol_count =
            file->symbols->d_size / gelf_fsize(file->elf, ELF_T_SYM, 1, EV_CURRENT);
        take_strings(file, header.sh_link);
    }
    if (file->symbol_count > INT32_MAX) /* libelf counts in int */
        file->symbol_count = INT32_MAX;
}

bool elf_file_symbol(const struct elf_file *file, size_t number, GElf_Sym *symbol,
                     uint32_t *section)
{
    Elf32_Word wide = 0;
    if (gelf_getsymshndx(file->symbols, file->section_numbers, (int)number, symbol,
                         &wide) == NULL)
        return false;
    *section = symbol->st_shndx == SHN_XINDEX ? wide : symbol->st_shndx;
    return true;
}

const char *elf_file_string(const struct elf_file *file, size_t offset)
{
    return offset < file->string_bytes ? file->strings + offset : "";
}

uint64_t elf_file_code_address(const struct elf_file *file, const GElf_Sym *symbol)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    bool typed = type == STT_FUNC || type == STT_GNU_IFUNC;
    return typed ? symbol->st_value & ~file->arch->state_bit : symbol->st_value;
}

bool elf_file_code(const struct elf_file *file, struct arch_code *code)
{
    GElf_Sym symbol;
    uint32_t section;
    if (!arch_code_init(code, &file->header, file->symbol_count))
        return false;
    /* Symbols of sections that are not loaded are skipped: these sections have mapping
     * symbols too, with addresses from 0 up. */
    for (size_t i = 0; code->arch->mapping != NULL && i < file->symbol_count; i++)
        if (elf_file_symbol(file, i, &symbol, &section) && section != SHN_UNDEF &&
            elf_file_is_loaded(file, section))
            arch_code_mark(code, &symbol, elf_file_string(file, symbol.st_name));
    arch_code_sort(code);
    return true;
}

uint64_t elf_file_address(const struct elf_file *file, uint64_t address)
{
    return file->sign_extend ? (uint64_t)(int64_t)(int32_t)(uint32_t)address : address;
}

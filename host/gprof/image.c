/* SPDX-License-Identifier: MIT */
/* The ELF: opened, its .text and its symbol table found. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image.h"

static bool open_file(struct gprof *gprof, struct error *error)
{
    struct gprof_image *image = gprof->image;
    const char *path = gprof->options.image;
    struct stat status;
    image->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (image->fd >= 0 && fstat(image->fd, &status) == 0 && !S_ISDIR(status.st_mode))
        return true;
    /* GNU's message of a directory is that of a file that is not there. */
    int reason = image->fd < 0 ? errno : ENOENT;
    gprof->bare_error = true;
    return error_set(error, EXIT_NO, "%s: %s", path, strerror(reason));
}

/* Header and sections are there in full, as far as they have bytes in the file. */
static bool sound_elf(struct gprof_image *image)
{
    size_t bytes = 0;
    elf_rawfile(image->elf, &bytes);
    image->file_bytes = bytes;
    const GElf_Ehdr *header = &image->header;
    if (elf_kind(image->elf) != ELF_K_ELF ||
        gelf_getehdr(image->elf, &image->header) == NULL)
        return false;
    bool wide = header->e_ident[EI_CLASS] == ELFCLASS64;
    size_t each = wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
    if (header->e_type == ET_CORE ||
        elf_getshdrnum(image->elf, &image->section_count) != 0)
        return false;
    if (image->section_count == 0) /* libelf drops a table that lies beyond the file */
        return header->e_shoff == 0;
    return header->e_shentsize == each && header->e_shoff <= bytes &&
           image->section_count <= (bytes - header->e_shoff) / each;
}

uint64_t gprof_image_address(const struct gprof_image *image, uint64_t address)
{
    bool extended = image->header.e_machine == EM_MIPS &&
                    image->header.e_ident[EI_CLASS] == ELFCLASS32;
    return extended ? (uint64_t)(int64_t)(int32_t)(uint32_t)address : address;
}

Elf_Data *gprof_image_section(const struct gprof_image *image, size_t index)
{
    GElf_Shdr header;
    Elf_Scn *section = elf_getscn(image->elf, index);
    if (section == NULL || gelf_getshdr(section, &header) == NULL ||
        header.sh_type == SHT_NOBITS)
        return NULL;
    Elf_Data *data = elf_getdata(section, NULL);
    return data != NULL && data->d_buf != NULL ? data : NULL;
}

/* Names are used as strings: the section must end with a '\0'. */
static void take_strings(struct gprof_image *image, size_t index)
{
    Elf_Data *data = gprof_image_section(image, index);
    if (data == NULL || data->d_size == 0)
        return;
    const char *bytes = data->d_buf;
    const char *last = memrchr(bytes, '\0', data->d_size);
    image->strings = bytes;
    image->string_bytes = last == NULL ? 0 : (size_t)(last - bytes) + 1;
}

static void take_symbols(struct gprof_image *image, size_t index, const GElf_Shdr *header)
{
    Elf_Data *data = gprof_image_section(image, index);
    if (data == NULL || image->symbols != NULL)
        return;
    size_t each = gelf_fsize(image->elf, ELF_T_SYM, 1, EV_CURRENT);
    image->symbols = data;
    image->symbol_count = data->d_size / each;
    take_strings(image, header->sh_link);
}

static bool find_sections(struct gprof_image *image)
{
    size_t names;
    if (elf_getshdrstrndx(image->elf, &names) != 0)
        return false;
    for (size_t i = 1; i < image->section_count; i++) {
        GElf_Shdr header;
        if (gelf_getshdr(elf_getscn(image->elf, i), &header) == NULL)
            return false;
        const char *name = elf_strptr(image->elf, names, header.sh_name);
        if (image->text_index == 0 && name != NULL && strcmp(name, ".text") == 0) {
            image->text_index = i;
            image->text_low = gprof_image_address(image, header.sh_addr);
            image->text_high = image->text_low + header.sh_size;
        }
        if (header.sh_type == SHT_SYMTAB)
            take_symbols(image, i, &header);
        else if (header.sh_type == SHT_SYMTAB_SHNDX)
            image->section_numbers = gprof_image_section(image, i);
    }
    return true;
}

bool gprof_open_image(struct gprof *gprof, struct error *error)
{
    const char *path = gprof->options.image;
    struct gprof_image *image = calloc(1, sizeof(*image));
    if (image == NULL)
        return error_set(error, EXIT_NO, "out of memory");
    image->fd = -1;
    gprof->image = image;
    if (!open_file(gprof, error))
        return false;
    elf_version(EV_CURRENT);
    image->elf = elf_begin(image->fd, ELF_C_READ_MMAP_PRIVATE, NULL);
    if (image->elf == NULL || !sound_elf(image) || !find_sections(image))
        return error_set(error, EXIT_NO, "%s: not in executable format", path);
    if (image->text_index == 0)
        return error_set(error, EXIT_NO, "can't find .text section in %s", path);
    gprof->word_bytes = image->header.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
    gprof->big_endian = image->header.e_ident[EI_DATA] == ELFDATA2MSB;
    gprof->sign_extend = image->header.e_machine == EM_MIPS && gprof->word_bytes == 4;
    return true;
}

/* Code of which the lowest bit of an address says how it is to be read. */
static uint64_t code_address(const struct gprof_image *image, const GElf_Sym *symbol)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    bool thumb =
        image->header.e_machine == EM_ARM && (type == STT_FUNC || type == STT_GNU_IFUNC);
    bool mips = image->header.e_machine == EM_MIPS && type == STT_FUNC;
    return thumb || mips ? symbol->st_value & ~(uint64_t)1 : symbol->st_value;
}

bool gprof_image_symbol(const struct gprof_image *image, size_t number, GElf_Sym *symbol,
                        uint32_t *section)
{
    Elf32_Word wide = 0;
    if (gelf_getsymshndx(image->symbols, image->section_numbers, (int)number, symbol,
                         &wide) == NULL)
        return false;
    *section = symbol->st_shndx == SHN_XINDEX ? wide : symbol->st_shndx;
    uint64_t address = code_address(image, symbol);
    GElf_Shdr header;
    if (image->header.e_type == ET_REL && *section < image->section_count &&
        gelf_getshdr(elf_getscn(image->elf, *section), &header) != NULL)
        address += header.sh_addr;
    symbol->st_value = gprof_image_address(image, address);
    /* A Thumb function of before the EABI, its address even. */
    if (image->header.e_machine == EM_ARM &&
        GELF_ST_TYPE(symbol->st_info) == STT_ARM_TFUNC)
        symbol->st_info = GELF_ST_INFO(GELF_ST_BIND(symbol->st_info), STT_FUNC);
    return true;
}

const char *gprof_image_string(const struct gprof_image *image, size_t offset)
{
    return offset < image->string_bytes ? image->strings + offset : "";
}

void gprof_symbols_release(struct gprof *gprof)
{
    struct gprof_image *image = gprof->image;
    for (size_t i = 0; i < gprof->file_count; i++)
        free((char *)gprof->files[i].path);
    free(gprof->files);
    free(gprof->symbols);
    for (size_t i = 0;
         image != NULL && image->plain_names != NULL && i < gprof->symbol_count; i++)
        free(image->plain_names[i]);
    if (image != NULL) {
        free(image->plain_names);
        gprof_lines_release(image->lines);
        elf_end(image->elf);
        if (image->fd >= 0)
            close(image->fd);
        free(image->table);
    }
    free(image);
    gprof->image = NULL;
    gprof->symbols = NULL;
    gprof->files = NULL;
    gprof->symbol_count = gprof->file_count = 0;
}

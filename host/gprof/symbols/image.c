/* SPDX-License-Identifier: MIT */
/* Opens the ELF, and finds its .text and its symbol table. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../port/sort.h"
#include "image.h"

static bool open_file(struct gprof *gprof, int *fd, struct error *error)
{
    const char *path = gprof->options.image;
    struct stat status;
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    if (*fd >= 0 && fstat(*fd, &status) == 0 && !S_ISDIR(status.st_mode))
        return true;
    /* For a directory GNU gprof gives the message of a file that does not exist. */
    int reason = *fd < 0 ? errno : ENOENT;
    if (*fd >= 0)
        close(*fd);
    gprof->bare_error = true;
    return error_set(error, EXIT_NO, "%s: %s", path, strerror(reason));
}

/* Whether all bytes of each section are in the file. */
static bool sound_sections(const struct elf_file *file)
{
    const GElf_Ehdr *header = &file->header;
    size_t each = file->word_bytes == 8 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
    if (file->section_count ==
        0) /* libelf drops a section table that lies beyond the file's end */
        return header->e_shoff == 0;
    return header->e_shentsize == each && header->e_shoff <= file->bytes &&
           file->section_count <= (file->bytes - header->e_shoff) / each;
}

static bool find_text(struct gprof_image *image)
{
    size_t names;
    if (elf_getshdrstrndx(image->file.elf, &names) != 0)
        return false;
    for (size_t i = 1; i < image->file.section_count; i++) {
        GElf_Shdr header;
        if (!elf_file_header(&image->file, i, &header))
            return false;
        const char *name = elf_strptr(image->file.elf, names, header.sh_name);
        if (image->text_index == 0 && name != NULL && strcmp(name, ".text") == 0) {
            image->text_index = i;
            image->text_low = elf_file_address(&image->file, header.sh_addr);
            image->text_high = image->text_low + header.sh_size;
        }
    }
    return true;
}

bool gprof_open_image(struct gprof *gprof, struct error *error)
{
    int fd;
    uint64_t inflated;
    struct gprof_image *image = calloc(1, sizeof(*image));
    if (image == NULL)
        return error_set(error, EXIT_NO, "out of memory");
    struct elf_file *file = &image->file;
    file->fd = -1;
    gprof->image = image;
    if (!open_file(gprof, &fd, error))
        return false;
    errno = 0;
    bool sound = elf_file_begin(file, fd, ELF_C_READ_MMAP_PRIVATE) &&
                 file->header.e_type != ET_CORE && sound_sections(file);
    file->sign_extend = file->header.e_machine == EM_MIPS && file->word_bytes == 4;
    bool done = sound && find_text(image);
    if (!done && errno == ENOMEM)
        return error_set(error, EXIT_NO, "out of memory");
    if (!done)
        return error_set(error, EXIT_NO, "%s: not in executable format",
                         gprof->options.image);
    if (elf_file_swells(file, &inflated))
        return error_set(error, EXIT_NO,
                         "%s: its compressed debug sections would have %" PRIu64 " bytes",
                         gprof->options.image, inflated);
    if (image->text_index == 0)
        return error_set(error, EXIT_NO, "can't find .text section in %s",
                         gprof->options.image);
    elf_file_find_symbols(file);
    gprof->word_bytes = file->word_bytes;
    gprof->big_endian = file->big_endian;
    gprof->sign_extend = file->sign_extend;
    return true;
}

void gprof_symbols_release(struct gprof *gprof)
{
    struct gprof_image *image = gprof->image;
    free(gprof->files);
    free(gprof->symbols);
    for (size_t i = 0;
         image != NULL && image->plain_names != NULL && i < gprof->symbol_count; i++)
        free(image->plain_names[i]);
    if (image != NULL) {
        free(image->plain_names);
        port_tdestroy(image->paths, free);
        bfd_lines_release(image->lines);
        elf_file_release(&image->file);
        free(image->table);
    }
    free(image);
    gprof->image = NULL;
    gprof->symbols = NULL;
    gprof->files = NULL;
    gprof->symbol_count = gprof->file_count = 0;
}

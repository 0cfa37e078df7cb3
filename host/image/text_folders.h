/* SPDX-License-Identifier: MIT */
/*
 * The folders below which source may be read. An ELF can name any file of this machine,
 * and who made the ELF may see what is shown of it. So a file is opened only below a
 * folder that the user named, or stands in, or keeps the ELF in.
 */
#ifndef MCUPROF_HOST_TEXT_FOLDERS_H
#define MCUPROF_HOST_TEXT_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Zeroed folders are ready to be added to. */
struct text_folders {
    struct text_folder *items;
    size_t count, room;
    bool no_memory; /* a folder is missing */
};

/* Adds a folder that the user named: all below it may be read. */
void text_folders_give(struct text_folders *folders, const char *folder);

/* Adds what needs no option: the current folder and that of the ELF, each with all of its
 * Git work tree, and the system's headers. Not added are a folder for all, such as /tmp,
 * the user's home and what is above these; nor what is hidden (.git, .ssh) in those
 * added. An ELF in .pio/build of a project of PlatformIO adds that project, and its
 * .pio/libdeps. */
void text_folders_own(struct text_folders *folders, const char *elf);

/* Adds the folder that the ELF says it was compiled in, if the ELF lies below it; with
 * the same exceptions. */
void text_folders_compiled(struct text_folders *folders, const char *elf,
                           const char *directory);

/*
 * Opens a file, to be read for at most *size bytes. NULL: there is no such file, or
 * *refused is set: it is not below a folder that was added, a link leads out of them, it
 * is a device, a pipe, or in /dev, /proc or /sys, or it has more than 16 MiB.
 */
FILE *text_folders_open(const struct text_folders *folders, const char *path,
                        size_t *size, bool *refused);

void text_folders_release(struct text_folders *folders);

#endif

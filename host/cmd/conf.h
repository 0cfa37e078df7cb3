/* SPDX-License-Identifier: MIT */
/*
 * mcuprof.conf, which lies in a user's project: how it is built, put on to the board and
 * recorded. A setting a line, NAME = VALUE; a line that begins with # is a comment. Paths
 * are relative to the folder of the file, where its commands run.
 */
#ifndef MCUPROF_HOST_CONF_H
#define MCUPROF_HOST_CONF_H

#include "../base/error.h"

#define CONF_FILE "mcuprof.conf"

enum { CONF_SHOWN_MAX = 16 };

/* NULL: the file does not say. */
struct conf {
    char *build; /* a command of the shell, which finds the ELF's path in $ELF */
    char *flash; /* the same */
    char *elf;
    char *source;   /* as `record` takes it */
    char *emulator; /* a command whose output is recorded, in place of `source` */
    char *baud, *duration, *capture; /* `record`'s options of these names */
    char *show[CONF_SHOWN_MAX + 1];  /* commands of mcuprof, without ELF and capture; ends
                                        with NULL */
    char *budgets;                   /* the file for `check` */
    char *power;                     /* the file that `check` gets with --power */
};

/* Reads it; the error names the line. Release *conf in any case. */
bool conf_read(struct conf *conf, const char *path, struct error *error);
void conf_release(struct conf *conf);

/* The ELF that mcuprof.conf in the current folder names; NULL: there is no such file, it
 * names none, or the ELF is not built yet. Stays valid. false: the file is there and
 * cannot be read. */
bool conf_elf(const char **elf, struct error *error);

/* Writes a new file from what lies in the current folder, and from the answers to
 * questions that it asks on standard error. A file that is there is not written. */
bool conf_init(const char *path, struct error *error);

#endif

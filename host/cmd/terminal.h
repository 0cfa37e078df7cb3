/* SPDX-License-Identifier: MIT */
/* How commands print on a terminal: width, colour and pager. */
#ifndef MCUPROF_HOST_CMD_TERMINAL_H
#define MCUPROF_HOST_CMD_TERMINAL_H

#include "cmd.h"

struct terminal_options {
    const char *color;
    bool wide, no_pager;
};
/* The value before options are parsed. */
#define TERMINAL_OPTIONS                                                                 \
    {                                                                                    \
        .color = "auto"                                                                  \
    }
/* Rows for option tables. */
#define TERMINAL_OPTION_ROWS(given)                                                      \
    {0,                                                                                  \
     "wide",                                                                             \
     OPTION_FLAG,                                                                        \
     NULL,                                                                               \
     "all of each line, also where the terminal is narrow",                              \
     &(given).wide},                                                                     \
        {0, "no-pager", OPTION_FLAG, NULL, "print, do not page", &(given).no_pager},     \
    {                                                                                    \
        0, "color", OPTION_STRING, "WHEN", "auto (default), always or never",            \
            &(given).color                                                               \
    }

/* Sets the locale, and the style of standard output. Returns EXIT_DONE to go on, or what
 * cmd_usage() returned. */
int terminal_style(const struct cmd *cmd, const struct terminal_options *options,
                   struct style *style);

/*
 * If standard output is a terminal, all later output goes through the pager that
 * MCUPROF_PAGER or PAGER name, or through `less` (with -FRX, unless LESS says otherwise);
 * "" and "cat" mean no pager. Standard error goes there, too, if it is a terminal.
 */
void pager_start(const struct terminal_options *options);
/* Waits until the user has left the pager. Without a pager it does nothing. */
void pager_finish(void);

#endif

/* SPDX-License-Identifier: MIT */
#include "../figures/figures.h"
#include "cmd.h"

void cmd_print_figures(FILE *out)
{
    fputs("Figures of a function, for --columns and --sort; FIGURE_error is the standard "
          "error\nof those with a +:\n",
          out);
    for (const struct figure *figure = figure_rows; figure->id != NULL; figure++)
        fprintf(out, "%-22s %c %s\n", figure->id, figure->has_error ? '+' : ' ',
                figure->help);
}

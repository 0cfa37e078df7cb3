/* SPDX-License-Identifier: MIT */
/* Makes functions, arcs, cycles and call paths (functions/analysis.h) of a profile. */
#ifndef MCUPROF_HOST_ANALYSE_H
#define MCUPROF_HOST_ANALYSE_H

#include "../base/error.h"
#include "../functions/analysis.h"

/* image may be NULL: then each address is a function of its own, named in hex; else names
 * and symbols are the image's and live as long. Fails only for want of memory. */
bool analyse(struct analysis *analysis, const struct profile *profile,
             struct image *image, struct error *error);

/* The same with an image, for callers that need only analysis_sum() and times of the
 * whole. Unless calls were timed or there are stacks, it may leave out functions, arcs,
 * cycles and what is unplaced. */
bool analyse_sums(struct analysis *analysis, const struct profile *profile,
                  struct image *image, struct error *error);

/* How many functions with time or calls there are, and the sums of one, by address. */
size_t analysis_sum_count(const struct analysis *analysis);
struct function_sum analysis_sum(const struct analysis *analysis, size_t index);

/* The standard error of a share n / N (0 to 1) of N samples. A binomial count has the
 * error sqrt(n (1 - n / N)) / N, which is too small for a small n: where 2 to 8 samples
 * are to be expected, twice this error contains the truth in 80 to 93 % of cases. So the
 * error is at least the root of the mean square distance of the true share from n / N, if
 * all shares are equally likely beforehand (Laplace's rule of succession):
 *   sqrt(p (1 - p) / (N + 3) + (p - n / N)^2) with p = (n + 1) / (N + 2),
 * which is sqrt(n + 2) / N for few samples among many. Twice the larger error contains
 * the truth in 93 % of cases or more. */
double analysis_share_error(double share, double samples);
/* The standard error of a time of so many samples, in samples. It is the error of their
 * share of the whole run, even in one task's part, because samples tell how long the task
 * ran, too. 0 without samples. */
double analysis_error(const struct analysis *analysis, double samples);
void analysis_release(struct analysis *analysis);

/* The function that contains an address, the "[unknown]" one where none does; NO_FUNCTION
 * if that is not in the analysis. image: that of the analysis. */
size_t analysis_function_at(const struct analysis *analysis, const struct image *image,
                            uint64_t address);

/* What stands above the outermost function of a path that ends so; NULL: nothing does. */
const char *call_path_above(enum stack_end end);
/* Whether the frame is no function but says that an interrupt hit the next one
 * outwards. */
bool frame_is_interrupt(const struct analysis *analysis, uint32_t frame);

/* Whether a symbol is the profiler's own: a public name, a static function of its source
 * files, or a hook. */
bool analysis_is_overhead(const struct image_symbol *symbol);

/* Whether a function has that name: as in the ELF, demangled, or demangled without its
 * arguments. Static functions of several files may have one name: FILE:NAME is that of
 * one file, as the ELF names it. symbol may be NULL. */
bool analysis_is_named(const char *name, const struct image_symbol *symbol,
                       const char *wanted);

#endif

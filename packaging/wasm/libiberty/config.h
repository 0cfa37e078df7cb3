/* SPDX-License-Identifier: MIT */
/* libiberty's configuration, which its own configure would find out. */
#ifndef MCUPROF_WASM_LIBIBERTY_CONFIG_H
#define MCUPROF_WASM_LIBIBERTY_CONFIG_H

#define HAVE_DECL_ASPRINTF   1
#define HAVE_DECL_BASENAME   1
#define HAVE_DECL_STRNLEN    1
#define HAVE_DECL_STRVERSCMP 1
#define HAVE_DECL_VASPRINTF  1
#define HAVE_LIMITS_H        1
#define HAVE_STDINT_H        1
#define HAVE_STDLIB_H        1
#define HAVE_STRING_H        1
#define HAVE_SYS_TYPES_H     1
#define HAVE_UNISTD_H        1
#define STDC_HEADERS         1

#endif

/* SPDX-License-Identifier: MIT */
/* elfutils' configuration, which its own configure would find out. */
#ifndef MCUPROF_WASM_ELFUTILS_CONFIG_H
#define MCUPROF_WASM_ELFUTILS_CONFIG_H

#define HAVE_DECL_MEMPCPY      1
#define HAVE_DECL_RAWMEMCHR    0
#define HAVE_DECL_POWEROF2     0
#define HAVE_DECL_REALLOCARRAY 1
#define HAVE_ERR_H             1
#define HAVE_VISIBILITY        1
#define PACKAGE_NAME           "elfutils"
#define USE_ZLIB               1

#define dgettext(domain, text) (text)

/* glibc's, in its unistd.h */
#define TEMP_FAILURE_RETRY(call)                                                         \
    ({                                                                                   \
        long done_;                                                                      \
        do                                                                               \
            done_ = (call);                                                              \
        while (done_ == -1 && errno == EINTR);                                           \
        done_;                                                                           \
    })

#include <eu-config.h>

#endif

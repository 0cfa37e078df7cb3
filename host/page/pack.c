/* SPDX-License-Identifier: MIT */
/* Blocks of data that are large are compressed: a page of 100,000 functions would be 75
 * MB. A live page has them plain, for it is sent differences. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "../base/memstream.h"
#include "../export/export.h"
#include "data.h"

/* Smaller blocks stay readable. */
enum { PACKED_BYTES = 256 << 10 };

static void put_base64(FILE *out, const uint8_t *bytes, size_t size)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t three = (uint32_t)bytes[i] << 16 |
                         (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0);
        const char four[] = {digits[three >> 18], digits[three >> 12 & 63],
                             left > 1 ? digits[three >> 6 & 63] : '=',
                             left > 2 ? digits[three & 63] : '='};
        fwrite(four, 1, sizeof four, out);
    }
}

static bool put_packed(FILE *out, const char *text, size_t size, struct error *error)
{
    uLongf packed = compressBound(size);
    uint8_t *bytes = malloc(packed);
    bool done = bytes != NULL && compress2(bytes, &packed, (const uint8_t *)text, size,
                                           Z_DEFAULT_COMPRESSION) == Z_OK;

    if (done)
        put_base64(out, bytes, packed);
    free(bytes);
    return done || error_no_memory(error);
}

/* Puts the blocks of a text; in a block there is no '<'. */
static bool put_blocks(FILE *out, const char *text, struct error *error)
{
    const char *type, *begin, *end;
    bool done = true;

    for (; done && (type = strstr(text, DATA_TYPE)) != NULL; text = end) {
        begin = type + strlen(DATA_TYPE) + strlen("\">");
        end = strchr(begin, '<');
        fwrite(text, 1, (size_t)(type - text), out);
        if (end - begin < PACKED_BYTES) {
            fwrite(type, 1, (size_t)(end - type), out);
        } else {
            fputs(PACKED_TYPE "\">", out);
            done = put_packed(out, begin, (size_t)(end - begin), error);
        }
    }
    fputs(text, out);
    return done;
}

bool data_pack(FILE *out, const struct page *page, data_writer *write,
               struct error *error)
{
    char *text = NULL;
    size_t size = 0;

    if (page->live)
        return write(out, page, error);
    FILE *memory = port_open_memstream(&text, &size);
    bool done = memory != NULL || error_no_memory(error);

    done = done && write(memory, page, error);
    if (memory != NULL && !memstream_close(memory, &text) && done)
        done = error_no_memory(error);
    done = done && put_blocks(out, text, error);
    free(text);
    return done;
}

/* SPDX-License-Identifier: MIT */
#include "utf8.h"

#include <stdlib.h>
#include <string.h>

#include "../port/stream.h"

/* Whether a character has the direction of the text changed: U+061C, U+200E, U+200F,
 * U+202A to U+202E, U+2066 to U+2069. All of it but the last byte is known to be there.
 */
static int turns(const unsigned char *s)
{
    return (s[0] == 0xd8 && s[1] == 0x9c) ||
           (s[0] == 0xe2 && s[1] == 0x80 &&
            (s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xaa && s[2] <= 0xae))) ||
           (s[0] == 0xe2 && s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9);
}

size_t utf8_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t length = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

    if (s[0] < 0x20 || s[0] == 0x7f || (s[0] >= 0x80 && s[0] < 0xc2) || s[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    }
    /* refuses second spellings, surrogates, what is beyond U+10FFFF, and C1 controls */
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f) ||
        (s[0] == 0xc2 && s[1] < 0xa0) || (s[0] == 0xef && s[1] == 0xbf && s[2] > 0xbd))
        return 0;
    return turns(s) ? 0 : length;
}

size_t utf8_show(const char *text, char shown[UTF8_SHOWN])
{
    size_t length = utf8_length(text);

    if (length == 0) {
        snprintf(shown, UTF8_SHOWN, "\\x%02x", (unsigned char)*text);
        return 1;
    }
    memcpy(shown, text, length);
    shown[length] = '\0';
    return length;
}

void utf8_print(FILE *out, const char *text)
{
    char shown[UTF8_SHOWN];

    while (*text != '\0') {
        text += utf8_show(text, shown);
        port_fputs_unlocked(shown, out);
    }
}

char *utf8_text(const char *text, size_t most)
{
    static const char ellipsis[] = "\xe2\x80\xa6";
    const char *from = text;
    char *made = malloc(4 * strlen(text) + sizeof ellipsis), shown[UTF8_SHOWN];
    size_t used = 0;

    if (made == NULL)
        return NULL;
    while (*from != '\0') {
        size_t taken = utf8_show(from, shown), length = strlen(shown);

        if (most > 0 && used + length > most) {
            memcpy(made + used, ellipsis, sizeof ellipsis - 1);
            used += sizeof ellipsis - 1;
            break;
        }
        memcpy(made + used, shown, length);
        used += length;
        from += taken;
    }
    made[used] = '\0';
    return made;
}

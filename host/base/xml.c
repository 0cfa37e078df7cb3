/* SPDX-License-Identifier: MIT */
#include "xml.h"

#include "utf8.h"

void xml_text(FILE *out, const char *text, size_t most)
{
    static const char *const names[] = {
        ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;"};

    char shown[UTF8_SHOWN];

    for (size_t at = 0; at < most && text[at] != '\0';) {
        unsigned char c = (unsigned char)text[at];
        const char *name = c < sizeof names / sizeof names[0] ? names[c] : NULL;

        at += utf8_show(text + at, shown);
        fputs(name != NULL ? name : shown, out);
    }
}

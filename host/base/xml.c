/* SPDX-License-Identifier: MIT */
#include "xml.h"

#include "utf8.h"

void xml_text(FILE *out, const char *text, size_t most)
{
    static const char *const names[] = {
        ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;"};

    for (size_t at = 0, length; at < most && text[at] != '\0';
         at += length > 0 ? length : 1) {
        unsigned char c = (unsigned char)text[at];
        const char *name = c < sizeof names / sizeof names[0] ? names[c] : NULL;

        length = utf8_length(text + at);
        if (name != NULL)
            fputs(name, out);
        else
            fwrite(length > 0 ? text + at : "?", 1, length > 0 ? length : 1, out);
    }
}

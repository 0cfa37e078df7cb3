/* SPDX-License-Identifier: MIT */
/* cJSON reads text, changes what it says, and writes it. */
#include <stdlib.h>
#include <string.h>

#include "board.h"
#include "cJSON.h"
#include "real.h"

static const char *const names[] = {"id", "name", "value", "list", "nested", "on"};
enum { NAMES = sizeof names / sizeof *names };

static cJSON *grow(unsigned depth)
{
    cJSON *object = cJSON_CreateObject();

    for (unsigned i = 0; i < NAMES; i++) {
        uint32_t kind = next_random() % (depth ? 6 : 4);
        cJSON *item;

        if (kind == 0) {
            item = cJSON_CreateNumber((double)(next_random() % 10000) / 8);
        } else if (kind == 1) {
            item = cJSON_CreateString("some \"text\" with\tescapes \xC3\xA9");
        } else if (kind == 2) {
            item = cJSON_CreateBool((int)(next_random() & 1));
        } else if (kind == 3) {
            int numbers[5];

            for (int n = 0; n < 5; n++) {
                numbers[n] = (int)(next_random() % 2000) - 1000;
            }
            item = cJSON_CreateIntArray(numbers, 5);
        } else {
            item = grow(depth - 1);
        }
        cJSON_AddItemToObject(object, names[i], item);
    }
    return object;
}

uint32_t program(unsigned rounds)
{
    uint32_t sum = 0;

    for (unsigned i = 0; i < rounds; i++) {
        cJSON *first = grow(JSON_DEPTH), *second, *copy;
        char *text = cJSON_Print(first), *again;

        second = cJSON_Parse(text);
        copy = cJSON_Duplicate(second, 1);
        again = cJSON_PrintUnformatted(copy);
        if (!second || !cJSON_Compare(first, copy, 1)) {
            board_printf("cjson: not what it was\n");
        }
        sum = checksum(sum, text, strlen(text));
        sum = checksum(sum, again, strlen(again));
        free(text);
        free(again);
        cJSON_Delete(first);
        cJSON_Delete(second);
        cJSON_Delete(copy);
    }
    return sum;
}

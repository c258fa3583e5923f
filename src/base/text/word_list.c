#include "base/text/word_list.h"

#include <stdio.h>
#include <string.h>

bool word_list_has(const char *list, const char *word)
{
    size_t length = strlen(word);
    while (list && (strcspn(list, ",") != length || strncmp(list, word, length))) {
        list = strchr(list, ',');
        list = list ? list + 1 : NULL;
    }
    return list != NULL;
}

bool word_list_next(const char **list, char *word, size_t size)
{
    if (!*list || !**list)
        return false;
    size_t length = strcspn(*list, ",");
    snprintf(word, size, "%.*s", (int)length, *list);
    *list += length + ((*list)[length] == ',');
    return true;
}

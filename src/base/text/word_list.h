/* Words with commas between them, such as "cpu,wall". */
#ifndef CANDOR_BASE_TEXT_WORD_LIST_H
#define CANDOR_BASE_TEXT_WORD_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the word is one of the list's; NULL is a list without words. */
bool word_list_has(const char *list, const char *word);
/* The next word, cut to size - 1 bytes; *list moves behind it. False at the end, and if *list is NULL. Two commas in a row have an
 * empty word between them, but no word begins after a comma at the end. */
bool word_list_next(const char **list, char *word, size_t size);

#endif

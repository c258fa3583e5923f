/* Words with commas between them: only whole words match, at any place.
 * tier: quick
 * timeout: 20
 * aarch64: yes */
#include "../tap.h"

#include "base/text/word_list.h"

#include <string.h>

int main(void)
{
    tap_ok(word_list_has("cpu", "cpu") && word_list_has("cpu,wall,lock", "cpu") && word_list_has("cpu,wall,lock", "wall") &&
               word_list_has("cpu,wall,lock", "lock"),
           "alone, first, between others, last");
    tap_ok(!word_list_has("cpu,wall", "lock") && !word_list_has("cpu-clock", "lock") && !word_list_has("block:rq", "lock") &&
               !word_list_has("cpu", "cpu,wall") && !word_list_has("cpuwall", "cpu") && !word_list_has("wallcpu", "cpu"),
           "a part of a word is none");
    tap_ok(!word_list_has(NULL, "cpu") && !word_list_has("", "cpu") && !word_list_has(",", "cpu") && word_list_has(",cpu,", "cpu"),
           "lists without words");

    const char *list = "cpu,,alloc-and-more,", *none = NULL, *empty = "";
    char word[6], words[64] = "";
    int count = 0;
    for (; word_list_next(&list, word, sizeof word); count++)
        snprintf(words + strlen(words), sizeof words - strlen(words), "<%s>", word);
    tap_ok(count == 3 && !strcmp(words, "<cpu><><alloc>") && !*list, "each word in turn, an empty one too, a long one cut: %s", words);
    tap_ok(!word_list_next(&none, word, sizeof word) && !word_list_next(&empty, word, sizeof word), "and no word of no list");
    return tap_done();
}

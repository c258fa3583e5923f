/* Words with commas between them: whole words only, wherever they stand.
 * tier: quick
 * timeout: 20
 * aarch64: yes */
#include "../tap.h"

#include "base/text/word_list.h"

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
    return tap_done();
}

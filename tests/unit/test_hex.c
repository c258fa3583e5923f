/* Bytes as hexadecimal digits: what is written, what is read, and what is refused.
 * tier: quick
 * timeout: 20 */
#include "../tap.h"

#include "base/text/hex.h"

#include <string.h>

int main(void)
{
    static const uint8_t bytes[] = {0x00, 0x0f, 0xa5, 0xff};
    static const char *const refused[] = {"", "000fa5f", "000fa5ff0", "000fa5f ", " 00fa5ff", "+00fa5ff", "0x0fa5ff", "000fa5fg"};
    uint8_t read[sizeof bytes];
    char text[2 * sizeof bytes + 1];
    tap_ok(!strcmp(hex_put(text, bytes, sizeof bytes), "000fa5ff"), "two digits for each byte: %s", text);
    tap_ok(hex_parse(text, read, sizeof read) && !memcmp(read, bytes, sizeof read), "they are read again");
    tap_ok(hex_parse("000FA5Ff", read, sizeof read) && !memcmp(read, bytes, sizeof read), "upper case is read, too");
    tap_ok(!*hex_put(text, bytes, 0) && hex_parse("", read, 0), "no bytes are no digits");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        tap_ok(!hex_parse(refused[i], read, sizeof read), "'%s' is refused", refused[i]);
    return tap_done();
}

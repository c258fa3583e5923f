/* An error is a negative errno value, and one line for the user that names the thing, what is wrong with it, and the remedy. Functions
 * return 0 or the negative code, and fill the caller's struct error. The text is one line without control characters. */
#ifndef CANDOR_BASE_ERROR_H
#define CANDOR_BASE_ERROR_H

struct error {
    char text[512];
};

/* Formats the text (cut at 511 bytes; control characters become '?') and returns code, so that a failing function ends in
 * `return error_set(...)`. e may be NULL. */
int error_set(struct error *e, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif

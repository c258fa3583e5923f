#include "profile/names.h"

#include "base/utf8.h"

#include <ctype.h>
#include <string.h>

void names_frame(struct buffer *out, const char *class_name, const char *method, bool failed)
{
    if (failed) {
        buffer_text(out, "[");
        buffer_text(out, *class_name ? class_name : "no stack");
        buffer_text(out, *method ? "] " : "]");
    } else if (*class_name) {
        buffer_text(out, class_name);
        buffer_text(out, ".");
    }
    buffer_text(out, *method || failed ? method : "[unknown]");
}

/* The end of the next package part, or NULL: packages are the leading lower-case words that a dot ends, with a class and
 * a method still to come. Symbols of C++ and pseudo frames have none. */
static const char *package_part(const char *at)
{
    if (!islower((unsigned char)*at))
        return NULL;
    const char *end = at;
    while (isalnum((unsigned char)*end) || *end == '_')
        end++;
    if (*end != '.' || !strchr(end + 1, '.'))
        return NULL;
    return end;
}

void names_short(struct buffer *out, const char *label, size_t width)
{
    size_t left = utf8_columns(label);
    const char *at = label;
    for (const char *end; left > width && (end = package_part(at)); at = end + 1) {
        buffer_put(out, at, 1);
        buffer_text(out, ".");
        left -= (size_t)(end - at) - 1;
    }
    buffer_text(out, at);
}

/* Recognizes the names of the JDK's own packages and classes. */
#ifndef CANDOR_BASE_AGREED_JDK_NAMES_H
#define CANDOR_BASE_AGREED_JDK_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Whether the name is of a package of the JDK, or of a class in one. The name is written with dots. */
static inline bool jdk_name(const char *name)
{
    static const char *const begins[] = {"java.", "javax.", "jdk.", "sun.", "com.sun."};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (!strncmp(name, begins[i], strlen(begins[i])))
            return true;
    return false;
}

#endif

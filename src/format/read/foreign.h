/* Formats of other tools that we do not read, so that a file is refused by name and not mistaken for something else. */
#ifndef CANDOR_FORMAT_READ_FOREIGN_H
#define CANDOR_FORMAT_READ_FOREIGN_H

#include <stddef.h>
#include <stdint.h>

struct foreign {
    const char *name;   /* "a callgrind log" */
    const char *remedy; /* the command that makes something of it that is read; FILE stands for the file */
};

/* Recognizes a format by the first bytes of a file; NULL = none of these. */
const struct foreign *foreign_recognise(const uint8_t *bytes, size_t size);
/* The message for a folder that is a profile of another tool; NULL if it is not one. */
const char *foreign_folder(const char *path);

#endif

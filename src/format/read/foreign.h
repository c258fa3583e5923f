/* Formats of other tools that Candor cannot read. A file in such a format is refused with the format's name, and not mistaken for
 * another format. */
#ifndef CANDOR_FORMAT_READ_FOREIGN_H
#define CANDOR_FORMAT_READ_FOREIGN_H

#include <stddef.h>
#include <stdint.h>

struct foreign {
    const char *name;   /* "a callgrind log" */
    const char *remedy; /* the command that converts the file to a readable format; FILE is in place of the file's name */
};

/* Recognizes a format by the first bytes of a file; NULL = none of these. */
const struct foreign *foreign_recognise(const uint8_t *bytes, size_t size);
/* Returns the message for a folder that is a profile of another tool; NULL if it is not one. */
const char *foreign_folder(const char *path);

#endif

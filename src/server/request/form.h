/* Reads a body of type multipart/form-data (RFC 7578) piece by piece: the content of each field goes to a function, as it comes. It holds
 * a line of memory, however long the fields are. */
#ifndef CANDOR_SERVER_REQUEST_FORM_H
#define CANDOR_SERVER_REQUEST_FORM_H

#include <stdbool.h>
#include <stddef.h>

enum { FORM_BOUNDARY_MAX = 70, FORM_LINE_MAX = 1024, FORM_NAME_MAX = 64 };

/* Some of the content of the field. */
typedef void form_take(void *context, const char *name, const char *bytes, size_t n);

struct form {
    form_take *take;
    void *context;
    enum { FORM_BEFORE, FORM_BOUNDARY, FORM_HEADERS, FORM_CONTENT, FORM_END, FORM_BROKEN } state;
    char delimiter[FORM_BOUNDARY_MAX + 5]; /* CR LF - - boundary */
    size_t delimiter_len;
    size_t matched; /* bytes of the delimiter that have come */
    char line[FORM_LINE_MAX];
    size_t line_len;
    char name[FORM_NAME_MAX]; /* of the field; "" = none */
};

/* By the value of Content-Type; false: it has no boundary. */
bool form_begin(struct form *f, const char *type, form_take *take, void *context);
/* False: the body is malformed. */
bool form_feed(struct form *f, const char *bytes, size_t n);
/* All has come: whether the form is complete. */
bool form_is_complete(const struct form *f);

#endif

/* Reads a body of type multipart/form-data (RFC 7578) piece by piece. The content of each field is passed to a function as it is received.
 * The reader needs the memory for one line, however long the fields are. */
#ifndef CANDOR_SERVER_REQUEST_FORM_H
#define CANDOR_SERVER_REQUEST_FORM_H

#include <stdbool.h>
#include <stddef.h>

enum { FORM_BOUNDARY_MAX = 70, FORM_LINE_MAX = 1024, FORM_NAME_MAX = 64 };

/* Receives some of the content of a field. */
typedef void form_take(void *context, const char *name, const char *bytes, size_t n);

struct form {
    form_take *take;
    void *context;
    enum { FORM_BEFORE, FORM_BOUNDARY, FORM_HEADERS, FORM_CONTENT, FORM_END, FORM_BROKEN } state;
    char delimiter[FORM_BOUNDARY_MAX + 5]; /* CR LF - - boundary */
    size_t delimiter_len;
    size_t matched; /* bytes of the delimiter that have been matched so far */
    char line[FORM_LINE_MAX];
    size_t line_len;
    char name[FORM_NAME_MAX]; /* name of the current field; "" = none */
};

/* Begins a form. type: the value of Content-Type. Returns false if it has no boundary. */
bool form_begin(struct form *f, const char *type, form_take *take, void *context);
/* Reads some bytes. Returns false if the body is malformed. */
bool form_feed(struct form *f, const char *bytes, size_t n);
/* Whether the form is complete. Call it when the whole body has been read. */
bool form_is_complete(const struct form *f);

#endif

/* Sends one e-mail by SMTP, with libcurl. */
#ifndef CANDOR_HTTP_MAIL_H
#define CANDOR_HTTP_MAIL_H

#include "http/transport.h"

#include <stddef.h>

enum { MAIL_RECIPIENTS_MAX = 8 };

struct mail_letter {
    const char *url;             /* smtp://HOST:PORT or smtps://HOST:PORT */
    bool open;                   /* of smtp://: send it even if the server does not offer TLS. Otherwise that is an error */
    const char *user, *password; /* "" = none */
    const char *from;            /* addresses, such as candor@example.org */
    const char *to[MAIL_RECIPIENTS_MAX];
    unsigned to_count;
    const char *bytes; /* header lines, an empty line and the body, with CR LF */
    size_t size;
};

/* Sends the letter. Returns 0 if the server has accepted it for every recipient. Otherwise returns a negative code with a message in e. */
int mail_send(struct transport *t, const struct mail_letter *letter, struct error *e);
/* Checks the address of a server, and copies it to out. Returns 0, or -EINVAL with a message in e. */
int mail_server_read(const char *text, char *out, size_t size, struct error *e);
/* Whether the text is one address that can be put into a header line: a local part, @, and a domain, without blanks and <>. */
bool mail_is_address(const char *text);

#endif

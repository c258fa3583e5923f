/* The types of requests, and the frequency of each type. Request n has the same type in every run with the same mix. */
#ifndef CANDOR_LOAD_MIX_H
#define CANDOR_LOAD_MIX_H

#include "base/error.h"
#include "candor/load_driver.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MIX_TYPES_MAX = 32 };

struct mix_type {
    char name[64]; /* the beginning of its tags in the log */
    double weight;
    char method[16];
    char *path;
    char *headers; /* lines "Name: value\r\n"; "" if there are none */
    char *body;    /* "" if there is none */
    size_t body_len;
    char *bytes; /* the whole request, made by mix_render */
    size_t len;
    struct candor_load_call call; /* the same for a driver, made by mix_render */
    char *call_headers;
};

struct mix {
    struct mix_type types[MIX_TYPES_MAX];
    uint32_t count;
    double weights; /* their sum */
};

/* Parses a mix such as "insert=1:POST:/x:BODY,read=9:GET:/y". The form is NAME=WEIGHT[:METHOD[:PATH[:BODY]]]; the defaults are GET and
 * `path`. Returns 0, -EINVAL or -ENOMEM. */
int mix_parse(struct mix *m, const char *text, const char *path, struct error *e);
/* Reads a mix from a file of lines "NAME WEIGHT METHOD PATH [BODY | @FILE]". Indented lines "Name: value" after such a line are its
 * headers; '#' begins a comment. */
int mix_read(struct mix *m, const char *file, struct error *e);
/* Makes a mix of a single type of request. */
int mix_single(struct mix *m, const char *name, const char *method, const char *path, const char *body, size_t body_len, struct error *e);
void mix_deinit(struct mix *m);
/* Makes each type's request for this host. `headers` are added to all requests. Returns 0 or -ENOMEM. */
int mix_render(struct mix *m, const char *authority, const char *headers, bool keep_alive);
/* Returns the type of request n. */
uint32_t mix_choose(const struct mix *m, uint64_t n);

#endif

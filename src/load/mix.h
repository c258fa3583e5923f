/* The types of requests and how often each is sent: request n is of the same type in every run with the same mix. */
#ifndef CANDOR_LOAD_MIX_H
#define CANDOR_LOAD_MIX_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MIX_TYPES_MAX = 32 };

struct mix_type {
    char name[64]; /* begins the tags of its logs */
    double weight;
    char method[16];
    char *path;
    char *headers; /* "Name: value\r\n" lines, "" when there are none */
    char *body;    /* "" when there is none */
    size_t body_len;
    char *bytes; /* the whole request, of mix_render */
    size_t len;
};

struct mix {
    struct mix_type types[MIX_TYPES_MAX];
    uint32_t count;
    double weights; /* their sum */
};

/* "insert=1:POST:/x:BODY,read=9:GET:/y": NAME=WEIGHT[:METHOD[:PATH[:BODY]]], without them GET of `path`. 0, -EINVAL or -ENOMEM. */
int mix_parse(struct mix *m, const char *text, const char *path, struct error *e);
/* From a file of lines "NAME WEIGHT METHOD PATH [BODY | @FILE]"; indented "Name: value" lines below one are its headers, '#'
 * begins a comment. */
int mix_read(struct mix *m, const char *file, struct error *e);
/* Makes a mix of a single type of request. */
int mix_single(struct mix *m, const char *name, const char *method, const char *path, const char *body, size_t body_len, struct error *e);
void mix_deinit(struct mix *m);
/* Writes each type's request for this host, with `headers` of all. 0 or -ENOMEM. */
int mix_render(struct mix *m, const char *authority, const char *headers, bool keep_alive);
/* The type of request n. */
uint32_t mix_choose(const struct mix *m, uint64_t n);

#endif

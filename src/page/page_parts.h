/* Further parts of a recording's page: its halts, findings, locks and what is alive, in the JSON format of their reports, the events of its
 * threads (marks.h), and its spans (spans.h). The parts and the kinds of sample that the page shows share what is read: the file
 * is read once for all kinds of sample, and once for everything else.
 *
 *   page_parts_make -> page_parts_profile ... -> page_parts_add -> page_parts_deinit */
#ifndef CANDOR_PAGE_PAGE_PARTS_H
#define CANDOR_PAGE_PAGE_PARTS_H

#include "format/page/flamegraph.h"
#include "format/page/spans.h"

enum {
    PAGE_HALTS = 500, /* this and PAGE_FINDINGS: the largest numbers on a page; PAGE_HALTS applies to each scope */
    PAGE_FINDINGS = 30,
    PAGE_PARTS = 8 /* not so many parts are made */
};

struct intake;

struct page_parts {          /* begins as zeros, but for these */
    const struct intake *in; /* the recording, which is borrowed */
    const char *name;        /* of the recording, for messages */
    const char *trace_link;  /* template of the address of a trace (base/text/trace_link.h); NULL = none */
    bool is_read;
    struct profile own[PROFILE_KINDS]; /* those of `made` (bits) */
    unsigned made;
    struct profile *profiles[PROFILE_KINDS]; /* NULL = not wanted */
    struct page_part {
        const char *name;
        char *bytes;
        size_t size;
    } list[PAGE_PARTS];
    uint32_t count;
};

/* Reads the samples of these kinds (bits), and of those that the parts need, and makes the parts. p: all samples of one kind of this
 * recording; they are not read again if they are of CPU time. p must outlive the parts. An input that is not a JFR recording has no parts.
 * Returns 0 or -ENOMEM. */
int page_parts_make(struct page_parts *parts, struct profile *p, unsigned kinds);
/* Reads the samples of these kinds only, for a page without parts. Returns 0 or -ENOMEM. */
int page_parts_load_kinds(struct page_parts *parts, unsigned kinds);
/* Returns the samples of a kind that was asked for; NULL if the file could not be read. After page_parts_make the caller
 * may change them. */
struct profile *page_parts_profile(struct page_parts *parts, enum profile_kind kind);
void page_parts_add(const struct page_parts *parts, struct flamegraph *f);
void page_parts_deinit(struct page_parts *parts);

#endif

/* Watches the writer's system calls: replaces libc's pwrite and ftruncate, for all files of the program. */
#ifndef TESTS_JFR_WATCH_H
#define TESTS_JFR_WATCH_H

#include <stdbool.h>

struct jfr_watch {
    unsigned calls;
    unsigned fail_at;   /* this call fails with EIO, 0 = none */
    bool page_by_page;  /* a write ends at the next page, as if the process were killed in the middle of it */
    void (*look)(void); /* after each call */
};
extern struct jfr_watch jfr_watch;

#endif

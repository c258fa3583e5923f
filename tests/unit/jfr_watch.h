/* The writer's system calls, watched: in place of libc's pwrite and ftruncate, of all files of the program. */
#ifndef TESTS_JFR_WATCH_H
#define TESTS_JFR_WATCH_H

#include <stdbool.h>

struct jfr_watch {
    unsigned calls;
    unsigned fail_at;   /* this call fails with EIO, 0 = none */
    bool page_by_page;  /* a write ends at the next page, as one does in which the process is killed */
    void (*look)(void); /* after each call */
};
extern struct jfr_watch jfr_watch;

#endif

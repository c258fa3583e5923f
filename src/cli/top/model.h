/* The state of candor top: which rows, in which order, for which time, and which one is selected. It knows neither terminal nor
 * JVM.
 *
 *   model_init -> [ model_part -> model_update(view) ]* with keys in between (keys.h) -> model_deinit
 *
 * Rows borrow names from the profile of the last update: it must stay until the next. */
#ifndef CANDOR_CLI_TOP_MODEL_H
#define CANDOR_CLI_TOP_MODEL_H

#include "cli/top/rows.h"
#include "profile/load/live.h"

enum model_sort { MODEL_BY_SELF, MODEL_BY_TOTAL, MODEL_BY_NAME, MODEL_SORTS };
enum model_prompt { MODEL_NO_PROMPT, MODEL_SEARCH, MODEL_SAVE };
/* Requests that the model cannot carry out itself; its caller does, and clears them. */
enum model_wish { MODEL_NO_WISH, MODEL_QUIT, MODEL_SAVE_FILE, MODEL_REDRAW };

enum { MODEL_LEVELS = 16, MODEL_TEXT = 256, MODEL_ACCOUNTS = 6 };

/* The opened views: at the bottom a table, on it a thread or a method. */
struct model_level {
    enum rows_kind kind;
    uint32_t id;     /* the method whose callers or callees these are */
    bool one_thread; /* only the samples of `thread` */
    uint32_t thread;
    uint32_t selected, first; /* where one was before the next level */
};

struct model_account { /* of the CPU time of the view */
    const char *name;
    double share;
};

struct model {
    struct model_level levels[MODEL_LEVELS];
    unsigned level;
    enum model_sort sort;
    uint64_t span_ns; /* of the window */
    bool since_start, paused, help;
    char search[MODEL_TEXT]; /* "" = none */
    char search_before[MODEL_TEXT];

    enum model_prompt prompt;
    char typed[MODEL_TEXT]; /* at the prompt */
    char file[MODEL_TEXT];  /* the name that is proposed for saving */
    enum model_wish wish;
    char message[2 * MODEL_TEXT]; /* shown until the next key */
    bool message_is_error;

    struct rows rows;
    uint32_t *shown; /* indices of rows that match, in order */
    uint32_t shown_count, shown_cap;
    uint32_t selected; /* of the shown rows */
    uint32_t selected_id;
    bool chosen;          /* the selection was moved: it stays with its row, not with its place */
    uint32_t first, page; /* of the shown rows that are on the screen */

    /* of the last update */
    uint64_t samples, duration_ns, interval_ns;
    double cpus;        /* CPU time per time */
    double approximate; /* stats_approximate_share */
    bool has_books;
    struct model_account accounts[MODEL_ACCOUNTS];
    double search_self, search_total; /* of the rows that match: their selfs added up, the largest total */
    char title[MODEL_TEXT];           /* of the method or thread that is looked into */
};

void model_init(struct model *m, uint64_t span_ns);
void model_deinit(struct model *m);
/* Which part of the recording the next update should be of. */
struct live_part model_part(const struct model *m);
/* Makes the rows anew from a view. 0, -ENOMEM or -EFBIG. */
int model_update(struct model *m, const struct profile *view);
/* Searches and sorts the rows that are there. */
void model_arrange(struct model *m);
const struct row *model_row(const struct model *m, uint32_t shown);
const struct model_level *model_level(const struct model *m);
/* A table at the bottom: methods, threads or books. */
void model_show(struct model *m, enum rows_kind kind);
void model_move(struct model *m, int64_t by);
/* Open the selected row, and go back; false if that is not possible. The rows stay as they are until the next update. */
bool model_enter(struct model *m);
bool model_leave(struct model *m);
/* Scrolls so that the selected row is visible. page: the number of rows on the screen. */
void model_fit(struct model *m, uint32_t page);
void model_say(struct model *m, bool is_error, const char *format, ...) __attribute__((format(printf, 3, 4)));
const char *model_sort_word(enum model_sort sort);

#endif

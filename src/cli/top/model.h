/* The state of candor top: the rows, their order, their time, and the selected row. It knows neither the terminal nor the JVM.
 *
 *   model_init -> [ model_part -> model_update(view) ]* with keys in between (keys.h) -> model_deinit
 *
 * Rows use names of the profile of the last update, which must exist until the next update. */
#ifndef CANDOR_CLI_TOP_MODEL_H
#define CANDOR_CLI_TOP_MODEL_H

#include "cli/top/rows.h"
#include "profile/load/live.h"

enum model_sort { MODEL_BY_SELF, MODEL_BY_TOTAL, MODEL_BY_NAME, MODEL_SORTS };
enum model_prompt { MODEL_NO_PROMPT, MODEL_SEARCH, MODEL_SAVE };
/* Requests that the model cannot carry out itself. Its caller carries them out and clears them. */
enum model_wish { MODEL_NO_WISH, MODEL_QUIT, MODEL_SAVE_FILE, MODEL_REDRAW };

enum { MODEL_LEVELS = 16, MODEL_TEXT = 256, MODEL_ACCOUNTS = 6 };

/* A view that the user opened. The first level is a table. The levels above it are a thread or a method. */
struct model_level {
    enum rows_kind kind;
    uint32_t id;     /* for callers and callees: the method */
    bool one_thread; /* only the samples of `thread` */
    uint32_t thread;
    uint32_t selected, first; /* the selection, and the first row on the screen, when the user opened the next level */
};

struct model_account { /* a share of the CPU time of the view */
    const char *name;
    double share;
};

struct model {
    struct model_level levels[MODEL_LEVELS];
    unsigned level;
    enum model_sort sort;
    uint64_t span_ns; /* length of the window */
    bool since_start, paused, help;
    char search[MODEL_TEXT]; /* "" = none */
    char search_before[MODEL_TEXT];

    enum model_prompt prompt;
    char typed[MODEL_TEXT]; /* the text at the prompt */
    char file[MODEL_TEXT];  /* the suggested name for saving */
    enum model_wish wish;
    char message[2 * MODEL_TEXT]; /* shown until the next key */
    bool message_is_error;

    struct rows rows;
    uint32_t *shown; /* indices of the rows that match the search, in order */
    uint32_t shown_count, shown_cap;
    uint32_t selected; /* index in the shown rows */
    uint32_t selected_id;
    bool chosen;          /* the user moved the selection; it then follows its row, not its position */
    uint32_t first, page; /* first shown row on the screen, and number of rows on it */

    /* results of the last update */
    uint64_t samples, duration_ns, interval_ns;
    double cpus;        /* CPU time divided by elapsed time */
    double approximate; /* stats_approximate_share */
    bool has_books;
    struct model_account accounts[MODEL_ACCOUNTS];
    double search_self, search_total; /* self summed over the rows that match the search, and their largest total */
    char title[MODEL_TEXT];           /* name of the method or thread that the user opened */
};

void model_init(struct model *m, uint64_t span_ns);
void model_deinit(struct model *m);
/* Returns the part of the recording that the next update must cover. */
struct live_part model_part(const struct model *m);
/* Makes new rows from a view. Returns 0, -ENOMEM or -EFBIG. */
int model_update(struct model *m, const struct profile *view);
/* Searches and sorts the present rows. */
void model_arrange(struct model *m);
const struct row *model_row(const struct model *m, uint32_t shown);
const struct model_level *model_level(const struct model *m);
/* Shows a table as the first level: methods, threads or books. */
void model_show(struct model *m, enum rows_kind kind);
void model_move(struct model *m, int64_t by);
/* Open the selected row, and go back. They return false if that is not possible. The rows stay as they are until the next update. */
bool model_enter(struct model *m);
bool model_leave(struct model *m);
/* Scrolls until the selected row is visible. page: the number of rows on the screen. */
void model_fit(struct model *m, uint32_t page);
void model_say(struct model *m, bool is_error, const char *format, ...) __attribute__((format(printf, 3, 4)));
const char *model_sort_word(enum model_sort sort);

#endif

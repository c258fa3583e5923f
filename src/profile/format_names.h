/* A table of other tools' formats that profiles are read from or written to: their names for options, their descriptions for users, and
 * the extensions of files that are written. JFR is not in the table: it has its own reader, and recordings are packed, not converted. */
#ifndef CANDOR_PROFILE_FORMAT_NAMES_H
#define CANDOR_PROFILE_FORMAT_NAMES_H

/* X(name, words, extensions, media type). The function NAME_read reads a format (format/import.h). A format that is only read also has
 * NAME_is: a file's content is compared with these formats in the order of their rows. The function NAME_export writes a format
 * (format/export.h). The server writes the formats that are also read. */
#define FORMAT_NAMES_BOTH(X)                                                                                                               \
    X(collapsed, "collapsed stacks (a line is frames with semicolons between, and a number)", ".collapsed .folded",                        \
      "text/plain; charset=utf-8")                                                                                                         \
    X(otlp, "OpenTelemetry profiles", ".otlp", "application/x-protobuf")                                                                   \
    X(pprof, "pprof", ".pb.gz .pprof", "application/octet-stream")                                                                         \
    X(speedscope, "speedscope", ".speedscope.json", "application/json")
#define FORMAT_NAMES_READ(X)                                                                                                               \
    X(hpl, "Honest-Profiler's log", "", "")                                                                                                \
    X(legacy, "pprof's legacy formats (gperftools, old Go)", "", "")                                                                       \
    X(perf, "the text of 'perf script'", "", "")                                                                                           \
    X(threads, "thread dumps (jstack, jcmd Thread.print, SIGQUIT)", "", "")
#define FORMAT_NAMES_WRITTEN(X) X(csv, "a line per sample", ".csv", "text/csv; charset=utf-8")
/* Candor's own outputs, which only cli/commands/cmd_convert.c writes: they need more than a profile, or code outside format/ makes them. */
#define FORMAT_NAMES_OWN(X)                                                                                                                \
    X(html, "a flame graph in one file", ".html", "text/html; charset=utf-8")                                                              \
    X(json, "the output of 'candor report --json'", ".json", "application/json")

/* Pieces of lists: "|pprof", " pprof", ", pprof", ", a flame graph in one file". */
#define FORMAT_NAMES_BAR(name, words, extensions, media)        "|" #name
#define FORMAT_NAMES_BLANK(name, words, extensions, media)      " " #name
#define FORMAT_NAMES_COMMA(name, words, extensions, media)      ", " #name
#define FORMAT_NAMES_WORDS(name, words, extensions, media)      ", " words
#define FORMAT_NAMES_EXTENSIONS(name, words, extensions, media) " " extensions

#endif

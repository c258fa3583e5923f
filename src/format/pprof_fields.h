/* The numbers of the fields of pprof's messages, and the words that Candor writes into them. Only pprof_read.c, pprof_write.c and their
 * parts include this file. */
#ifndef CANDOR_FORMAT_PPROF_FIELDS_H
#define CANDOR_FORMAT_PPROF_FIELDS_H

enum pprof_profile {
    PPROF_SAMPLE_TYPE = 1,
    PPROF_SAMPLE,
    PPROF_MAPPING,
    PPROF_LOCATION,
    PPROF_FUNCTION,
    PPROF_STRING,
    PPROF_TIME_NANOS = 9,
    PPROF_DURATION_NANOS,
    PPROF_PERIOD_TYPE,
    PPROF_PERIOD,
    PPROF_COMMENT,
    PPROF_DEFAULT_SAMPLE_TYPE,
};
enum pprof_value_type { PPROF_VALUE_TYPE = 1, PPROF_VALUE_UNIT };
enum pprof_sample { PPROF_SAMPLE_LOCATION = 1, PPROF_SAMPLE_VALUE, PPROF_SAMPLE_LABEL };
enum pprof_label { PPROF_LABEL_KEY = 1, PPROF_LABEL_STR, PPROF_LABEL_NUM, PPROF_LABEL_UNIT };
enum pprof_mapping { PPROF_MAPPING_ID = 1, PPROF_MAPPING_FILENAME = 5, PPROF_MAPPING_HAS_FUNCTIONS = 7, PPROF_MAPPING_HAS_LINES = 9 };
enum pprof_location { PPROF_LOCATION_ID = 1, PPROF_LOCATION_MAPPING, PPROF_LOCATION_ADDRESS, PPROF_LOCATION_LINE };
enum pprof_line { PPROF_LINE_FUNCTION = 1, PPROF_LINE_LINE };
enum pprof_function { PPROF_FUNCTION_ID = 1, PPROF_FUNCTION_NAME, PPROF_FUNCTION_SYSTEM_NAME };

/* Labels of samples that the profile has fields for, and the beginnings of comments. */
#define PPROF_THREAD         "thread"
#define PPROF_THREAD_ID      "thread_id"
#define PPROF_JAVA_THREAD_ID "java_thread_id"
#define PPROF_STATE          "state"
#define PPROF_OUTCOME        "outcome"
#define PPROF_PROCESS        "process: "
#define PPROF_PID            "pid: "
#define PPROF_JVM            "jvm: "
#define PPROF_SOURCE         "source: "

#endif

/* Reads the JVM's performance data file (/tmp/hsperfdata_USER/PID): a 32-byte header and entries of name and value. The JVM writes it while
 * we read, and any user may place a false one. Therefore every offset is checked, and the content is treated only as text. */
#ifndef CANDOR_ATTACH_HSPERF_H
#define CANDOR_ATTACH_HSPERF_H

#include <stddef.h>
#include <stdint.h>

enum { HSPERF_TEXT = 1025 }; /* the JVM cuts its strings at 1024 */

struct hsperf {
    char version[64];            /* java.property.java.version: "17.0.19" */
    char command[HSPERF_TEXT];   /* sun.rt.javaCommand: main class or jar, and its arguments */
    char arguments[HSPERF_TEXT]; /* java.rt.vmArgs: options of the JVM, from all sources */
    char vendor[64];             /* java.property.java.vm.vendor: "Debian" */
    char collector[64];          /* sun.gc.collector.0.name: "G1 young collection pauses" */
};

/* Fills the fields that it finds, and sets the others to "". Returns 0, or -EINVAL if this is no such file. */
int hsperf_parse(const uint8_t *data, size_t len, struct hsperf *h);

#endif

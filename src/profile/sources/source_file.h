/* Reads the file with the source code of a class of Java, Kotlin, Scala or Groovy. As in any source tree, the package is a folder, and the
 * file has the name of the outermost class. The folders may be the roots of such trees, or of projects of Maven and Gradle.
 *
 * Names come from a recording, which may be hostile: only names that Java's compilers make are looked for, so that no name can lead out
 * of the folders. */
#ifndef CANDOR_PROFILE_SOURCES_SOURCE_FILE_H
#define CANDOR_PROFILE_SOURCES_SOURCE_FILE_H

#include <stddef.h>
#include <stdint.h>

struct source_file {
    char *path; /* below one of the folders, as people write it: "shop/Cart.java" */
    char *text; /* its lines, each with a zero at its end */
    char **lines;
    uint32_t count;
};

/* Reads the file of the class, such as "shop.Cart$Item". folders: with colons between them; the first one that has the file counts. Returns
 * 0, -ENOENT, or -ENOMEM; call source_file_deinit after 0 only. */
int source_file_read(struct source_file *f, const char *folders, const char *class_name, size_t len);
void source_file_deinit(struct source_file *f);

#endif

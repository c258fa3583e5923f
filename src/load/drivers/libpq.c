#include "load/drivers/libpq.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

int libpq_load(struct libpq *pq, struct error *e)
{
    static const char *const names[] = {
#define LIBPQ_NAME(name) #name,
        LIBPQ_FUNCTIONS(LIBPQ_NAME)
#undef LIBPQ_NAME
    };
    char *place = (char *)pq; /* the members are pointers, in the order of the names */
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return error_set(e, -ENOENT, "no PostgreSQL server can be reached: libpq is not installed; apt-get install libpq5");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++, place += sizeof(void *)) {
        void *found = dlsym(library, names[i]);
        if (!found)
            return error_set(e, -ENOTSUP, "this libpq has no %s; install version 14 or newer", names[i]);
        memcpy(place, &found, sizeof found);
    }
    return 0;
}

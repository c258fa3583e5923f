/* The disassembler of libhsdis0-fcml for JVMs from JDK 13 on: these call only the newer of hsdis's two functions, which that library
 * lacks. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

typedef void *on_event(void *stream, const char *event, void *argument);
typedef int on_print(void *stream, const char *format, ...);
typedef void *decode(void *start, void *end, on_event *event, void *event_stream, on_print *print, void *print_stream, const char *options);
typedef void *decode_virtual(uintptr_t start, uintptr_t end, unsigned char *buffer, uintptr_t size, on_event *event, void *event_stream,
                             on_print *print, void *print_stream, const char *options, int newline);

__attribute__((visibility("default"))) decode_virtual decode_instructions_virtual;

/* The code to decode is in `buffer`; for HotSpot this is also the address at which it runs. */
void *decode_instructions_virtual(uintptr_t start, uintptr_t end, unsigned char *buffer, uintptr_t size, on_event *event,
                                  void *event_stream, on_print *print, void *print_stream, const char *options, int newline)
{
    (void)start;
    (void)end;
    (void)newline;
    void *library = dlopen("libhsdis.so.0", RTLD_NOW);
    void *symbol = library ? dlsym(library, "decode_instructions") : NULL;
    union {
        void *symbol;
        decode *call;
    } function = {symbol};
    return symbol ? function.call(buffer, buffer + size, event, event_stream, print, print_stream, options) : NULL;
}

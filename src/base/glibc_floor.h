/* Binds functions that have newer versions in newer C libraries to their oldest version, so that the agent also loads into JVMs on older
 * systems. The build includes this file before every file of the agent and of its libraries. */
#include <features.h>

#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
#ifdef __x86_64__
#define FLOOR(symbol, name, version) __asm__(".symver " #symbol "," #name "@GLIBC_" #version)
#else /* aarch64: the first glibc for it is 2.17, so functions that are older have that version */
#define FLOOR(symbol, name, version) __asm__(".symver " #symbol "," #name "@GLIBC_2.17")
#endif
FLOOR(pthread_create, pthread_create, 2.2.5);
FLOOR(pthread_sigmask, pthread_sigmask, 2.2.5);
FLOOR(pthread_attr_setstacksize, pthread_attr_setstacksize, 2.2.5);
FLOOR(pthread_setname_np, pthread_setname_np, 2.12);
FLOOR(pthread_key_create, pthread_key_create, 2.2.5);
FLOOR(pthread_setspecific, pthread_setspecific, 2.2.5);
FLOOR(dlopen, dlopen, 2.2.5);
FLOOR(dlclose, dlclose, 2.2.5);
FLOOR(dladdr, dladdr, 2.2.5);
FLOOR(dlsym, dlsym, 2.2.5);
FLOOR(fcntl64, fcntl, 2.2.5);
#undef FLOOR
#endif

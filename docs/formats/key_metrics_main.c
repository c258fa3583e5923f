/* Writes docs/formats/key-metrics.md anew.
 * usage: key_metrics_page FILE */
#include "key_metrics_page.h"

int main(int argc, char **argv)
{
    FILE *out = argc == 2 ? fopen(argv[1], "w") : NULL;
    if (!out) {
        perror(argc == 2 ? argv[1] : "usage: key_metrics_page FILE");
        return argc == 2 ? 1 : 2;
    }
    key_metrics_page_write(out);
    return fclose(out) ? 1 : 0;
}

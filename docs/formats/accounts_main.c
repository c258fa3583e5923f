/* Writes docs/formats/accounts.md anew.
 * usage: accounts_page FILE */
#include "accounts_page.h"

int main(int argc, char **argv)
{
    FILE *out = argc == 2 ? fopen(argv[1], "w") : NULL;
    if (!out) {
        perror(argc == 2 ? argv[1] : "usage: accounts_page FILE");
        return argc == 2 ? 1 : 2;
    }
    accounts_page_write(out);
    return fclose(out) ? 1 : 0;
}

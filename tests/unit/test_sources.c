/* Source code beside the figures: which file a class has, which lines are chosen, and that no name leads out of the folders.
 * tier: quick
 * timeout: 30 */
#include "../tap.h"

#include "profile/sources/source_file.h"
#include "profile/sources/sources.h"
#include "profile_maker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/candor-sources-XXXXXX";

static void make_folder(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    mkdir(path, 0700);
}

static void make_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "we");
    if (!f || fputs(text, f) < 0 || fclose(f))
        tap_ok(false, "%s: cannot be written", path);
}

static void make_tree(void)
{
    static const char *const folders[] = {"a", "a/shop", "p", "p/src", "p/src/main", "p/src/main/java", "p/src/main/java/shop"};
    tap_ok(mkdtemp(folder) != NULL, "a folder");
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        make_folder(folders[i]);
    make_file("secret.java", "secret\n");
    make_file("a/Main.java", "class Main\r\n");
    make_file("a/shop/Cart.java", "one\ntwo\n\tthree\n4\n5\n6\n7\n8\n9\n10\n11\nlast");
    make_file("a/shop/Text.kt", "fun text()\n");
    char path[256];
    snprintf(path, sizeof path, "%s/a/shop/Pipe.java", folder);
    tap_ok(!mkfifo(path, 0600), "a pipe");
    make_file("p/src/main/java/shop/Cart.java", "another\n");
    make_file("p/src/main/java/shop/Pay.java", "pay\n");
}

static void reads(const char *folders, const char *class_name, const char *path, const char *first, const char *about)
{
    char all[256];
    struct source_file f;
    snprintf(all, sizeof all, "%s/none:%s/%s:%s/p", folder, folder, folders, folder);
    int rc = source_file_read(&f, all, class_name, strlen(class_name));
    if (!path) {
        tap_ok(rc == -ENOENT, "%s", about);
        return;
    }
    if (tap_ok(!rc && !strcmp(f.path, path) && f.count && !strcmp(f.lines[0], first), "%s", about))
        source_file_deinit(&f);
    else
        tap_note("%d", rc);
}

static void test_files(void)
{
    reads("a", "shop.Cart", "shop/Cart.java", "one", "a class; the first folder counts");
    reads("a", "shop.Cart$Item$$Lambda.1", "shop/Cart.java", "one", "classes inside of it");
    reads("a", "Main", "Main.java", "class Main", "a class without a package; line ends of Windows");
    reads("a", "shop.TextKt", "shop/Text.kt", "fun text()", "Kotlin's functions");
    reads("a", "shop.Pay", "shop/Pay.java", "pay", "the folder of a project");
    reads("a", "shop.None", NULL, NULL, "a class without a file");
    reads("a", "shop.Pipe", NULL, NULL, "a pipe is not waited for");
    static const char *const hostile[] = {"..secret", "a/../secret", "../secret", ".secret", "shop..Cart", "shop.Cart.", "", "$Cart", "*"};
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++)
        reads("a", hostile[i], NULL, NULL, "no class has such a name");
}

static void make_profile(struct profile *p)
{
    maker_init(p);
    maker_sample(p, "java.lang.Thread.run:1;shop.Cart.total:2;java.util.HashMap.get:3", 50);
    maker_sample(p, "java.lang.Thread.run:1;shop.Cart.total:3", 30);
    maker_sample(p, "java.lang.Thread.run:1;shop.Cart.total:11;shop.Lost.pay:4", 15);
    maker_sample(p, "java.lang.Thread.run:1;shop.Cart.item:99", 5);
}

/* The lines as "NUMBER SELF TOTAL TEXT|...". */
static const char *lines_of(const struct source_method *m)
{
    static char text[1000];
    size_t n = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < m->count; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%u %d %d %s|", m->lines[i].number, (int)m->lines[i].self, (int)m->lines[i].total,
                              m->lines[i].text);
    return text;
}

static void find(struct sources *s, const struct profile *p, uint32_t most)
{
    struct successive_order order;
    struct stats stats = {0};
    char path[256];
    snprintf(path, sizeof path, "%s/a", folder);
    int rc = successive_order_init(&order, p);
    rc = rc ? rc : stats_compute_ordered(&stats, &order);
    rc = rc ? rc : stats_compute_own(&stats, &order);
    rc = rc ? rc : sources_find(s, p, &stats, path, most);
    tap_ok(!rc, "sources");
    successive_order_deinit(&order);
    stats_deinit(&stats);
}

static void test_lines(void)
{
    struct profile p;
    struct sources s;
    make_profile(&p);
    find(&s, &p, 5);
    if (tap_ok(s.count == 2 && s.missing == 1 && !strcmp(profile_text(&p, s.list[0].label), "shop.Cart.total") &&
                   !strcmp(s.list[0].file, "shop/Cart.java"),
               "the own methods that cost most, of which one has no file"))
        tap_ok(!strcmp(lines_of(&s.list[0]),
                       "1 0 0 one|2 0 50 two|3 30 30     three|4 0 0 4|5 0 0 5|9 0 0 9|10 0 0 10|11 0 15 11|12 0 0 last|"),
               "lines with self and total, and their neighbors; tabs are blanks");
    tap_note("%s", s.count ? lines_of(&s.list[0]) : "none");
    tap_ok(s.count == 2 && s.list[1].beyond == 1 && !s.list[1].count && !s.list[0].beyond, "a line behind the end of the file is counted");
    sources_deinit(&s);
    find(&s, &p, 1);
    tap_ok(s.count == 1, "no more than were asked for");
    sources_deinit(&s);
    profile_deinit(&p);
}

/* A long line ends before the character that does not fit whole. */
static void test_long_line(void)
{
    struct profile p;
    struct sources s;
    char text[1200] = "x";
    for (int i = 0; i < 400; i++)
        strcat(text, "é");
    make_file("a/Main.java", text);
    maker_init(&p);
    maker_sample(&p, "Main.main:1", 1);
    find(&s, &p, 1);
    tap_ok(s.count == 1 && s.list[0].count == 1 && strlen(s.list[0].lines[0].text) == 299, "a long line is cut between two characters");
    sources_deinit(&s);
    profile_deinit(&p);
}

int main(void)
{
    char command[300];
    make_tree();
    test_files();
    test_lines();
    test_long_line();
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    tap_ok(!system(command), "the folder is removed");
    return tap_done();
}

/*
 * A signal handler writes records of different lengths; the program reads them when it has time. The handler allocates nothing and
 * never waits: the chunks come from a pool, and when that is empty a record is lost and counted.
 *
 *     cc handler.c $(pkg-config --cflags --libs candor-queue)
 */
#include <candor/queue.h>

#include <signal.h>
#include <stdio.h>

#define CHUNKS      16
#define CHUNK_WORDS 64

static struct candor_queue queue;
static volatile sig_atomic_t signals, lost;

static void on_signal(int number)
{
    (void)number;
    candor_queue_begin(&queue);
    for (int i = 0; i <= signals % 8; i++)
        candor_queue_put(&queue, (uint64_t)signals);
    if (!candor_queue_commit(&queue))
        lost = lost + 1;
    signals = signals + 1;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    static uint64_t memory[CHUNKS * CHUNK_WORDS + 512]; /* at least candor_pool_bytes() */
    struct candor_pool pool;
    uint64_t words[8], records = 0, total = 0;
    size_t n;

    if (candor_pool_bytes(CHUNKS, CHUNK_WORDS) > sizeof memory || candor_pool_init(&pool, memory, CHUNKS, CHUNK_WORDS) != 0)
        return 1;
    candor_queue_init(&queue, &pool);
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < 1000; i++) {
        raise(SIGUSR1);
        if (i % 100 != 99)
            continue;
        while ((n = candor_queue_read(&queue, words, 8)) > 0) {
            records++;
            total += n;
        }
    }
    candor_queue_deinit(&queue);
    printf("%llu records of %llu words, %d lost\n", (unsigned long long)records, (unsigned long long)total, (int)lost);
    return 0;
}

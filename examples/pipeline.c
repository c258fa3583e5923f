/*
 * One thread hands numbers to another through a bounded ring, and waits where it is full.
 *
 *     cc pipeline.c $(pkg-config --cflags --libs candor-queue) -pthread
 */
#include <candor/queue.h>

#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#define NUMBERS 100000

static struct candor_spsc_array ring;
static uint64_t slots[1024];
static uint64_t numbers[NUMBERS];

static void *produce(void *argument)
{
    for (uint64_t i = 0; i < NUMBERS; i++) {
        numbers[i] = i + 1;
        while (!candor_spsc_array_offer(&ring, &numbers[i]))
            sched_yield(); /* full */
    }
    return argument;
}

static void add(void *sum, void *number)
{
    *(uint64_t *)sum += *(uint64_t *)number;
}

int main(void)
{
    pthread_t producer;
    uint64_t sum = 0, taken = 0;

    if (candor_spsc_array_init(&ring, slots, sizeof slots / sizeof *slots) != 0)
        return 1;
    pthread_create(&producer, NULL, produce, NULL);
    while (taken < NUMBERS) {
        uint64_t n = candor_spsc_array_drain(&ring, add, &sum, NUMBERS);

        if (n == 0)
            sched_yield(); /* empty */
        taken += n;
    }
    pthread_join(producer, NULL);
    printf("%llu numbers, sum %llu\n", (unsigned long long)taken, (unsigned long long)sum);
    return 0;
}

/*
 * Two threads give work to two others in C++: a bounded queue for any number of threads on both sides.
 *
 *     c++ -std=c++11 workers.cpp $(pkg-config --cflags --libs candor-queue) -pthread
 */
#include <candor/queue.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

struct job {
    unsigned number;
};

static const unsigned jobs_each = 10000;

int main()
{
    static candor_mpmc_array_cell cells[256];
    static job jobs[2][jobs_each];
    candor_mpmc_array queue;
    std::atomic<unsigned> done(0);
    std::atomic<unsigned long long> sum(0);
    std::vector<std::thread> threads;

    if (candor_mpmc_array_init(&queue, cells, 256) != 0)
        return 1;
    for (int side = 0; side < 2; side++) {
        threads.emplace_back([&queue, side] {
            for (unsigned i = 0; i < jobs_each; i++) {
                jobs[side][i].number = i;
                while (!candor_mpmc_array_offer(&queue, &jobs[side][i]))
                    std::this_thread::yield(); // full
            }
        });
        threads.emplace_back([&queue, &done, &sum] {
            while (done < 2 * jobs_each) {
                if (void *element = candor_mpmc_array_poll(&queue)) {
                    sum += static_cast<job *>(element)->number;
                    done++;
                } else {
                    std::this_thread::yield(); // empty
                }
            }
        });
    }
    for (std::thread &thread : threads)
        thread.join();
    std::printf("%u jobs, sum %llu\n", done.load(), sum.load());
    return 0;
}

/* The server's limit of connections for one address: IPv4 addresses one by one, IPv6 addresses by their network.
 * tier: quick
 * timeout: 20 */
#include "../tap.h"

#include "server/front/places.h"

#include <arpa/inet.h>
#include <netinet/in.h>

static struct places places;

static struct place *take(const char *address, uint32_t most)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    bool old = inet_pton(AF_INET, address, &v4.sin_addr) == 1;
    if (!old && inet_pton(AF_INET6, address, &v6.sin6_addr) != 1)
        return NULL;
    return places_take(&places, old ? (struct sockaddr *)&v4 : (struct sockaddr *)&v6, most);
}

int main(void)
{
    struct place *first = take("10.0.0.1", 2), *second = take("10.0.0.1", 2), *other = take("10.0.0.2", 2);
    tap_ok(first && first == second && first->count == 2 && !take("10.0.0.1", 2), "two of one address, and no third");
    tap_ok(other && other != first && !take("10.0.0.3", 0), "another address has a limit of its own");
    places_give(&places, first);
    tap_ok(take("10.0.0.1", 2) == second, "one leaves, another is let in");

    struct place *network = take("2001:db8:1:2::1", 2);
    tap_ok(network && take("2001:db8:1:2:ffff::2", 2) == network && !take("2001:db8:1:2::3", 2), "a /64 network is one");
    struct place *beside = take("2001:db8:1:3::1", 2);
    tap_ok(beside && beside != network, "another network is not");

    enum { MANY = 5000 };
    static struct place *many[MANY];
    char text[32];
    bool all = true;
    for (int i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "172.16.%d.%d", i / 256, i % 256);
        many[i] = take(text, 1);
        all = all && many[i] && !take(text, 1);
    }
    tap_ok(all, "%d addresses, each with its limit", MANY);
    for (int i = 0; i < MANY; i++)
        places_give(&places, many[i]);
    for (int i = 0; i < 2; i++) {
        places_give(&places, second);
        places_give(&places, network);
    }
    places_give(&places, other);
    places_give(&places, beside);
    bool empty = true;
    for (int i = 0; i < PLACES_BUCKETS; i++)
        empty = empty && !places.buckets[i];
    tap_ok(empty, "all have left: nothing is kept");
    return tap_done();
}

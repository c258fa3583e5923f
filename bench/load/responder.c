/* responder: answers every HTTP request that arrives in one piece with five bytes, as fast as one thread can; prints its port. */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

static void respond(int epoll, int fd)
{
    char request[8192];
    ssize_t n = recv(fd, request, sizeof request, MSG_DONTWAIT);
    if (n > 0) {
        send(fd, answer, sizeof answer - 1, MSG_NOSIGNAL);
    } else if (n == 0) {
        epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL);
        close(fd);
    }
}

int main(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int one = 1, epoll = epoll_create1(0), listener = socket(AF_INET, SOCK_STREAM, 0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[64];
    if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 1024) ||
        getsockname(listener, (struct sockaddr *)&address, &size) || epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event))
        return 1;
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        int n = epoll_wait(epoll, events, 64, -1);
        for (int i = 0; i < n; i++) {
            if (events[i].data.fd != listener) {
                respond(epoll, events[i].data.fd);
                continue;
            }
            int fd = accept(listener, NULL, NULL);
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
            event.data.fd = fd;
            epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
        }
    }
}

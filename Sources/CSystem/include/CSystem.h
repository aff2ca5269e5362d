/* Linux calls that Swift's Glibc module does not carry. */
#pragma once
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

/* Names the calling thread (at most 15 bytes are kept). */
void csystem_name_thread(const char *name);

/* Writes the signal's number as one byte to fd whenever it arrives. 0, or -1 with errno. */
int csystem_watch_signal(int signo, int fd);

/* Accepts a connection as a non-blocking, close-on-exec socket. The descriptor, or -1 with errno. */
int csystem_accept(int fd);

#define _GNU_SOURCE
#include "CSystem.h"
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

void csystem_name_thread(const char *name) {
  char kept[16];
  unsigned i = 0;
  for (; i < 15 && name[i]; i++) kept[i] = name[i];
  kept[i] = 0;
  pthread_setname_np(pthread_self(), kept);
}

static volatile sig_atomic_t signal_fd[NSIG];

static void on_signal(int signo) {
  int saved = errno;
  unsigned char byte = (unsigned char)signo;
  /* A full pipe means that the reader has more than enough signals to see. */
  ssize_t written = write(signal_fd[signo], &byte, 1);
  (void)written;
  errno = saved;
}

int csystem_watch_signal(int signo, int fd) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  if (signo <= 0 || signo >= NSIG) {
    errno = EINVAL;
    return -1;
  }
  signal_fd[signo] = fd;
  sigemptyset(&action.sa_mask);
  return sigaction(signo, &action, 0);
}

int csystem_accept(int fd) { return accept4(fd, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC); }

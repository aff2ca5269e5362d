#define _GNU_SOURCE
#include "CSystem.h"
#include <pthread.h>

void csystem_name_thread(const char *name) {
  char kept[16];
  unsigned i = 0;
  for (; i < 15 && name[i]; i++) kept[i] = name[i];
  kept[i] = 0;
  pthread_setname_np(pthread_self(), kept);
}

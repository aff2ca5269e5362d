#pragma once
#include <microhttpd.h>

/* The library's getter is variadic, which Swift cannot call. The socket of a connection, or -1. */
static inline int cmicrohttpd_descriptor(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? (int)info->connect_fd : -1;
}

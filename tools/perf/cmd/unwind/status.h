/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The socket of perf unwind --serve: whoever connects is sent the state as text.
 */
#ifndef PERF_CMD_UNWIND_STATUS_H
#define PERF_CMD_UNWIND_STATUS_H

struct outbuf;

/**
 * status_listen() - become the only service
 * @folder: set to a descriptor that is held open as long as it runs
 *
 * Return: the socket, not blocking; -1 after diag_error(): another one runs, or there can be no socket.
 */
int status_listen(int *folder);

/* status_answer - send @text to all who wait at @socket */
void status_answer(int socket, struct outbuf *text);

/* status_remove - the service ends */
void status_remove(void);

/**
 * status_print() - perf unwind --status: print the state of the running service
 *
 * Return: 0, or -1 after diag_error(): none runs.
 */
int status_print(void);

#endif /* PERF_CMD_UNWIND_STATUS_H */

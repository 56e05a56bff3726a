// SPDX-License-Identifier: GPL-2.0
/*
 * A folder that only root can change holds the socket, and a lock on it says that a service runs.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/io.h"
#include "base/outbuf.h"
#include "cmd/unwind/unwind.h"

#define FOLDER		"/run/perf-unwind"
#define ANSWER_MS	10000

static const struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = FOLDER "/status" };

int status_listen(int *folder)
{
	int s;

	if (mkdir(FOLDER, 0755) && errno != EEXIST)
		return diag_error("%s cannot be made: %s", FOLDER, strerror(errno));
	*folder = open(FOLDER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*folder < 0)
		return diag_error("%s: %s", FOLDER, strerror(errno));
	if (flock(*folder, LOCK_EX | LOCK_NB))
		return diag_error("perf unwind --serve runs already: see perf unwind --status");
	unlink(address.sun_path);
	s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s >= 0 && !bind(s, (const struct sockaddr *)&address, sizeof(address)) &&
	    !chmod(address.sun_path, 0600) && !listen(s, 8))
		return s;
	diag_error("%s: %s", address.sun_path, strerror(errno));
	if (s >= 0)
		close(s);
	return -1;
}

void status_answer(int socket, struct outbuf *text)
{
	int s;

	while ((s = accept4(socket, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		send(s, text->base, outbuf_len(text), MSG_DONTWAIT | MSG_NOSIGNAL);
		close(s);
	}
}

void status_remove(void)
{
	unlink(address.sun_path);
}

int status_print(void)
{
	_cleanup_close_ int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct pollfd p = { .fd = s, .events = POLLIN };
	char text[4096];
	ssize_t n;

	if (s < 0 || connect(s, (const struct sockaddr *)&address, sizeof(address))) {
		if (errno == EACCES)
			return diag_error("only root can ask perf unwind --serve for its state");
		return diag_error("perf unwind --serve does not run (%s: %s)", address.sun_path, strerror(errno));
	}
	if (poll(&p, 1, ANSWER_MS) <= 0)
		return diag_error("perf unwind --serve does not answer");
	while ((n = read(s, text, sizeof(text))) > 0)
		if (write_all(STDOUT_FILENO, text, n))
			return diag_error("the state cannot be written");
	return 0;
}

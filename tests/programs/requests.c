/* Asks an HTTP server on this machine as fast as it answers, until it is gone: PORT PATH...; each PATH gets a number behind it. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS = 16 };

static char answer[4096];   /* what is longer comes in pieces, and counts as the next answers */

int
main(int argc, char **argv)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	int fd[CONNECTIONS];
	char request[256];

	if (argc < 3)
		return 2;
	to.sin_port = htons((in_port_t)atoi(argv[1]));
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (int i = 0; i < CONNECTIONS; i++)
		if ((fd[i] = socket(AF_INET, SOCK_STREAM, 0)) < 0 || connect(fd[i], (struct sockaddr *)&to, sizeof to))
			return 1;
	for (long n = 0;; n++) {
		int at = fd[n % CONNECTIONS];
		int len = snprintf(request, sizeof request, "GET %s%ld HTTP/1.1\r\nHost: x\r\n\r\n", argv[2 + n % (argc - 2)], n);

		if (n >= CONNECTIONS && read(at, answer, sizeof answer) <= 0)
			return 0;
		if (send(at, request, (size_t)len, MSG_NOSIGNAL) != len)
			return 0;
	}
}

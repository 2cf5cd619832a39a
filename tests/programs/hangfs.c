/* hangfs DIR FILE WHAT: DIR becomes a file system with one file "x.so", which has FILE's bytes, here and in "1" and "2"; FUSE, spoken on /dev/fuse.  From SIGUSR1 on
 * requests of the kind WHAT are never answered: a name of the table below, "tables" (reads behind the code) or "all".  The kernel asks for
 * everything anew, but for what was read. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_NODE = 2, DIR_NODE, TABLES = 0x20000, ROOM = 1 << 20 };

static const struct { const char *name; uint32_t opcode; } kinds[] = {
	{ "lookup", FUSE_LOOKUP }, { "getattr", FUSE_GETATTR }, { "open", FUSE_OPEN }, { "read", FUSE_READ },
	{ "statfs", FUSE_STATFS }, { "flush", FUSE_FLUSH }, { "lseek", FUSE_LSEEK }, { "release", FUSE_RELEASE },
};
static volatile sig_atomic_t hangs;
static struct stat st;
static const char *bytes;
static int fuse;

static void
on_signal(int sig)
{
	(void)sig;
	hangs = 1;
}

static void
reply(uint64_t unique, int err, const void *data, size_t n)
{
	static char buf[ROOM];
	struct fuse_out_header h = { .len = (uint32_t)(sizeof h + n), .error = -err, .unique = unique };

	memcpy(buf, &h, sizeof h);
	if (n)
		memcpy(buf + sizeof h, data, n);
	if (write(fuse, buf, h.len) < 0 && errno == ENODEV)
		exit(0);
}

static struct fuse_attr
attr_of(uint64_t node)
{
	if (node != FILE_NODE)
		return (struct fuse_attr){ .ino = node, .mode = S_IFDIR | 0755, .nlink = 2, .blksize = 4096 };
	return (struct fuse_attr){ .ino = FILE_NODE, .mode = S_IFREG | 0755, .nlink = 1, .size = (uint64_t)st.st_size,
		.blocks = ((uint64_t)st.st_size + 511) / 512, .blksize = 4096 };
}

static int
hung(const char *what, const struct fuse_in_header *in, const void *body)
{
	if (!hangs || in->opcode == FUSE_FORGET || in->opcode == FUSE_INTERRUPT)
		return 0;
	if (!strcmp(what, "tables"))
		return in->opcode == FUSE_READ && ((const struct fuse_read_in *)body)->offset >= TABLES;
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(kinds[i].name, what))
			return kinds[i].opcode == in->opcode;
	return 1;
}

static void
serve(const struct fuse_in_header *in, const void *body)
{
	const struct fuse_read_in *r = body;
	const char *name = body;
	uint64_t left, node;

	switch (in->opcode) {
	case FUSE_INIT:
		reply(in->unique, 0, &(struct fuse_init_out){ .major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION,
			.flags = FUSE_ASYNC_READ, .max_background = 64, .congestion_threshold = 48, .max_write = 4096 }, sizeof(struct fuse_init_out));
		break;
	case FUSE_LOOKUP:
		node = !strcmp(name, "x.so") ? FILE_NODE : in->nodeid == FUSE_ROOT_ID && !strcmp(name, "1") ? DIR_NODE : in->nodeid == FUSE_ROOT_ID && !strcmp(name, "2") ? DIR_NODE + 1 : 0;
		if (!node)
			reply(in->unique, ENOENT, NULL, 0);
		else
			reply(in->unique, 0, &(struct fuse_entry_out){ .nodeid = node, .attr = attr_of(node) }, sizeof(struct fuse_entry_out));
		break;
	case FUSE_GETATTR:
		reply(in->unique, 0, &(struct fuse_attr_out){ .attr = attr_of(in->nodeid) }, sizeof(struct fuse_attr_out));
		break;
	case FUSE_OPEN:
	case FUSE_OPENDIR:
		reply(in->unique, 0, &(struct fuse_open_out){ .open_flags = FOPEN_KEEP_CACHE }, sizeof(struct fuse_open_out));
		break;
	case FUSE_READ:
		left = r->offset < (uint64_t)st.st_size ? (uint64_t)st.st_size - r->offset : 0;
		reply(in->unique, 0, bytes + r->offset, r->size < left ? r->size : (size_t)left);
		break;
	case FUSE_STATFS:
		reply(in->unique, 0, &(struct fuse_statfs_out){ .st = { .bsize = 4096, .frsize = 4096, .namelen = 255 } }, sizeof(struct fuse_statfs_out));
		break;
	case FUSE_FLUSH:
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
	case FUSE_ACCESS:
		reply(in->unique, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		reply(in->unique, ENOSYS, NULL, 0);
	}
}

int
main(int argc, char **argv)
{
	static char in[ROOM] __attribute__((aligned(8)));
	char options[100];
	int fd = argc == 4 ? open(argv[2], O_RDONLY) : -1;

	if (fd < 0 || fstat(fd, &st) || (bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)) == MAP_FAILED)
		return 2;
	signal(SIGUSR1, on_signal);
	if ((fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC)) < 0)
		return 3;
	snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fuse);
	if (mount("hangfs", argv[1], "fuse", MS_NOSUID | MS_NODEV, options))
		return 3;
	for (;;) {
		ssize_t n = read(fuse, in, sizeof in);

		if (n < 0 && errno == ENODEV)
			return 0;
		if (n >= (ssize_t)sizeof(struct fuse_in_header) && !hung(argv[3], (const void *)in, in + sizeof(struct fuse_in_header)))
			serve((const void *)in, in + sizeof(struct fuse_in_header));
	}
}

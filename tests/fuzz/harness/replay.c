/* Stands in for the fuzzer: hands each file of the command line, or of a directory named there, to the target. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes lie at the end of an allocation of just their size, so that reading past them is seen. */
static int
replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data;
	long size;

	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET)) {
		perror(path);
		exit(2);
	}
	data = malloc((size_t)size + !size);
	if (!data || fread(data, 1, (size_t)size, f) != (size_t)size) {
		perror(path);
		exit(2);
	}
	fclose(f);
	fprintf(stderr, "%s\n", path);
	LLVMFuzzerTestOneInput(data, (size_t)size);
	free(data);
	return 1;
}

int
main(int argc, char **argv)
{
	int files = 0;

	LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	for (int i = 1; i < argc; i++) {
		DIR *dir = opendir(argv[i]);
		struct dirent *e;
		char path[4096];

		if (!dir) {
			files += replay(argv[i]);
			continue;
		}
		while ((e = readdir(dir))) {
			if (e->d_name[0] == '.')
				continue;
			snprintf(path, sizeof path, "%s/%s", argv[i], e->d_name);
			files += replay(path);
		}
		closedir(dir);
	}
	printf("%d files\n", files);
	return 0;
}

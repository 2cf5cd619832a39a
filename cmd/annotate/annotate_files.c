/* See annotate_files.h. */
#include "annotate_files.h"

#include <string.h>
#include <unistd.h>

#include "lib/text.h"
#include "lib/msg.h"
#include "sample/tasks/foreign.h"

/* The file at its own path, below --sysroot or on this machine, if it is still that build. */
static struct module *
same_file(struct annotation_files *f, const struct mapping *m)
{
	struct file_id id = { .path = m->file };
	const char *digits = m->build_id;
	struct module *module = NULL;
	int root, fd;

	for (; digits[0] && digits[1] && id.build_id_len < sizeof id.build_id; digits += 2) {
		const char byte[] = { digits[0], digits[1], 0 }, *p = byte;
		uint64_t v;

		if (!text_hex(&p, &v) || *p)
			return NULL;
		id.build_id[id.build_id_len++] = (uint8_t)v;
	}
	if ((root = foreign_directory(f->dirs->sysroot ? f->dirs->sysroot : "/")) < 0)
		return NULL;
	if ((fd = foreign_build(root, &id)) >= 0) {
		module = module_file(f->modules, fd, m->file);
		close(fd);
	}
	close(root);
	return module;
}

/* What SEARCH calls the file. */
static const char *
wanted(const struct mapping *m)
{
	return *m->build_id ? m->build_id : m->file;
}

static void
tell_missing(const struct annotation_files *f)
{
	const struct annotation *a = f->a;
	uint32_t last = MAPPING_NONE;

	for (uint32_t i = 0; i < a->nplace; i++) {
		uint32_t k = a->place[i].mapping;
		const struct mapping *m = k < a->p->nmapping && k != last ? &a->p->mapping[k] : NULL;

		last = k;
		if (m && m->file[0] == '/' && !f->module[k])
			warn("%s: the file is gone or has changed, so prof shows addresses only; use --sysroot DIR if you have the old file", m->file);
	}
}

bool
annotation_files_find(struct annotation_files *f)
{
	const struct annotation *a = f->a;
	const struct mapping *mapping = a->p->mapping;
	uint32_t n = a->p->nmapping, last = MAPPING_NONE;

	for (uint32_t i = 0; i < a->nplace; i++) {
		uint32_t k = a->place[i].mapping;
		const struct mapping *m = k < n && k != last ? &mapping[k] : NULL;

		last = k;
		if (m && m->file[0] == '/' && !(f->module[k] = same_file(f, m)) &&
		    !file_search_want(&f->search, wanted(m), strlen(wanted(m)), *m->build_id != 0))
			return false;
	}
	file_search_find(&f->search, f->modules, f->dirs);
	for (uint32_t k = 0; k < n; k++)
		if (!f->module[k])
			f->module[k] = file_search_module(&f->search, wanted(&mapping[k]), strlen(wanted(&mapping[k])));
	tell_missing(f);
	return true;
}

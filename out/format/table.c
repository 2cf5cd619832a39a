/* .txt: the tables of `prof report`, whole. */
#include "format.h"
#include "out/report/report.h"
#include "out/report/report_text.h"

static void
table_write(struct sink *out, const struct profile *p)
{
	report_write(out, p, &(struct report){ 0 });
}

const struct format format_table = {
	.name = "table",
	.suffixes = ".txt",
	.what = "a table",
	.write = table_write,
};

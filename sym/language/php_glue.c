/* See php_glue.h.  Zend/zend_execute_API.c, zend_execute.c, zend_generators.c, zend_fibers.c, zend_vm_execute.h, zend.c, main/main.c.  What a
 * function of PHP calls on purpose has a frame of its own, array_map. */
#include "php_glue.h"

#include <string.h>

/* All names that begin so. */
static const char *const glue[] = {
	"execute_ex", "zend_call_", "zend_execute", "zend_generator_resume", "zend_fiber_", "zend_fcall_", "php_execute_", "_call_user_function", "ZEND_",
};

bool
php_glue(const char *symbol)
{
	for (unsigned i = 0; i < sizeof glue / sizeof *glue; i++)
		if (!strncmp(symbol, glue[i], strlen(glue[i])))
			return true;
	return false;
}

bool
php_glue_nameless(const struct module *m)
{
	return !strncmp(m->name, "php", 3) || !strncmp(m->name, "libphp", 6);
}

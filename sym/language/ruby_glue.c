/* See ruby_glue.h.  Names of Ruby 3.1 to 3.3: eval.c, iseq.c, main.c, proc.c, ruby.c, thread.c, vm.c, vm_eval.c, vm_insnhelper.c.  What a
 * Ruby function calls on purpose has a frame of its own, Array#each. */
#include "ruby_glue.h"

#include <string.h>

/* With a '*' behind: all names that begin so. */
static const char *const glue[] = {
	"rb_vm_exec*", "vm_exec*", "vm_*", "invoke_*", "rb_vm_call*", "rb_vm_invoke*", "rb_vm_yield*", "rb_yield*", "yield_*", "rb_call*", "call_cfunc*",
	"call_method_entry*", "rb_funcall*", "rb_check_funcall*", "rb_proc_call*", "proc_call*", "rb_method_call*", "method_callable*", "rb_ensure", "rb_rescue*",
	"rb_vrescue*", "rb_protect", "rb_catch*", "catch_i", "rb_iterate*", "rb_block_call*", "rb_lambda_call", "iterate_*", "each_*_i", "rb_ec_exec*",
	"ruby_exec*", "ruby_run_node", "ruby_cleanup", "rb_iseq_eval*", "rb_ary_each_i", "ractor_safe_call_*", "ccall*", "thread_start_func*", "thread_do_start*",
	"fiber_entry", "rb_fiber_start", "rb_class_new_instance*", "rb_obj_call_init*", "rb_send*", "send_internal*", "rb_f_send*", "rb_public_send*",
	"rb_exec_recursive*", "exec_recursive*",
};

bool
ruby_glue(const char *symbol)
{
	for (unsigned i = 0; i < sizeof glue / sizeof *glue; i++) {
		size_t n = strlen(glue[i]);

		if (glue[i][n - 1] == '*' ? !strncmp(symbol, glue[i], n - 1) : !strncmp(symbol, glue[i], n) && (!symbol[n] || symbol[n] == '.'))
			return true;
	}
	return false;
}

bool
ruby_glue_nameless(const struct module *m)
{
	return !strncmp(m->name, "ruby", 4) || !strncmp(m->name, "libruby", 7);
}

/* See python_glue.h.  Names of CPython 3.8 to 3.15: Objects/call.c, Objects/classobject.c, Objects/descrobject.c,
 * Objects/methodobject.c, Objects/genobject.c, Python/ceval.c, Python/pythonrun.c, Modules/main.c, Modules/_threadmodule.c.  What a
 * Python function calls on purpose (sorted, map, an import) is not among them. */
#include "python_glue.h"

#include <string.h>

/* With a '*' behind: all names that begin so. */
static const char *const glue[] = {
	"PyEval_EvalCode*", "PyEval_EvalFrame*", "_PyEval_EvalCode*", "_PyEval_EvalFrame", "_PyEval_Vector", "PyObject_Call*",
	"PyObject_Vectorcall*", "PyVectorcall_Call", "_PyObject_Call*", "_PyObject_FastCall*", "_PyObject_MakeTpCall", "_PyObject_Vectorcall*",
	"_PyVectorcall_Call", "_PyFunction_Vectorcall", "_PyFunction_FastCall*", "_PyMethodDef_RawFastCall*", "_PyMethodDescr_Vectorcall",
	"_PyMethodDescr_FastCall*", "_PyCFunction_FastCall*", "_PyCFunction_Vectorcall*", "PyCFunction_Call", "call_function", "call_method",
	"do_call_core", "function_code_fastcall", "trace_call_function", "method_call", "method_vectorcall*", "cfunction_call*",
	"cfunction_vectorcall*", "object_vacall", "vectorcall_maybe", "vectorcall_method", "vectorcall_unbound", "gen_send_ex*", "gen_iternext",
	"_PyGen_*", "gen_send", "PyGen_am_send", "PyIter_Send", "type_call", "slot_tp_call", "slot_tp_init", "Py_Main", "Py_BytesMain",
	"Py_RunMain", "pymain_*", "PyRun_*", "_PyRun_*", "pyrun_*", "run_mod", "run_eval_code_obj", "t_bootstrap", "thread_run",
	"pythread_wrapper",
};

/* A name may have more behind a dot (".cold", ".constprop.0"). */
static bool
is(const char *symbol, const char *pattern)
{
	size_t n = strlen(pattern);

	if (pattern[n - 1] == '*')
		return !strncmp(symbol, pattern, n - 1) && strncmp(symbol, "_PyEval_EvalFrameDefault", 24);
	return !strncmp(symbol, pattern, n) && (!symbol[n] || symbol[n] == '.');
}

bool
python_glue(const char *symbol)
{
	for (unsigned i = 0; i < sizeof glue / sizeof *glue; i++)
		if (is(symbol, glue[i]))
			return true;
	return false;
}

bool
python_glue_nameless(const struct module *m)
{
	return !strncmp(m->name, "python", 6) || !strncmp(m->name, "libpython", 9);
}

/* See v8_glue.h.  Names of V8's builtins (src/builtins/builtins-definitions.h) and, as C++ mangles them, of its functions that call
 * JavaScript.  What a function calls on purpose stays: Builtins_ArrayMap, Builtins_CEntry. */
#include "v8_glue.h"

#include <string.h>

/* How names begin. */
static const char *const glue[] = {
	"Builtins_InterpreterEntryTrampoline", "Builtins_InterpreterPushArgs", "Builtins_InterpreterEnter", "Builtins_Baseline", "Builtins_JSEntry",
	"Builtins_JSConstruct", "Builtins_JSBuiltinsConstruct", "Builtins_Call", "Builtins_Construct", "Builtins_ArgumentsAdaptor",
	"Builtins_FastConstruct", "_ZN2v88internal12_GLOBAL__N_16Invoke", "_ZN2v88internal9Execution4Call", "_ZN2v88internal9Execution3New",
	"_ZN2v88Function4Call", "_ZN2v86Script3Run",
};

bool
v8_glue(const char *symbol)
{
	static const char handler[] = "Handler";
	size_t n = strlen(symbol);

	for (unsigned i = 0; i < sizeof glue / sizeof *glue; i++)
		if (!strncmp(symbol, glue[i], strlen(glue[i])))
			return true;
	return !strncmp(symbol, "Builtins_", 9) && n > sizeof handler && !strcmp(symbol + n - sizeof handler + 1, handler);
}

bool
v8_glue_nameless(const struct module *m)
{
	return !strncmp(m->name, "node", 4) || !strncmp(m->name, "libnode", 7);
}

/* A C++ name between parsing and printing: a tree of nodes, which substitutions make a graph without circles. */
#ifndef SYM_DEMANGLE_CXX_H
#define SYM_DEMANGLE_CXX_H

#include "text_out.h"

enum kind {
	K_NONE,
	/* Names. */
	K_NAME,       /* s, a: text and its length */
	K_QUAL,       /* a::b */
	K_LOCAL,      /* b in the function a */
	K_DEFAULT,    /* b in the default argument a (from 0) of the function before it */
	K_TEMPLATE,   /* a<list b>, requires c */
	K_TAGGED,     /* a[abi:b] */
	K_FRIEND,     /* a[friend] */
	K_MODULE,     /* a@b */
	K_PARTITION,  /* a.b, or a:b with flag; a may be missing */
	K_CTOR,       /* of a */
	K_DTOR,       /* of a */
	K_OPERATOR,   /* s: its text; flag: its shape in expressions */
	K_VENDOR_OP,  /* operator a; flag: its shape in expressions */
	K_LITERAL_OP, /* operator"" a */
	K_CONVERSION, /* operator to type a */
	K_UNNAMED,    /* the unnamed type a */
	K_LAMBDA,     /* the lambda c with parameters list a and template parameters list b */
	K_HEAD,       /* a template parameter: flag is y, n, t, p or k; a, b: its parts */
	K_BINDING,    /* [list a] */
	K_MEMBER,     /* a of which flag are the qualifiers of `this' */
	K_ENCODING,   /* function a of type b, requires c; flag: qualifiers of `this' */
	K_PREFIX,     /* s, then a */
	K_WRAP,       /* s, then a, then ) */
	K_INFIX,      /* a, s, b */
	K_CLONE,      /* a [clone b] */
	/* Types. */
	K_BUILTIN,    /* s: its name */
	K_POINTER,    /* to a */
	K_LREF, K_RREF,
	K_CV,         /* a with the qualifiers in flag */
	K_POSTFIX,    /* a, then s */
	K_VENDOR_CV,  /* a with the vendor's qualifier b */
	K_MEMBER_PTR, /* to b of class a */
	K_ARRAY,      /* of a elements b; a may be missing */
	K_VECTOR,     /* of a elements b, as an array */
	K_FUNCTION,   /* a returned, if any; list b; c an exception specification; flag: qualifiers */
	K_PARAM,      /* the template parameter a; of level flag */
	K_PACK,       /* a... */
	K_ARGS,       /* list a as one template argument: a pack */
	K_LIST,       /* a and then list b */
	/* Expressions. */
	K_FPARAM,     /* the function parameter a; 0 is `this' */
	K_LITERAL,    /* of type a; s and c: its text and length; negative with flag */
	K_UNARY,      /* operator a on b; flag: postfix */
	K_BINARY,     /* operator a on b and c */
	K_TERNARY,    /* a ? b : c */
	K_CAST,       /* (a)b */
	K_CAST_LIST,  /* (a)(list b) */
	K_NAMED_CAST, /* operator a<b>(c) */
	K_CALL,       /* a(list b) */
	K_INDEX,      /* a[b] */
	K_INIT,       /* a{list b}; a may be missing */
	K_DESIGNATED, /* .a=c, [a]=c or [a ... b]=c: flag is i, x or X */
	K_FOLD,       /* flag l, r, L, R; operator a; b and c */
	K_NEW,        /* new (list a) b c; flag: ::new */
	K_PAREN,      /* (a), which may be a list */
	K_GLOBAL,     /* ::a */
	K_COUNT_OF,   /* sizeof... of a; flag: a is a list */
	K_REQUIRES,   /* requires (list a) { list b } */
	K_REQUIREMENT, /* flag X T Q; a; b: constraint; with flag x: noexcept too */
	K_KINDS
};

#define WHOLE_PACK UINT32_MAX
enum { CV_CONST = 1, CV_VOLATILE = 2, CV_RESTRICT = 4, CV_LREF = 8, CV_RREF = 16, CV_SAFE = 32, CV_THIS = 64 };

struct node {
	uint8_t kind, flag;
	uint32_t a, b, c;   /* nodes, or numbers; 0 is none */
	const char *s;
};

struct cxx {
	const char *p, *end;       /* what is not parsed yet */
	bool bad, verbose;
	bool brief;                /* DEMANGLE_SHORT */
	bool conversion;           /* the type of a conversion operator is being parsed */
	bool by_types, ambiguous;  /* how dependent names are read: see by_levels */
	unsigned depth;
	uint32_t budget;           /* steps */
	uint32_t nodes, nodes_max;
	uint32_t subs, subs_max;
	uint32_t last;             /* the class name that a constructor would take */
	struct node *node;
	uint32_t *sub;
	/* Printing. */
	struct text *out;
	const struct scope *scope;
	uint32_t current;          /* the template being printed */
	uint32_t pack;             /* which member of packs is printed, or WHOLE_PACK */
	uint32_t trimmed;          /* where the text ended when a comma was last taken back */
	uint32_t heads;            /* the template parameters of the lambda whose parameters are being printed */
	unsigned lambda;           /* in how many nested lambdas' parameters the printer is */
	unsigned cv;               /* qualifiers that an outer node prints */
	unsigned this_cv;          /* qualifiers that the next function type prints */
};

/* The template arguments that T_ refers to. */
struct scope {
	const struct scope *outer;
	uint32_t args;             /* a list */
	uint32_t name;             /* in a constraint: the function; all its template arguments count, outermost first */
};

/* Parsing.  All return 0 once BAD is set; then nothing is left to parse. */
uint32_t cxx_fail(struct cxx *);
/* Goes back to the state BEFORE, but keeps the budget as it is now. */
void cxx_back(struct cxx *, const struct cxx *before);
uint32_t cxx_node(struct cxx *, enum kind, uint32_t a, uint32_t b, uint32_t c);
uint32_t cxx_text(struct cxx *, enum kind, const char *s, uint32_t a);
uint32_t cxx_fixed(struct cxx *, const char *name);
uint32_t cxx_flagged(struct cxx *, enum kind, unsigned flag, uint32_t a, uint32_t b);
/* Returns N, and remembers it: a substitution may mean it from now on. */
uint32_t cxx_remember(struct cxx *, uint32_t n);
uint32_t cxx_encoding(struct cxx *);
uint32_t cxx_name(struct cxx *);
uint32_t cxx_unqualified(struct cxx *, uint32_t scope);
uint32_t cxx_source_name(struct cxx *);
uint32_t cxx_operator(struct cxx *);
uint32_t cxx_type(struct cxx *);
uint32_t cxx_substitution(struct cxx *, bool prefix);
uint32_t cxx_template_args(struct cxx *, uint32_t name);
uint32_t cxx_template_param(struct cxx *);
uint32_t cxx_template_arg(struct cxx *);
uint32_t cxx_params(struct cxx *);
uint32_t cxx_expr(struct cxx *);
uint32_t cxx_literal(struct cxx *);
uint32_t cxx_number(struct cxx *);
/* "_" is 0, "0_" is 1 and so on. */
uint32_t cxx_ordinal(struct cxx *);
/* W name, W P name: a module, or a part of MODULE. */
uint32_t cxx_module(struct cxx *, uint32_t module);
uint32_t cxx_in_module(struct cxx *, uint32_t module);
uint32_t cxx_decltype(struct cxx *);
unsigned cxx_cv(struct cxx *);

struct list {
	uint32_t first, last;
};
void cxx_append(struct cxx *, struct list *, uint32_t item);
/* Items as ITEM parses them, up to and past the END. */
uint32_t cxx_list(struct cxx *, uint32_t (*item)(struct cxx *), char end);

/* The next character and the one behind it, 0 past the end. */
char cxx_peek(const struct cxx *);
char cxx_peek2(const struct cxx *);
/* Moves past the character, if it comes next. */
bool cxx_eat(struct cxx *, char);
bool cxx_eat2(struct cxx *, const char *two);
/* Does the same, but sets BAD if another one comes. */
void cxx_want(struct cxx *, char);
/* Whether a digit comes next. */
bool cxx_at_digit(const struct cxx *);

static inline bool
cxx_digit(char ch)
{
	return ch >= '0' && ch <= '9';
}

static inline bool
cxx_lower(char ch)
{
	return ch >= 'a' && ch <= 'z';
}

/* Printing. */
void cxx_put(struct cxx *, const char *);
void cxx_putc(struct cxx *, char);
void cxx_print(struct cxx *, uint32_t node);
void cxx_print_list(struct cxx *, uint32_t list);
/* Prints a node that is no type, or a type without a right part. */
void cxx_show(struct cxx *, uint32_t node);
void cxx_print_lambda_param(struct cxx *, const struct node *);
/* Prints a node by a format: see cxx_show.c. */
void cxx_emit(struct cxx *, const struct node *, const char *format);
/* Finds the list of the pack that an expansion of NODE goes over, by a template parameter in NODE; false: none. */
bool cxx_find_pack(struct cxx *, uint32_t node, uint32_t *list);
uint32_t cxx_list_size(struct cxx *, uint32_t list);
/* Item I of a list, or 0. */
uint32_t cxx_list_item(struct cxx *, uint32_t list, uint32_t i);
/* Goes one step deeper; false, with BAD set, if that is too deep or too much. */
bool cxx_enter(struct cxx *);

#endif

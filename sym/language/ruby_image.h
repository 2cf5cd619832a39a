/* Ruby (CRuby) in a file: its version, the offsets of its structs' members, and where its variables are. */
#ifndef SYM_LANGUAGE_RUBY_IMAGE_H
#define SYM_LANGUAGE_RUBY_IMAGE_H

#include "language.h"

/* Offsets, where versions differ.  T: rb_thread_t, EC: its execution context, F: a control frame, B: the body of an iseq, CLASS: a
 * class. */
enum ruby_member {
	RB_T_EC,                   /* where the thread runs: a stack of Ruby's and one of C's */
	RB_EC_STACK,               /* the upper end of the C stack; its size is two words behind */
	RB_F_SIZE,
	RB_B_INFO, RB_B_LOCAL,     /* the instructions' lines; the method around a block */
	RB_CLASS_PATH, RB_CLASS_ATTACHED,   /* 0: they are among the instance variables */
	RB_CLASS_SINGLETON,        /* which bit of a class's flags says that it was made for one object */
	RB_TEXT,                   /* how strings and arrays tell their length: 0: in the flags, if they are short */
	RB_MEMBERS
};

/* What is the same in all versions that prof knows. */
enum {
	RB_VM_MAIN_THREAD = 40, RB_T_NEXT = 0, RB_T_VM = 32, RB_EC_VM_STACK = 0, RB_EC_VM_SIZE = 8, RB_EC_FRAME = 16, RB_EC_THREAD = 48,
	RB_F_PC = 0, RB_F_SP = 8, RB_F_ISEQ = 16, RB_F_EP = 32, RB_ISEQ_BODY = 16,
	RB_B_SIZE = 4, RB_B_CODE = 8, RB_B_PATH = 64, RB_B_BASE_LABEL = 72, RB_B_LABEL = 80, RB_B_LINE = 88,
	RB_M_DEF = 16, RB_M_ID = 24, RB_M_OWNER = 32, RB_DEF_ISEQ = 8,
};

struct ruby_range {
	uint64_t lo, hi;
};

struct ruby_image {
	struct modules *modules;
	uint64_t vm;               /* ruby_current_vm_ptr, as linked; 0: it is somewhere in .bss */
	struct ruby_range data, bss;
	const uint8_t *at;         /* RB_MEMBERS of them */
	uint8_t minor;             /* of version 3 */
};

/* NULL if M is not Ruby, or of a version that prof does not know. */
void *ruby_image_find(struct modules *, struct module *m);

#endif

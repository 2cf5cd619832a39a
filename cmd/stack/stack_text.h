/* Stacks as people read them, and as programs do. */
#ifndef CMD_STACK_STACK_TEXT_H
#define CMD_STACK_STACK_TEXT_H

struct sink;
struct thread_stacks;

void stack_text(struct sink *, const struct thread_stacks *);
void stack_json(struct sink *, const struct thread_stacks *);

#endif

/* snprintf and vsnprintf (C11, 7.21.6.12), for the conversions that prof uses and in less than 1 KiB: libc's bring 12 KiB
 * of floating point, wide characters and streams along.  Flags - and 0, width, precision of %s, the lengths l, ll and z,
 * and d u x c s; any other is our own bug, and traps. */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct text {
	char *buf;
	size_t cap, len;   /* LEN goes on counting beyond CAP */
};

static void
put(struct text *t, char c, size_t times)
{
	for (; times > 0; times--, t->len++)
		if (t->len + 1 < t->cap)
			t->buf[t->len] = c;
}

struct field {
	bool left, zeros;
	int width, precision;   /* -1: not given */
};

static void
put_field(struct text *t, const struct field *f, const char *s, size_t n, char sign)
{
	size_t all = n + (sign != 0), pad = f->width > 0 && (size_t)f->width > all ? (size_t)f->width - all : 0;

	if (!f->left && !f->zeros)
		put(t, ' ', pad);
	if (sign)
		put(t, sign, 1);
	if (!f->left && f->zeros)
		put(t, '0', pad);
	for (size_t i = 0; i < n; i++)
		put(t, s[i], 1);
	if (f->left)
		put(t, ' ', pad);
}

static void
put_number(struct text *t, const struct field *f, uint64_t v, unsigned base, char sign)
{
	char digits[20];
	size_t at = sizeof digits;

	do {
		digits[--at] = "0123456789abcdef"[v % base];
		v /= base;
	} while (v);
	put_field(t, f, digits + at, sizeof digits - at, sign);
}

static int
number(const char **p)
{
	int n = 0;

	while (**p >= '0' && **p <= '9' && n < 1000000)
		n = n * 10 + (*(*p)++ - '0');
	return n;
}

/* A number as it stands there, or the next argument. */
static int
number_or_star(const char **p, va_list *ap)
{
	if (**p != '*')
		return number(p);
	++*p;
	return va_arg(*ap, int);
}

static void
put_conversion(struct text *t, const struct field *f, char conversion, unsigned size, va_list *ap)
{
	const char *s;
	int64_t v;
	char c;

	switch (conversion) {
	case 'd':
		v = size > 1 ? va_arg(*ap, long long) : size ? va_arg(*ap, long) : va_arg(*ap, int);
		put_number(t, f, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 10, v < 0 ? '-' : 0);
		break;
	case 'u':
	case 'x':
		put_number(t, f, size > 1 ? va_arg(*ap, unsigned long long) : size ? va_arg(*ap, unsigned long) :
		           va_arg(*ap, unsigned), conversion == 'x' ? 16 : 10, 0);
		break;
	case 'c':
		c = (char)va_arg(*ap, int);
		put_field(t, f, &c, 1, 0);
		break;
	case 's':
		s = va_arg(*ap, const char *);
		s = s ? s : "(null)";
		put_field(t, f, s, f->precision < 0 ? strlen(s) : strnlen(s, (size_t)f->precision), 0);
		break;
	case '%':
		put(t, '%', 1);
		break;
	default:
		__builtin_trap();
	}
}

int
vsnprintf(char *restrict buf, size_t cap, const char *restrict format, va_list args)
{
	struct text t = { buf, cap, 0 };
	va_list ap;

	va_copy(ap, args);   /* whose address can be passed on everywhere */
	for (const char *p = format; *p; p++) {
		struct field f = { false, false, 0, -1 };
		unsigned size = 0;   /* 1: long, 2: long long */

		if (*p != '%') {
			put(&t, *p, 1);
			continue;
		}
		for (p++; *p == '-' || *p == '0'; p++)
			*(*p == '-' ? &f.left : &f.zeros) = true;
		f.width = number_or_star(&p, &ap);
		if (*p == '.') {
			p++;
			f.precision = number_or_star(&p, &ap);
		}
		for (; *p == 'l' || *p == 'z'; p++)
			size++;
		put_conversion(&t, &f, *p, size, &ap);
	}
	va_end(ap);
	if (cap)
		buf[t.len < cap ? t.len : cap - 1] = 0;
	return (int)t.len;
}

int
snprintf(char *restrict buf, size_t cap, const char *restrict format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(buf, cap, format, ap);
	va_end(ap);
	return n;
}

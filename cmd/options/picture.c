/* See picture.h. */
#include "picture.h"

#include "out/format/format.h"
#include "out/format/svg/svg_color.h"

bool
picture_take(struct picture *p, const struct options *o, int id)
{
	unsigned which;
	uint64_t v;

	switch (id) {
	case PICTURE_TITLE:
		p->title = o->value;
		return true;
	case PICTURE_WIDTH:
		if (!option_number(o, 200, 20000, &v))
			return false;
		p->width = (uint32_t)v;
		return true;
	case PICTURE_MIN_WIDTH:   /* a decimal number; rounds thousandths up to tenths: 0 does not mean none */
		if (!option_time(o, 1000, &v))
			return false;
		p->min_width = v < 100 ? 1 : v > 1000000 ? 10000 : (uint32_t)((v + 99) / 100);
		return true;
	case PICTURE_COLORS:
		if (!option_word("--colors", o->value, picture_colors, &which))
			return false;
		p->colors = picture_colors[which];
		return true;
	case PICTURE_REVERSE:
		return p->reverse = true;
	case PICTURE_INVERTED:
		return p->inverted = true;
	}
	return false;
}

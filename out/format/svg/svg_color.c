/* Colours of frames: by kind, with a shade that is the same for the same name, in every profile and version. */
#include "svg_color.h"

#include <string.h>

const struct tint svg_tints[TINTS] = {
	[FUNCTION_USER] = { { 240, 138, 62 }, { 12, 72, 34 } },   [FUNCTION_KERNEL] = { { 138, 162, 222 }, { 38, 36, 28 } },
	[FUNCTION_JIT] = { { 142, 196, 104 }, { 34, 24, 30 } },   [FUNCTION_MARK] = { { 190, 190, 190 }, { 12, 12, 12 } },
	[FUNCTION_INLINED] = { { 120, 198, 186 }, { 34, 22, 26 } }, [TINT_ROOT] = { { 222, 218, 210 }, { 10, 10, 10 } },
	[TINT_SCRIPT] = { { 122, 192, 214 }, { 30, 24, 24 } },
};
static const struct tint palettes[] = {
	{ { 226, 90, 40 }, { 28, 130, 30 } },     /* hot */
	{ { 120, 160, 215 }, { 50, 50, 35 } },    /* blue */
	{ { 130, 185, 110 }, { 50, 45, 40 } },    /* green */
	{ { 175, 175, 175 }, { 50, 50, 50 } },    /* grey */
};
const char *const picture_colors[] = { "kind", "module", "hot", "blue", "green", "grey", NULL };

/* FNV-1a: the same for the same name, in every profile and version. */
static uint32_t
name_hash(const char *s)
{
	uint32_t h = 0x811c9dc5;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x01000193;
	h ^= h >> 15;
	return h * 0x2c1b3c6d;
}

uint32_t
svg_shade(const struct tint *t, uint32_t hash)
{
	uint32_t color = 0;

	for (unsigned i = 0; i < 3; i++)   /* the three channels move together, with small differences */
		color = color << 8 | (t->lo[i] + t->span[i] * ((hash >> 24) * 3 + (hash >> (8 + 4 * i) & 0xff)) / (4 * 255));
	return color;
}

unsigned
svg_tint(const struct drawing *d, const struct flame_frame *f)
{
	const struct function *of = f->function == UINT32_MAX ? NULL : &d->p->function[f->function];

	return !of ? TINT_ROOT : profile_language(of->module) ? TINT_SCRIPT : (unsigned)of->kind;
}

/* Twelve hues around the circle. */
static struct tint
module_tint(const char *module)
{
	static const uint8_t wave[12] = { 240, 236, 222, 196, 166, 146, 138, 146, 166, 196, 222, 236 };
	unsigned hue = (name_hash(module) >> 8) % 12;

	return (struct tint){ { wave[hue], wave[(hue + 8) % 12], wave[(hue + 4) % 12] }, { 14, 14, 14 } };
}

/* From white to red for what has grown, to blue for what has shrunk. */
uint32_t
svg_delta_color(const struct drawing *d, int64_t delta)
{
	uint64_t size = (uint64_t)(delta < 0 ? -delta : delta), most = (uint64_t)d->most, level = 0;
	uint32_t pale, deep;

	while (level < 160 && most && (level + 1) * (level + 1) * most <= 160 * 160 * size)   /* the square root, so that small changes show, too */
		level++;
	pale = (uint32_t)(238 - level);
	deep = (uint32_t)(238 + level / 16);
	return delta > 0 ? deep << 16 | pale << 8 | pale : pale << 16 | (pale + (uint32_t)level / 3) << 8 | deep;
}

uint32_t
svg_color(const struct drawing *d, const struct flame_frame *f)
{
	unsigned tint = svg_tint(d, f);
	struct tint by_module;

	if (d->p->delta)
		return svg_delta_color(d, f->delta);
	if (tint == TINT_ROOT || tint == FUNCTION_MARK || d->colors == BY_KIND)
		return svg_shade(&svg_tints[tint], name_hash(f->name));
	if (d->colors == BY_MODULE) {
		by_module = module_tint(d->p->function[f->function].module);
		return svg_shade(&by_module, name_hash(f->name));
	}
	return svg_shade(&palettes[d->colors - BY_PALETTE], name_hash(f->name));
}

void
svg_put_color(struct drawing *d, uint32_t color)
{
	sink_fmt(d->out, "#%06x", (unsigned)color);
}

// Drawing: panes that scroll, colours, names cut to fit.

const ROW = 20, FONT = "11.5px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
let ink = {}, charWidth = 7, dark = false;

// ---- colours: a family for each kind, in it a shade by the name alone

const SHADES = 12;
const families = {   // hue from, to; chroma
	[USER]: [38, 88, 0.105], [KERNEL]: [268, 300, 0.09], [JIT]: [150, 178, 0.09], [MARK]: [70, 70, 0.008], [INLINED]: [98, 128, 0.1], [PROCESS]: [235, 245, 0.03],
	[SCRIPT]: [205, 228, 0.09],
};
const kindWords = [[USER, "user"], [KERNEL, "kernel"], [INLINED, "inlined"], [JIT, "JIT"], [SCRIPT, ""], [MARK, "annotations"], [PROCESS, "process"]];
// --colors: one family for all.
const palettes = { hot: [22, 62, 0.15], blue: [240, 268, 0.08], green: [135, 165, 0.08], grey: [90, 90, 0.004] };
let shades = {}, colours = [];

function chooseTheme() {
	dark = matchMedia("(prefers-color-scheme: dark)").matches;
	const style = getComputedStyle(document.documentElement), v = name => style.getPropertyValue("--" + name).trim();
	ink = { bg: v("bg"), panel: v("panel"), line: v("line"), ink: v("ink"), soft: v("soft"), accent: v("accent"), found: v("found"),
		frame: dark ? "#f4eee6" : "#241f1a", match: dark ? "oklch(0.5 0.17 350)" : "oklch(0.78 0.14 350)",
		veil: dark ? "#19181799" : "#fbfaf8aa", wait: dark ? "#47525e" : "#c6d1dd", waits: dark ? "#93a5ba" : "#5f7690", range: dark ? "#f0965f" : "#b4501e", other: dark ? "#7fb0ff" : "#2a5bb8" };
	for (const [kind, family] of Object.entries(families)) {
		const [from, to, chroma] = palettes[about.colors] || family;
		shades[kind] = Array.from({ length: SHADES }, (_, i) => {
			const hue = from + (to - from) * i / (SHADES - 1), light = (dark ? 0.43 : 0.8) + (i * 5 % SHADES) / SHADES * 0.09;
			return `oklch(${light.toFixed(3)} ${(chroma * (dark ? 0.9 : 1)).toFixed(3)} ${hue.toFixed(1)})`;
		});
	}
	colours = [];
}

// Colours by module: the busiest ones are far from each other, functions of one differ a little.
const HUES = [58, 285, 150, 10, 225, 100, 325, 190, 255, 125];
let moduleRank = null;
function rankModules() {
	const weight = new Float64Array(modules.length);
	for (let i = 0; i < R.n; i++)
		weight[F.module[T.fn[R.node[i]]]] += R.weight[i];
	const order = modules.map((name, m) => m).sort((a, b) => weight[b] - weight[a]);
	moduleRank = { order: order.filter(m => modules[m] && modules[m] !== "process" && weight[m] > 0), at: new Int32Array(modules.length) };
	order.forEach((m, i) => { moduleRank.at[m] = i; });
}
function moduleColour(m, shade) {
	if (!moduleRank)
		rankModules();
	const at = moduleRank.at[m], n = HUES.length, turn = Math.floor(at / n);
	return !modules[m] ? shades[MARK][shade] : `oklch(${((dark ? 0.43 : 0.8) + shade / SHADES * 0.07 - turn % 2 * 0.06).toFixed(3)} 0.1 ${(HUES[at % n] + turn * 17) % 360})`;
}

const strong = kind => `oklch(${dark ? 0.62 : 0.7} ${[0.14, 0.12, 0.12, 0.01, 0.12, 0.04, 0.11][kind]} ${[58, 285, 165, 70, 115, 240, 215][kind]})`;

function shadeOf(name) {
	let h = 0;
	for (let i = 0; i < name.length && i < 200; i++)
		h = Math.imul(h ^ name.charCodeAt(i), 0x01000193) + 0x9e37 | 0;
	return ((h ^ h >>> 15) >>> 0) % SHADES;
}
const colourOf = f => f < 0 ? ink.line : colours[f] || (colours[f] = S.byModule && F.kind[f] !== PROCESS && F.kind[f] !== MARK ?
	moduleColour(F.module[f], shadeOf(F.name[f])) : shades[F.kind[f]][shadeOf(F.name[f])]);
// More than before is red, less is blue.
function shareColour(share) {
	const strength = Math.min(1, Math.sqrt(Math.abs(share) / 0.1));
	return strength < 0.05 ? ink.line : `oklch(${dark ? 0.36 + 0.16 * strength : 0.93 - 0.2 * strength} ${0.02 + 0.13 * strength} ${share > 0 ? 27 : 255})`;
}

// ---- names that fit

const variants = new Map();

// Without what stands in brackets, but for (anonymous namespace) and Go's receivers: regexp.(*machine).doExecute.
function without(text, open, close) {
	let out = "", depth = 0;
	for (let i = 0; i < text.length; i++) {
		const c = text[i];
		if (c === open && i && (depth && c === "(" || !text.startsWith("(anonymous", i) && !text.startsWith(".(*", i - 1) && !/operator.?$/.test(text.slice(Math.max(0, i - 9), i))))
			depth++;
		if (!depth)
			out += c;
		if (c === close && depth)
			depth--;
	}
	return depth ? text : out;
}

// The name, then shorter ones. D's template arguments are in "!(" and ")".
function variantsOfName(name) {
	const full = name.slice(0, 2000), plain = /[<(]/.test(full) && full[0] !== "[";
	const bare = plain ? without(full.replace(/(?<!operator)!\(/g, "("), "(", ")").replace(/ const$/, "") : full, short = plain ? without(bare, "<", ">") : full;
	const last = /::/.test(short) ? short.slice(short.lastIndexOf("::", short.length - 3) + 2) : short;
	const address = /\+(0x[0-9a-f]+)\]$/.exec(full);
	return address ? [full, "+" + address[1]] : [full, bare, short, last].filter(name => name.trim());
}

function variantsOf(f) {
	if (!variants.has(f))
		variants.set(f, variantsOfName(nameOf(f)));
	return variants.get(f);
}

function fit(f, px) {
	const room = Math.floor(px / charWidth);
	if (room < 2)
		return "";
	const all = variantsOf(f), name = all.find(name => name.length <= room) || all[all.length - 1];
	return name.length <= room ? name : room < 3 ? "" : name.slice(0, room - 1) + "…";
}
const cut = (text, n) => text.length <= n ? text : text.slice(0, n / 2 - 1) + "…" + text.slice(text.length - n / 2);

// ---- panes: a canvas as large as what is seen of a higher picture

const panes = new Set();
let frame = 0;

function repaint(pane) {
	if (pane)
		pane.dirty = true;
	else
		for (const p of panes)
			p.dirty = true;
	if (!frame)
		frame = requestAnimationFrame(paint);
}

function paint() {
	frame = 0;
	const start = performance.now(), busy = isBusy();
	if (!busy)
		beforePaint();
	for (const pane of panes)
		if (pane.dirty && pane.box.offsetParent && (!busy || pane === timeline)) {
			pane.dirty = false;
			pane.paint();
		}
	if (busy)
		return;
	drawStatus();
	cost = Math.max(performance.now() - start, cost / 2);
}

class Pane {
	constructor(box) {
		this.box = box;
		this.canvas = box.querySelector("canvas");
		this.size = box.querySelector(".size");
		this.c = this.canvas.getContext("2d", { alpha: false });
		this.spots = [];   // what can be pointed at
		panes.add(this);
		this.watch = new ResizeObserver(() => repaint(this));
		this.watch.observe(box);
		box.addEventListener("scroll", () => repaint(this));
		box.addEventListener("pointermove", e => this.pointed(e));
		box.addEventListener("pointerleave", () => this.left());
	}
	close() {
		panes.delete(this);
		this.watch.disconnect();
	}
	begin() {
		const ratio = devicePixelRatio || 1, w = this.box.clientWidth, h = this.box.clientHeight;
		if (this.canvas.width !== Math.round(w * ratio) || this.canvas.height !== Math.round(h * ratio)) {
			this.canvas.width = Math.round(w * ratio);
			this.canvas.height = Math.round(h * ratio);
			this.canvas.style.width = w + "px";
			this.canvas.style.height = h + "px";
		}
		this.width = w;
		this.height = h;
		this.top = this.box.scrollTop;
		this.spots.length = 0;
		const c = this.c;
		c.setTransform(ratio, 0, 0, ratio, 0, 0);
		c.globalAlpha = 1;
		c.fillStyle = ink.bg;
		c.fillRect(0, 0, w, h);
		c.font = FONT;
		c.textBaseline = "middle";
		c.textAlign = "left";
		return c;
	}
	// The picture's whole height.
	tall(h) {
		const more = Math.min(3e7, Math.max(0, Math.ceil(h) - this.height));   // what browsers bear
		if (this.more !== more) {
			this.size.style.height = (this.more = more) + "px";
			repaint(this);
		}
	}
	at(e) {
		const r = this.canvas.getBoundingClientRect();
		return [e.clientX - r.left, e.clientY - r.top];
	}
	spotAt(e) {
		const [x, y] = this.at(e);
		for (let i = this.spots.length - 1; i >= 0; i--) {
			const s = this.spots[i];
			if (x >= s.x && x < s.x + s.w && y >= s.y && y < s.y + s.h)
				return s;
		}
		return null;
	}
	pointed() {}
	left() {}
}

// One frame of a stack.
// WAITS: how much of its time it waited: hatched where it did all the time, else a bar below.
function drawFrame(c, f, x, y, w, colour, faint, waits = 0) {
	const h = ROW - 1, gap = w > 3 ? 1 : w > 1.5 ? 0.5 : 0;
	let fill = colour, matches = found && f >= 0 && found[f];
	if (found)
		fill = matches ? ink.match : colour;
	if (waits > 0.995 && fill === colour && !S.byModule && !about.diff && !W.base && f >= 0)
		fill = waitColour(f);
	c.globalAlpha = faint ? 0.45 : found && !matches ? 0.4 : 1;
	c.fillStyle = fill;
	c.fillRect(x, y, w - gap, h);
	if (waits > 0.005) {
		c.fillStyle = waits > 0.995 ? hatch() : ink.waits;
		if (waits > 0.995)
			c.fillRect(x, y, w - gap, h);
		else
			c.fillRect(x + (w - gap) * (1 - waits), y + h - 3, (w - gap) * waits, 3);
	}
	if (w > 20) {
		const label = fit(f, w - 8);
		if (label) {
			c.globalAlpha = faint ? 0.75 : found && !matches ? 0.65 : 1;
			c.fillStyle = ink.frame;
			c.fillText(label, x + 4, y + h / 2 + 0.5, w - 6);
		}
	}
	c.globalAlpha = 1;
}

// Lines from corner to corner over what waits.
function hatch() {
	if (!ink.hatch) {
		const tile = el("canvas", { width: 8, height: 8 }), c = tile.getContext("2d");
		c.strokeStyle = dark ? "#ffffff1c" : "#1f304a20";
		c.lineWidth = 2;
		for (const x of [-8, 0, 8]) {
			c.moveTo(x - 1, 9);
			c.lineTo(x + 9, -1);
		}
		c.stroke();
		ink.hatch = c.createPattern(tile, "repeat");
	}
	return ink.hatch;
}
const waitColour = f => `oklch(${((dark ? 0.37 : 0.87) + shadeOf(nameOf(f)) / SHADES * 0.05).toFixed(3)} 0.03 250)`;

function outline(c, x, y, w, colour) {
	c.strokeStyle = colour;
	c.lineWidth = 1.5;
	c.strokeRect(x + 0.75, y + 0.75, Math.max(1, w - 2.5), ROW - 2.5);
}

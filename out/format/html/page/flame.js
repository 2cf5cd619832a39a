// Flame graphs: merged stacks by callees or by callers, zoomed by a window [a, b) of the whole weight.

const NARROW = 0.6;   // px: frames below it are drawn as one faint block

class Flame extends Pane {
	// ROOT makes the outermost group; FLIP: it stands at the bottom.
	constructor(box, { up, root, flip, path, zoomed }) {
		super(box);
		Object.assign(this, { up, makeRoot: root, flip, path, zoomed, a: 0, b: 1, version: -1, picked: null, hover: null });
		let down = null;
		box.addEventListener("pointerdown", e => {
			if (e.button === 0 && e.offsetX < this.width)
				down = e;
		});
		box.addEventListener("pointerup", e => {
			const was = down;
			down = null;
			if (!was || Math.abs(e.clientX - was.clientX) + Math.abs(e.clientY - was.clientY) > 6)
				return;
			const spot = this.spotAt(e);
			if (spot && spot.g)
				this.choose(spot.g, true);
		});
		box.addEventListener("contextmenu", e => {
			const spot = this.spotAt(e);
			if (spot && spot.g) {
				e.preventDefault();
				this.picked = spot.g;
				repaint(this);
				frameMenu(e.clientX, e.clientY, spot.g.fn, () => this.stackOf(spot.g), () => this.choose(spot.g, true));
			}
		});
		box.addEventListener("wheel", e => {
			if (!e.ctrlKey && !e.metaKey)
				return;
			e.preventDefault();
			this.scaleAt(this.a + (this.b - this.a) * this.at(e)[0] / this.width, Math.exp(e.deltaY * 0.004));
		}, { passive: false });
	}
	// Upside down, or back: the outermost frame stays in sight.
	turn(flip) {
		if (this.flip === flip)
			return;
		this.flip = flip;
		this.deepest = -1;
		this.box.scrollTop = 0;
		repaint(this);
	}
	whole() {
		return this.root ? this.root.w || 1 : 1;
	}
	scaleAt(at, by) {
		const whole = this.whole(), n = Math.min(whole, Math.max(whole / 1e6, (this.b - this.a) * by));
		const a = Math.min(Math.max(0, at - (at - this.a) * n / (this.b - this.a)), whole - n);
		this.goal = null;
		[this.a, this.b] = [a, a + n];
		repaint(this);
	}
	// The group at the end of a path of functions, or as far as it goes.
	find(path) {
		let g = this.root;
		for (const fn of path || []) {
			const kid = kidsOf(g, this.up).find(kid => kid.fn === fn);
			if (!kid)
				break;
			g = kid;
		}
		return g;
	}
	pathOf(g) {
		const path = [];
		for (; g && g.parent; g = g.parent)
			path.unshift(g.fn);
		return path;
	}
	// Names from the outermost to G's.
	stackOf(g) {
		const names = this.pathOf(g).map(nameOf);
		return this.up ? names.reverse() : this.root.fn < 0 ? names : [nameOf(this.root.fn), ...names];
	}
	// New weights: the same frames are zoomed to and picked as before.
	renew() {
		if (this.version === W.version && this.root)
			return;
		const picked = this.pathOf(this.picked);
		this.version = W.version;
		this.root = this.makeRoot();
		this.hover = null;
		const g = this.find(picked);
		this.picked = picked.length && this.pathOf(g).length === picked.length ? g : null;
		this.jump(false);
	}
	// Moves the window to what is zoomed to.
	jump(smoothly) {
		const g = this.zoomedTo = this.path ? this.find(this.path()) : this.root;
		const goal = [g.x, g.x + (g.w || 1)];
		if (smoothly && this.b > this.a && !matchMedia("(prefers-reduced-motion: reduce)").matches)
			this.goal = { from: [this.a, this.b], to: goal, start: performance.now() };
		else {
			this.goal = null;
			[this.a, this.b] = goal;
		}
		repaint(this);
	}
	choose(g, zoom) {
		this.picked = g;
		if (zoom && this.zoomed)
			this.zoomed(this.pathOf(g), g);
		else if (zoom)
			pick(g.fn < 0 ? -1 : g.fn);
		repaint(this);
	}
	paint() {
		this.renew();
		if (this.goal) {
			const p = Math.min(1, (performance.now() - this.goal.start) / 180), q = 1 - (1 - p) ** 3, { from, to } = this.goal;
			[this.a, this.b] = [from[0] + (to[0] - from[0]) * q, from[1] + (to[1] - from[1]) * q];
			if (p < 1)
				repaint(this);
			else
				this.goal = null;
		}
		const c = this.begin(), scale = this.width / (this.b - this.a || 1), faintAbove = this.zoomedTo ? this.zoomedTo.depth : 0;
		const marked = this.hover && this.hover.fn >= 0 ? this.hover.fn : this.picked ? this.picked.fn : -2;
		const first = this.flip ? this.flipTop() : -this.top;
		const y = depth => this.flip ? first - depth * ROW : first + depth * ROW;
		const todo = [this.root];
		let deepest = 0;
		while (todo.length) {
			const g = todo.pop(), x0 = Math.max(-2, (g.x - this.a) * scale), x1 = Math.min(this.width + 2, (g.x + g.w - this.a) * scale), at = y(g.depth);
			if (x1 <= 0 || x0 >= this.width)
				continue;
			deepest = Math.max(deepest, g.depth);
			if (at > -ROW && at < this.height)
				this.frame(c, g, Math.max(0, x0), at, x1 - Math.max(0, x0), g.depth < faintAbove, marked);
			if (g.w * scale >= NARROW)
				this.below(c, g, scale, y(g.depth + 1), todo);
		}
		if (!this.flip)
			this.tall((deepest + 1) * ROW + 4);
		else if (this.deepest !== deepest) {
			this.deepest = deepest;
			this.tall((deepest + 1) * ROW + 4);
			this.box.scrollTop = 1e9;
			repaint(this);
		}
	}
	flipTop() {
		return Math.max(this.height, ((this.deepest || 0) + 1) * ROW + 4) - ROW - this.top;
	}
	frame(c, g, x, y, w, faint, marked) {
		const colour = g.fn < 0 ? ink.line : W.base ? shareColour(more(g.w, g.base)) : about.diff && !this.up ? shareColour(g.delta || 0) : colourOf(g.fn);
		drawFrame(c, g.fn, x, y, w, colour, faint, g.w > 0 ? g.wait / g.w : 0);
		if (g === this.picked)
			outline(c, x, y, w, ink.ink);
		else if (g.fn === marked && g.fn >= 0 && w > 1.5)
			outline(c, x, y, w, ink.accent);
		this.spots.push({ x, y, w: Math.max(w, 1), h: ROW, g });
	}
	// What G calls: wide enough ones are drawn later, all others as one.
	below(c, g, scale, y, todo) {
		const kids = kidsOf(g, this.up);
		let from = -1, to = -1, n = 0, w = 0, matches = false;
		for (let i = 0; i < kids.length; i++) {
			const kid = kids[i];
			if (kid.w * scale >= NARROW)
				todo.push(kid);
			else {
				const x = (kid.x - this.a) * scale;
				if (from < 0)
					from = x;
				to = x + kid.w * scale;
				n++;
				w += kid.w;
				matches = matches || found && found[kid.fn];
			}
		}
		if (n && to - from >= 0.5 && to > 0 && from < this.width && y > -ROW && y < this.height) {
			const x = Math.max(0, from);
			c.globalAlpha = found && !matches ? 0.3 : 0.6;
			c.fillStyle = matches ? ink.match : ink.line;
			c.fillRect(x, y, Math.min(to, this.width) - x, ROW - 1);
			c.globalAlpha = 1;
			this.spots.push({ x, y, w: Math.min(to, this.width) - x, h: ROW, rest: n, weight: w });
		}
	}
	words(g) {
		const all = this.root.w || 1, self = g.kids || kidsOf(g, this.up) ? g.self : 0;
		return { fn: g.fn, total: g.w, parent: g.parent && g.parent.parent ? g.parent.w : 0, self: Math.max(0, self), all, wait: g.wait, up: this.up, delta: this.up ? undefined : g.delta, base: g.base };
	}
	pointed(e) {
		if (e.pointerType === "touch" && e.buttons)
			return;
		const spot = this.spotAt(e), g = spot && spot.g;
		if (g !== this.hover) {
			this.hover = g;
			repaint(this);
		}
		this.box.style.cursor = g ? "pointer" : "default";
		if (g)
			tip(e, this.words(g));
		else if (spot)
			tip(e, { text: many(spot.rest, "frame") + ", too narrow to draw", note: amount(spot.weight) + " · " + percent(spot.weight, this.root.w) });
		else
			tip(null);
	}
	left() {
		this.hover = null;
		tip(null);
		repaint(this);
	}
	// Arrow keys: to a caller, callee or neighbour.
	step(key) {
		if (!this.root)
			return;
		let g = this.picked || this.zoomedTo || this.root;
		const kids = kidsOf(g, this.up), side = key === "ArrowRight" ? 1 : -1;
		if (key === (this.flip ? "ArrowUp" : "ArrowDown"))
			g = this.picked ? kids.reduce((a, b) => !a || b.w > a.w ? b : a, null) || g : g;
		else if (key === (this.flip ? "ArrowDown" : "ArrowUp"))
			g = g.parent || g;
		else {
			const level = g.parent ? kidsOf(g.parent, this.up) : [g];
			g = level[level.indexOf(g) + side] || g;
		}
		this.show(g);
	}
	// Picks G and brings it into sight.
	show(g) {
		this.choose(g, false);
		const scale = this.width / (this.b - this.a), w = g.w * scale, x = (g.x - this.a) * scale;
		if (w < 30 || x + Math.min(w, 60) < 0 || x > this.width - Math.min(w, 60)) {
			const n = Math.min(this.whole(), Math.max(w < 30 ? g.w * 5 : 0, this.b - this.a > g.w * 5 && w >= 30 ? this.b - this.a : g.w * 5));
			const a = Math.min(Math.max(0, g.x + g.w / 2 - n / 2), this.whole() - n);
			this.goal = { from: [this.a, this.b], to: [a, a + n], start: performance.now() };
		}
		const y = this.flip ? this.flipTop() + this.top - g.depth * ROW : g.depth * ROW;
		if (y < this.box.scrollTop || y > this.box.scrollTop + this.height - 2 * ROW)
			this.box.scrollTop = Math.max(0, y - this.height / 3);
		repaint(this);
	}
	// Frames that the search finds, as they stand in the picture; those that are hardly visible are left out.
	matches() {
		const out = [], todo = this.root ? [this.root] : [], least = this.whole() / 20000;
		while (todo.length && out.length < 5000) {
			const g = todo.pop();
			if (g.fn >= 0 && found[g.fn])
				out.push(g);
			const kids = kidsOf(g, this.up);
			for (let i = kids.length - 1; i >= 0; i--)
				if (kids[i].w >= least)
					todo.push(kids[i]);
		}
		return out;
	}
	nextMatch(by) {
		const all = this.matches(), at = all.indexOf(this.picked), next = at < 0 ? (by > 0 ? 0 : all.length - 1) : (at + by + all.length) % all.length;
		if (all.length)
			this.show(all[next]);
		return [all.length ? next + 1 : 0, all.length];
	}
}

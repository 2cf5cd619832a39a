// A heat map of the run: columns are seconds, rows are slots of a second, from the top down; colour is how much ran.  A drag chooses a
// range, which goes down the columns.

const EDGE = 58, HEAT_SHADES = 24, SLOTS = [50, 40, 25, 20, 10, 5, 4, 2, 1];
// µs that a column may stand for: below 5 s of run less than a second, for long runs more.
const heatSteps = [...[1e2, 1e3, 1e4, 1e5].flatMap(unit => [unit, 2 * unit, 5 * unit]), ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400].map(s => s * 1e6)];

class Heat extends Pane {
	constructor(box, timeline) {
		super(box);
		this.timeline = timeline;
		this.key = "";
		box.addEventListener("pointerdown", e => {
			const at = this.slotAt(e);
			this.down = e.button || at < 0 ? null : { x: e.clientX, y: e.clientY, at, moved: false };
		});
		box.addEventListener("pointermove", e => {
			const d = this.down;
			if (!d || !(e.buttons & 1) || !d.moved && Math.abs(e.clientX - d.x) + Math.abs(e.clientY - d.y) < 4)
				return;
			if (!d.moved)
				box.setPointerCapture(e.pointerId);
			d.moved = true;
			tip(null);
			this.choose(d, this.slotAt(e, true), e);
		});
		box.addEventListener("pointerup", e => {
			const d = this.down;
			this.down = null;
			if (d && !d.moved)
				this.choose(d, d.at, e);
		});
		box.addEventListener("pointercancel", () => { this.down = null; });
		box.addEventListener("dblclick", () => S.range && go({ range: null }));
	}
	// From slot to slot, in whichever direction.
	choose(d, at, e) {
		const lo = Math.min(d.at, at) * this.slot, hi = (Math.max(d.at, at) + 1) * this.slot;
		dragged([lo, Math.min(hi, Math.max(this.timeline.length, lo + 1))], e, d.told);
		d.told = true;
	}
	// What columns and rows stand for.  Finer than samples are, or than the file tells their times, no slot is.
	layout() {
		const length = this.timeline.length, long = length >= 5e6, room = this.width - EDGE - 10;
		const periods = about.events.filter((e, i) => inEvent(i) && !this.leavesOut(i)).map(e => e.period / 1000), finest = Math.max(about.step / 1000, Math.min(...periods), 1);
		this.step = heatSteps.find(step => length / step <= (long ? Math.max(20, room / 3) : 25) && (!long || step >= 1e6)) || length;
		this.perColumn = SLOTS.find(n => this.step / n >= finest) || 1;
		this.slot = this.step / this.perColumn;
		this.columns = Math.ceil(length / this.step);
		this.wide = Math.max(1, Math.min(40, Math.floor(room / this.columns)));
		this.high = Math.max(4, Math.min(22, Math.floor((this.height - RULER - 8) / this.perColumn)));
	}
	// Beside time on a CPU waiting would be everywhere: it is shown where it is chosen alone.
	leavesOut(event) {
		return S.event === "all" && isWaiting(event) && about.events.some(e => e.period && !e.waiting);
	}
	// How much there is in each slot; with a search only of stacks with a match.
	fill() {
		const key = JSON.stringify([this.slot, this.columns, S.rows && [...S.rows], S.event, W.keys.pass, S.search, S.search && W.keys.hide]), { slot } = this;
		if (key === this.key)
			return;
		this.key = key;
		const n = this.columns * this.perColumn, cells = this.cells = new Float64Array(n);
		this.total = this.spread = 0;
		for (const row of S.rows ? rows.filter(row => S.rows.has(row.id)) : rows)
			for (const part of row.parts) {
				const t = threads[part], period = periodOf(t.event);
				for (let i = inEvent(t.event) && !this.leavesOut(t.event) ? t.lo : t.hi; i < t.hi; i++) {
					const node = R.node[i], from = R.from[i], to = R.to[i], w = R.weight[i] * (period || 1);
					if (passing && !passing[node] || W.on && !W.on[node])
						continue;
					const p = Math.min(n - 1, from / slot | 0), q = Math.min(n - 1, to / slot | 0);
					this.total += w;
					if (p === q) {
						cells[p] += w;
						continue;
					}
					if (!period)
						this.spread += w;
					for (let c = p; c <= q; c++)
						cells[c] += w * Math.max(0, Math.min(to, (c + 1) * slot) - Math.max(from, c * slot)) / (to - from);
				}
			}
		this.most = cells.reduce((a, b) => Math.max(a, b), 0);
		this.tell();
	}
	// How much V is, in a slot.
	words(v) {
		const clock = onCpu(S.event === "all" ? about.events.findIndex(e => e.period && !e.waiting) : S.event);
		return isTime() ? amount(v) + " (" + (v / this.slot / 1000).toFixed(2) + (clock ? " CPUs)" : " threads)") : isBytes() ? amount(v) : count(v) + " × " + (about.events[S.event] || { name: "weight" }).name;
	}
	// The line above: what columns, rows and colours mean, and what is not known.
	tell() {
		const off = about.events.some((e, i) => this.leavesOut(i)), spread = shareOf(this.spread, this.total);
		$("heatWords").textContent = "A column is " + time(this.step * 1000) + ", a row " + time(this.slot * 1000) + ". " + (off ? "Waiting is left out. " : "") + (S.search ? "Only stacks that match. " : "") +
			(about.step / 1000 >= this.slot ? "The file has no finer times. " : "") + (spread >= 0.005 ? "≈ " + percent(this.spread, this.total) + " are in equal stacks that last for several rows; they are spread evenly. " : "");
		$("heatMost").textContent = this.words(this.most);
		$("heatScale").style.background = "linear-gradient(90deg," + [0, 6, 12, 18, 23].map(i => heatColour(i)).join() + ")";
	}
	slotAt(e, near) {
		const [x, y] = this.at(e), c = Math.floor((x - EDGE) / this.wide), r = Math.floor((y + this.top - RULER) / this.high);
		if (!near && (x > this.width || c < 0 || r < 0 || c >= this.columns || r >= this.perColumn))
			return -1;
		return Math.max(0, Math.min(c, this.columns - 1)) * this.perColumn + Math.max(0, Math.min(r, this.perColumn - 1));
	}
	paint() {
		const c = this.begin(), tint = Array.from({ length: HEAT_SHADES + 1 }, () => []);
		this.layout();
		this.fill();
		this.tall(RULER + this.perColumn * this.high + 6);
		const { wide, high, perColumn } = this, gap = wide > 5 && high > 5 ? 1 : 0, last = Math.ceil(this.timeline.length / this.slot);
		for (let i = 0; i < this.cells.length && i < last; i++)
			tint[this.cells[i] > 0 ? 1 + Math.min(HEAT_SHADES - 1, Math.floor(this.cells[i] / this.most * HEAT_SHADES)) : 0].push(i);
		tint.forEach((cells, level) => {
			c.fillStyle = level ? heatColour(level - 1) : ink.panel;
			c.beginPath();
			for (const i of cells)
				c.rect(EDGE + Math.floor(i / perColumn) * wide, RULER + i % perColumn * high - this.top, wide - gap, high - gap);
			c.fill();
		});
		if (S.base)
			this.mark(c, S.base, ink.other);
		if (S.range)
			this.mark(c, S.range, ink.ink);
		this.axes(c);
	}
	// The outline of a range: down its first column, whole columns, and a part of the last one.
	mark(c, [lo, hi], colour) {
		const { wide, high, perColumn } = this, a = Math.floor(lo / this.slot + 1e-6), b = Math.max(a, Math.min(this.columns * perColumn, Math.ceil(hi / this.slot - 1e-6)) - 1);
		const x = column => EDGE + column * wide, y = row => RULER + row * high - this.top, [c0, r0, c1, r1] = [Math.floor(a / perColumn), a % perColumn, Math.floor(b / perColumn), b % perColumn];
		const corners = c0 === c1 ? [[c0, r0], [c0 + 1, r0], [c0 + 1, r1 + 1], [c0, r1 + 1]]
			: [[c0, r0], [c0 + 1, r0], [c0 + 1, 0], [c1 + 1, 0], [c1 + 1, r1 + 1], [c1, r1 + 1], [c1, perColumn], [c0, perColumn]];
		c.beginPath();
		for (const [column, row] of corners)
			c.lineTo(x(column) - 0.5, y(row) - 0.5);
		c.closePath();
		for (const [style, width] of [[ink.bg, 4], [colour, 2]]) {
			c.strokeStyle = style;
			c.lineWidth = width;
			c.stroke();
		}
	}
	axes(c) {
		const ms = this.timeline.length < 1e6, label = (us, unit) => ms || unit < 1e6 ? String(+(us / 1000).toFixed(2)) + " ms" : String(us / 1e6) + " s";
		const every = (px, sizes) => sizes.find(n => n * px >= 62) || sizes[sizes.length - 1];
		c.fillStyle = ink.bg;
		c.fillRect(0, 0, this.width, RULER);
		c.font = "11px system-ui, sans-serif";
		c.fillStyle = ink.soft;
		const columns = every(this.wide, [1, 2, 5, 10, 20, 30, 60, 120, 240]), rows = [1, 2, 4, 5, 10, 20, 25, 50].find(n => n * this.high >= 20 && this.perColumn % n === 0) || this.perColumn;
		for (let i = 0; i < this.columns; i += columns)
			if (EDGE + i * this.wide + 40 < this.width || !i)
				c.fillText(label(i * this.step, this.step), EDGE + i * this.wide, RULER / 2);
		c.textAlign = "right";
		for (let i = 0; i < this.perColumn; i += rows) {
			const y = RULER + i * this.high - this.top;
			if (y >= RULER - 2)
				c.fillText(label(i * this.slot, 0), EDGE - 6, y + Math.min(8, this.high / 2 + 1));
		}
		c.textAlign = "left";
		c.font = FONT;
	}
	pointed(e) {
		const at = this.slotAt(e);
		this.box.style.cursor = at < 0 ? "default" : "crosshair";
		if (this.down && this.down.moved || at < 0 || !this.cells)
			return at < 0 && tip(null);
		tip(e, { text: rangeInWords([at * this.slot, (at + 1) * this.slot]), note: this.words(this.cells[at] || 0) });
	}
	left() {
		tip(null);
	}
	// Arrow keys move the range: by columns, by rows.
	move(key) {
		const by = { ArrowLeft: -this.step, ArrowRight: this.step, ArrowUp: -this.slot, ArrowDown: this.slot }[key], [lo, hi] = S.range || [];
		if (S.range)
			setRange(lo + by, hi - lo);
		else {
			const at = this.cells.indexOf(this.most);
			setRange(at * this.slot, this.slot, "new");
		}
	}
}

function heatColour(i) {
	const part = i / (HEAT_SHADES - 1);
	return dark ? `oklch(${(0.3 + 0.55 * part).toFixed(3)} ${(0.05 + 0.11 * part).toFixed(3)} ${(20 + 65 * part).toFixed(1)})` : `oklch(${(0.93 - 0.51 * part).toFixed(3)} ${(0.05 + 0.12 * part).toFixed(3)} ${(85 - 60 * part).toFixed(1)})`;
}

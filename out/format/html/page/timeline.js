// Threads over time: how much of each moment a thread ran (and in the kernel), where it waited; a range and threads to choose.

class Timeline extends Pane {
	constructor(box) {
		super(box);
		this.view = [0, 1];
		this.bins = new Map();
		this.closed = new Set();
		this.order = "busy";
		box.addEventListener("pointerdown", e => this.press(e));
		box.addEventListener("pointermove", e => this.drag(e));
		box.addEventListener("pointerup", e => this.release(e));
		box.addEventListener("pointercancel", () => { this.down = null; });
		box.addEventListener("dblclick", e => {
			if (this.at(e)[0] > this.names && S.range)
				go({ range: null });
		});
	}
	open() {
		this.length = Math.max(1, about.length / 1000, R.n ? threads.reduce((a, t) => t.hi > t.lo ? Math.max(a, R.to[t.hi - 1]) : a, 0) : 0);
		this.view = [0, this.length];
		if (groups.length > 1 && rows.length > 40)
			for (const g of groups)
				this.closed.add(g);
		this.arrange();
	}
	arrange() {
		const by = { busy: (a, b) => b.weight - a.weight || b.waited - a.waited, name: (a, b) => (a.title || a.comm) < (b.title || b.comm) ? -1 : (a.title || a.comm) > (b.title || b.comm) ? 1 : 0,
			start: (a, b) => a.from - b.from, pid: () => 0 }[this.order];
		const sorted = list => [...list].sort((a, b) => by(a, b) || a.pid - b.pid || (a.tid || 0) - (b.tid || 0));
		this.list = [];
		if (rows.length > 1)
			this.list.push({ all: true, rows, label: "all threads", level: 0, weight: rows.reduce((a, r) => a + r.weight, 0), waited: rows.reduce((a, r) => a + r.waited, 0) });
		for (const g of sorted(groups)) {
			const several = g.rows.length > 1, folds = several && groups.length > 1;
			if (folds)
				this.list.push({ group: g, rows: g.rows, label: g.comm, note: String(g.pid), level: 0, weight: g.weight, waited: g.waited });
			if (!folds || !this.closed.has(g))
				for (const row of sorted(g.rows))
					this.list.push({ row, rows: [row], label: row.title, note: String(row.tid), level: folds ? 1 : 0, weight: row.weight, waited: row.waited });
		}
		this.shown = this.folded ? this.list.slice(0, 1) : this.list;
		repaint(this);
	}
	// Shares of each pixel's time: user, kernel, waiting; summed over ROWS.
	binsOf(item) {
		let b = this.bins.get(item.rows);
		if (b)
			return b;
		const n = Math.max(1, Math.ceil(this.width - this.names)), [lo, hi] = this.view, scale = n / (hi - lo);
		b = { user: new Float32Array(n), kernel: new Float32Array(n), wait: new Float32Array(n), counts: false, most: 0 };
		for (const row of item.rows)
			for (const part of row.parts) {
				const t = threads[part], period = periodOf(t.event);
				if (isWaiting(t.event))
					this.addTime(t, b.wait, b.wait, lo, hi, scale, n);
				else if (period)
					this.addTime(t, b.user, b.kernel, lo, hi, scale, n);
				else if (t.event === S.event) {
					b.counts = true;
					for (let i = firstRun(t, lo); i < t.hi && R.from[i] < hi; i++)
						b.user[Math.min(n - 1, Math.max(0, (R.to[i] - lo) * scale | 0))] += R.weight[i];
				}
			}
		for (let i = 0; i < n; i++)
			b.most = Math.max(b.most, b.user[i] + b.kernel[i]);
		this.bins.set(item.rows, b);
		return b;
	}
	addTime(t, user, kernel, lo, hi, scale, n) {
		for (let i = firstRun(t, lo); i < t.hi && R.from[i] < hi; i++) {
			const node = R.node[i], into = F.kind[T.fn[node]] === KERNEL ? kernel : user;
			const x0 = Math.max(0, (R.from[i] - lo) * scale), x1 = Math.min(n, (R.to[i] - lo) * scale), p = x0 | 0, q = Math.min(n - 1, x1 | 0);
			if (p === q)
				into[p] += x1 - x0;
			else {
				into[p] += p + 1 - x0;
				for (let x = p + 1; x < q; x++)
					into[x] += 1;
				into[q] += Math.min(1, x1 - q);
			}
		}
	}
	x(time) {
		return this.names + (time - this.view[0]) / (this.view[1] - this.view[0]) * (this.width - this.names);
	}
	timeAt(x) {
		return this.view[0] + Math.min(1, Math.max(0, (x - this.names) / (this.width - this.names))) * (this.view[1] - this.view[0]);
	}
	paint() {
		const c = this.begin(), wide = this.width > 620;
		this.names = this.width > 900 ? 210 : wide ? 160 : 104;
		const key = [this.width, this.names, this.view, typeof S.event === "number" && !periodOf(S.event) ? S.event : ""].join();
		if (key !== this.key) {
			this.key = key;
			this.bins.clear();
		}
		this.tall(RULER + this.shown.length * LANE + 2);
		const first = Math.max(0, Math.floor((this.top) / LANE));
		for (let i = first; i < this.shown.length; i++) {
			const y = RULER + i * LANE - this.top;
			if (y > this.height)
				break;
			this.lane(c, this.shown[i], y);
		}
		this.ruler(c);
		this.veil(c);
	}
	lane(c, item, y) {
		const chosen = !S.rows || item.rows.some(row => S.rows.has(row.id)), faint = chosen ? 1 : 0.3, b = this.binsOf(item), h = LANE - 3;
		const peak = item.row && !b.counts ? 1 : Math.max(b.most, b.counts ? 1e-9 : 1), base = y + LANE - 1, x0 = this.names;
		c.globalAlpha = 1;
		if (S.rows && chosen) {
			c.fillStyle = ink.panel;
			c.fillRect(0, y, this.width, LANE);
		}
		if (item.all) {
			c.fillStyle = ink.line;
			c.fillRect(0, y + LANE - 0.5, this.width, 0.5);
		}
		c.globalAlpha = faint;
		// off the CPU: shaded behind
		c.fillStyle = ink.wait;
		c.beginPath();
		for (let i = 0; i < b.wait.length; i++)
			if (b.wait[i] > 0.02) {
				const w = h * Math.min(1, b.wait[i] / (item.row ? 1 : item.rows.length));
				c.rect(x0 + i, base - w, 1, w);
			}
		c.fill();
		for (const [values, below, kind] of [[b.kernel, null, KERNEL], [b.user, b.kernel, USER]]) {
			c.fillStyle = strong(kind);
			c.beginPath();
			for (let i = 0; i < values.length; i++) {
				if (values[i] <= 0)
					continue;
				const under = below ? below[i] / peak : 0, top = Math.min(1, values[i] / peak + under), t = Math.max((top - under) * h, 0.7);
				c.rect(x0 + i, base - under * h - t, 1, t);
			}
			c.fill();
		}
		this.label(c, item, y, faint);
		c.globalAlpha = 1;
		this.spots.push({ x: 0, y, w: this.width, h: LANE, item });
	}
	label(c, item, y, faint) {
		const indent = 8 + item.level * 12 + (item.group ? 12 : 0), timed = item.rows[0].parts.some(p => periodOf(threads[p].event)), share = item.weight ? timed ? time(item.weight) : count(item.weight) : item.waited ? "waits " + time(item.waited) : "";
		c.font = "12px system-ui, sans-serif";
		c.fillStyle = ink.soft;
		let right = this.names - 10;
		if (this.names > 120) {
			c.textAlign = "right";
			c.fillText(share, right, y + LANE / 2 + 0.5);
			right -= c.measureText(share).width + 8;
		}
		c.textAlign = "left";
		if (item.group)
			c.fillText(this.closed.has(item.group) ? "▸" : "▾", 8 + item.level * 12, y + LANE / 2 + 0.5);
		c.fillStyle = ink.ink;
		if (item.all || item.group)
			c.font = "600 12px system-ui, sans-serif";
		let label = item.label;
		while (label.length > 2 && indent + c.measureText(label).width > right)
			label = label.slice(0, -2) + "…";
		c.fillText(label, indent, y + LANE / 2 + 0.5);
		const after = indent + c.measureText(label).width + 6;
		c.font = "11px system-ui, sans-serif";
		c.fillStyle = ink.soft;
		const notes = item.group ? [item.note + " · " + item.rows.length, item.note] : [item.note || ""];
		c.fillText(notes.find(note => after + c.measureText(note).width < right) || "", after, y + LANE / 2 + 0.5);
		c.font = FONT;
	}
	ruler(c) {
		c.fillStyle = ink.bg;
		c.fillRect(0, 0, this.width, RULER);
		drawTicks(c, this.view, this.names, this.width, RULER);
		this.spots.push({ x: this.names, y: 0, w: this.width - this.names, h: RULER, ruler: true });
	}
	// What lies outside the range is veiled; the range that it is compared with has a bar in the ruler.
	veil(c) {
		if (!S.range)
			return;
		if (S.base) {
			const [lo, hi] = S.base.map(t => Math.min(this.width, Math.max(this.names, this.x(t))));
			c.fillStyle = ink.other;
			c.fillRect(lo, RULER - 4, Math.max(1.5, hi - lo), 4);
		}
		const x0 = Math.max(this.names, this.x(S.range[0])), x1 = Math.min(this.width, this.x(S.range[1]));
		c.fillStyle = ink.veil;
		if (x0 > this.names)
			c.fillRect(this.names, RULER, Math.min(x0, this.width) - this.names, this.height);
		if (x1 < this.width)
			c.fillRect(Math.max(this.names, x1), RULER, this.width - x1, this.height);
		c.fillStyle = ink.range;
		for (const x of [x0, x1])
			if (x >= this.names && x <= this.width)
				c.fillRect(x - 0.75, 0, 1.5, this.height);
		c.globalAlpha = 0.15;
		if (x1 > x0)
			c.fillRect(x0, 0, x1 - x0, RULER);
		c.globalAlpha = 1;
		const label = time((S.range[1] - S.range[0]) * 1000), w = label.length * charWidth;
		if (x1 - x0 > w + 12) {
			c.fillStyle = ink.bg;
			c.fillRect((x0 + x1 - w) / 2 - 4, 3, w + 8, RULER - 6);
			c.fillStyle = ink.range;
			c.textAlign = "center";
			c.fillText(label, (x0 + x1) / 2, RULER / 2 + 0.5);
			c.textAlign = "left";
		}
	}
	press(e) {
		const [x] = this.at(e);
		if (e.button || x > this.width)
			return;
		this.down = { x: e.clientX, start: x, moved: false, spot: this.spotAt(e), time: this.timeAt(x), more: e.ctrlKey || e.metaKey || e.shiftKey };
		if (S.range && x > this.names && !e.shiftKey)
			for (const edge of [0, 1])
				if (Math.abs(x - this.x(S.range[edge])) < 6)
					this.down.time = S.range[1 - edge], this.down.edge = true;
	}
	drag(e) {
		const d = this.down;
		if (!d || !(e.buttons & 1) || d.start < this.names || about.timeless || !d.moved && Math.abs(e.clientX - d.x) < 4)
			return;
		if (!d.moved)
			this.box.setPointerCapture(e.pointerId);
		d.moved = true;
		const t = this.timeAt(this.at(e)[0]);
		tip(null);
		dragged([Math.min(d.time, t), Math.max(d.time, t)], e, d.told);
		d.told = true;
	}
	release(e) {
		const d = this.down;
		this.down = null;
		if (!d || d.moved || !d.spot)
			return;
		const { item } = d.spot;
		if (item && item.group && d.start < 30)
			this.toggle(item.group);
		else if (item)
			this.take(item, d.more);
		else if (d.spot.ruler && S.range && !d.edge)
			go({ range: null });
	}
	toggle(group) {
		this.closed.has(group) ? this.closed.delete(group) : this.closed.add(group);
		this.arrange();
	}
	// A click: these threads alone, or with MORE these, too; all again where they were chosen.
	take(item, more) {
		const ids = item.rows.map(row => row.id), had = S.rows && ids.every(id => S.rows.has(id));
		let next = new Set(more && S.rows ? S.rows : []);
		if (had && (more || S.rows.size === ids.length))
			for (const id of ids)
				next.delete(id);
		else
			for (const id of ids)
				next.add(id);
		if (item.all)
			next = new Set();
		go({ rows: next.size && next.size < rows.length ? next : null });
	}
	pointed(e) {
		if (this.down && this.down.moved)
			return;
		const [x, y] = this.at(e), spot = this.spotAt(e), edge = S.range && x > this.names && S.range.some(t => Math.abs(x - this.x(t)) < 6);
		this.box.style.cursor = edge ? "ew-resize" : x > this.names ? "crosshair" : "pointer";
		if (!spot || !spot.item) {
			tip(null);
			return;
		}
		const { item } = spot, b = this.binsOf(item), i = Math.floor(x - this.names);
		const name = item.all ? many(countThreads(rows), "thread") : item.group ? item.label + " · process " + item.note + " · " + many(item.rows.length, "thread")
			: item.label + " · thread " + item.rows[0].tid + " of process " + item.rows[0].pid;
		let note = "";
		if (i >= 0 && i < b.user.length)
			note = "at " + time(this.timeAt(x) * 1000) + ": " + (b.counts ? count(b.user[i]) + " events" : percent(b.user[i] + b.kernel[i], 1) + " of a CPU" +
				(b.kernel[i] > 0.005 ? ", " + percent(b.kernel[i], 1) + " in the kernel" : "") + (b.wait[i] > 0.005 ? "; waits " + percent(b.wait[i], 1) : ""));
		tip(e, { text: name, note });
	}
	left() {
		tip(null);
	}
}

const RULER = 22, LANE = 20;

// Marks of time between X0 and X1 for the range VIEW (µs).
function drawTicks(c, view, x0, x1, height) {
	const n = view[1] - view[0], room = Math.max(1, Math.floor((x1 - x0) / 90));
	let step = 10 ** Math.ceil(Math.log10(Math.max(n / room, 1e-3)));
	for (const part of [5, 2])
		if (n / (step / part) <= room)
			step /= part;
	c.font = "11px system-ui, sans-serif";
	const places = Math.max(0, -Math.floor(Math.log10(step / 1e6) + 1e-9));
	for (let t = Math.ceil(view[0] / step) * step; t <= view[1]; t += step) {
		const x = x0 + (t - view[0]) / n * (x1 - x0);
		c.fillStyle = ink.line;
		c.fillRect(Math.round(x), 0, 1, height);
		c.fillStyle = ink.soft;
		const label = view[1] < 1e6 ? (t / 1000).toFixed(Math.max(0, places - 3)) + " ms" : (t / 1e6).toFixed(places) + " s";
		if (x + 4 + label.length * 6 < x1)
			c.fillText(label, Math.round(x) + 4, height / 2 + 0.5);
	}
	c.font = FONT;
}

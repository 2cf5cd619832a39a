// Stacks in the order of time, a lane for each chosen thread.  Where many samples share a pixel, one of them is drawn.

class Order extends Pane {
	constructor(box, timeline) {
		super(box);
		this.timeline = timeline;
		this.depths = new Map();
		this.picked = null;
		box.addEventListener("pointerdown", e => {
			const [x] = this.at(e);
			this.down = e.button || x > this.width ? null : { x: e.clientX, time: this.timeAt(x), moved: false };
		});
		box.addEventListener("pointermove", e => {
			const d = this.down;
			if (!d || !(e.buttons & 1) || !d.moved && Math.abs(e.clientX - d.x) < 5)
				return;
			if (!d.moved)
				box.setPointerCapture(e.pointerId);
			d.moved = true;
			this.marked = [Math.min(d.time, this.timeAt(this.at(e)[0])), Math.max(d.time, this.timeAt(this.at(e)[0]))];
			repaint(this);
		});
		box.addEventListener("pointerup", e => {
			const d = this.down, spot = this.spotAt(e), marked = this.marked;
			this.down = this.marked = null;
			if (d && d.moved && marked)
				go({ range: marked });
			else if (d && spot && spot.fn !== undefined)
				this.picked = spot;
			repaint(this);
		});
		box.addEventListener("dblclick", e => {
			const spot = this.spotAt(e);
			if (spot && spot.fn !== undefined)
				go({ range: [spot.from, spot.to] });
		});
		box.addEventListener("contextmenu", e => {
			const spot = this.spotAt(e);
			if (!spot || spot.fn === undefined)
				return;
			e.preventDefault();
			frameMenu(e.clientX, e.clientY, spot.fn, () => this.stackOf(spot), () => go({ range: [spot.from, spot.to] }), "Zoom to this time");
		});
		box.addEventListener("wheel", e => {
			if (!e.ctrlKey && !e.metaKey)
				return;
			e.preventDefault();
			scaleRange(this.timeAt(this.at(e)[0]), Math.exp(e.deltaY * 0.004));
		}, { passive: false });
	}
	range() {
		return S.range || [0, this.timeline.length];
	}
	timeAt(x) {
		const [lo, hi] = this.range();
		return lo + Math.min(1, Math.max(0, x / this.width)) * (hi - lo);
	}
	// Shown frames of node T, outermost first.
	path(t) {
		const nodes = [];
		for (; t >= 0; t = T.parent[t])
			if (!hidden[T.fn[t]] && F.kind[T.fn[t]] !== PROCESS)
				nodes.push(t);
		return nodes.reverse();
	}
	depthOf(row) {
		const key = W.keys.hide;
		if (this.depthKey !== key) {
			this.depthKey = key;
			this.depths.clear();
			this.level = new Uint16Array(T.n);
			for (let t = 0; t < T.n; t++) {
				const up = T.parent[t] < 0 ? 0 : this.level[T.parent[t]], f = T.fn[t];
				this.level[t] = up + (hidden[f] || F.kind[f] === PROCESS ? 0 : 1);
			}
		}
		let most = this.depths.get(row);
		if (most === undefined) {
			most = 0;
			for (const part of row.parts)
				for (let i = threads[part].lo; i < threads[part].hi; i++)
					most = Math.max(most, this.level[R.node[i]]);
			this.depths.set(row, most);
		}
		return most;
	}
	paint() {
		const c = this.begin(), chosen = this.timeline.list.filter(item => item.row && (!S.rows || S.rows.has(item.row.id)) || item.group && this.timeline.closed.has(item.group))
			.flatMap(item => item.rows).filter(row => !S.rows || S.rows.has(row.id));
		let y = RULER - this.top, binned = 0;
		for (const row of chosen) {
			const h = LANE + this.depthOf(row) * ROW + 8;
			if (y + h > 0 && y < this.height)
				binned = Math.max(binned, this.lane(c, row, y));
			y += h;
		}
		this.tall(y + this.top);
		c.fillStyle = ink.bg;
		c.fillRect(0, 0, this.width, RULER);
		drawTicks(c, this.range(), 0, this.width, RULER);
		if (binned) {
			const words = "each pixel shows only one of " + count(binned) + " samples; zoom in to see all";
			c.font = "11px system-ui, sans-serif";
			const w = c.measureText(words).width + 12;
			c.fillStyle = ink.panel;
			c.fillRect(this.width - w, 0, w, RULER);
			c.fillStyle = ink.accent;
			c.fillText(words, this.width - w + 6, RULER / 2 + 0.5);
			c.font = FONT;
		}
		if (this.marked) {
			const [lo, hi] = this.range(), x = t => (t - lo) / (hi - lo) * this.width;
			c.globalAlpha = 0.15;
			c.fillStyle = ink.range;
			c.fillRect(x(this.marked[0]), 0, x(this.marked[1]) - x(this.marked[0]), this.height);
			c.globalAlpha = 1;
		}
	}
	// Returns how many samples share a pixel, where that is more than a few.
	lane(c, row, y) {
		const [lo, hi] = this.range(), scale = this.width / (hi - lo);
		let binned = 0;
		for (const part of row.parts) {
			const t = threads[part];
			if (!inEvent(t.event))
				continue;
			const first = firstRun(t, lo), last = firstRun(t, hi), waits = isWaiting(t.event), open = [];
			const draw = { c, y: y + LANE, lo, scale, waits, open, row, n: 0, end: -1 };
			if (last - first > 3 * this.width) {
				binned = Math.max(binned, (last - first) / this.width);
				for (let x = 0, i = first; x < this.width; x++) {
					const at = lo + (x + 0.5) / scale;
					while (i < t.hi && R.to[i] < at)
						i++;
					if (i < t.hi && R.from[i] <= at)
						this.add(draw, R.node[i], lo + x / scale, lo + (x + 1) / scale, 1e-9);
				}
			} else
				for (let i = first; i < t.hi && R.from[i] <= hi; i++)
					this.add(draw, R.node[i], R.from[i], R.to[i], Math.max(0.5 / scale, (R.to[i] - R.from[i]) * 0.1));
			this.shut(draw, 0);
		}
		c.font = "600 12px system-ui, sans-serif";
		c.fillStyle = ink.ink;
		c.fillText(cut(row.title, 60), 6, y + LANE / 2 + 1);
		const w = c.measureText(cut(row.title, 60)).width;
		c.font = "11px system-ui, sans-serif";
		c.fillStyle = ink.soft;
		c.fillText("thread " + row.tid + " of " + row.pid, 14 + w, y + LANE / 2 + 1);
		c.font = FONT;
		return binned;
	}
	// One more stack: frames that go on are left open, all others are drawn.
	add(d, node, from, to, slack) {
		if (passing && !passing[node])
			return;
		if (d.end >= 0 && from - d.end > slack)
			this.shut(d, 0);
		const same = d.last === node && d.open.length ? d.open.length : 0;
		if (!same) {
			const path = this.path(node);
			let k = 0;
			while (k < path.length && k < d.open.length && d.open[k].node === path[k])
				k++;
			this.shut(d, k);
			for (; k < path.length; k++)
				d.open.push({ node: path[k], from });
		}
		d.last = node;
		d.end = to;
	}
	shut(d, depth) {
		while (d.open.length > depth) {
			const { node, from } = d.open.pop(), y = d.y + d.open.length * ROW, x = (from - d.lo) * d.scale, w = Math.max(0.4, (d.end - from) * d.scale);
			if (y < -ROW || y > this.height || x + w < 0 || x > this.width)
				continue;
			const x0 = Math.max(0, x), f = T.fn[node];
			drawFrame(d.c, f, x0, y, Math.min(this.width, x + w) - x0, colourOf(f), false, d.waits ? 1 : 0);
			const spot = { x: x0, y, w: Math.max(1, w - (x0 - x)), h: ROW, fn: f, node, from, to: d.end, row: d.row, waits: d.waits };
			if (this.picked && this.picked.node === node && this.picked.from === from)
				outline(d.c, x0, y, spot.w, ink.ink);
			this.spots.push(spot);
		}
	}
	words(spot) {
		return { fn: spot.fn, span: (spot.to - spot.from) * 1000, from: spot.from * 1000, row: spot.row, waits: spot.waits };
	}
	stackOf(spot) {
		return this.path(spot.node).map(t => nameOf(T.fn[t]));
	}
	pointed(e) {
		if (this.down && this.down.moved)
			return;
		const spot = this.spotAt(e);
		if (spot && spot.fn !== undefined)
			tip(e, this.words(spot));
		else
			tip(null);
	}
	left() {
		tip(null);
	}
	// The next frame in time that the search finds, outermost ones first.
	nextMatch(by) {
		const all = this.spots.filter(s => s.fn !== undefined && found[s.fn]).sort((a, b) => a.y - b.y || a.x - b.x);
		const at = this.picked ? all.findIndex(s => s.node === this.picked.node && s.from === this.picked.from) : -1;
		const next = at < 0 ? (by > 0 ? 0 : all.length - 1) : (at + by + all.length) % all.length;
		if (all.length) {
			this.picked = { ...all[next] };
			repaint(this);
		}
		return [all.length ? next + 1 : 0, all.length];
	}
}

function setRange(from, n, how) {
	const length = timeline.length;
	n = Math.min(length, Math.max(n, 1));
	from = Math.min(Math.max(0, from), length - n);
	go({ range: n >= length * 0.9999 ? null : [from, from + n] }, how || "again");
}
function scaleRange(at, by) {
	const [lo, hi] = S.range || [0, timeline.length];
	setRange(at - (at - lo) * by, (hi - lo) * by);
}
function slideRange(by) {
	const [lo, hi] = S.range || [0, timeline.length];
	setRange(lo + by * (hi - lo), hi - lo);
}

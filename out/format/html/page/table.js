// Functions by self and total, and of the picked one its callers, callees, lines and both flame graphs.

const LINE = 22;
let sorted = { key: "", list: [] }, sandwich = [];

const columns = [["self", "Self", (a, b) => tableNow.self[b] - tableNow.self[a]], ["total", "Total", (a, b) => tableNow.tot[b] - tableNow.tot[a]],
	["name", "Function", (a, b) => F.name[a] < F.name[b] ? -1 : F.name[a] > F.name[b] ? 1 : 0],
	["module", "Module", (a, b) => moduleOf(a) < moduleOf(b) ? -1 : moduleOf(a) > moduleOf(b) ? 1 : 0]];
let tableNow;
const moduleOf = f => F.kind[f] === PROCESS ? "" : modules[F.module[f]];

function el(tag, props, ...kids) {
	const e = Object.assign(document.createElement(tag), props);
	e.append(...kids);
	return e;
}

const tableColumns = () => W.base ? [...comparedColumns, ...columns.slice(2)] : columns;
const tableSort = () => tableColumns().some(([name]) => name === S.sort.replace("-", "")) ? S.sort : "self";

// The functions that are shown, sorted.
function functionList() {
	tableNow = functionTable();
	const sort = tableSort(), key = [W.version, sort, S.search].join("\n");
	if (sorted.key !== key) {
		const by = tableColumns().find(([name]) => name === sort.replace("-", ""))[2], sign = sort[0] === "-" ? -1 : 1, list = [];
		for (let f = 0; f < F.n; f++)
			if (!hidden[f] && (tableNow.tot[f] > 0 || tableNow.base && tableNow.base.tot[f] > 0) && (!found || found[f]))
				list.push(f);
		list.sort((a, b) => sign * by(a, b) || tableNow.self[b] - tableNow.self[a] || tableNow.tot[b] - tableNow.tot[a] || a - b);
		sorted = { key, list };
	}
	return sorted.list;
}

// Heads of COLUMNS, that SORT by: a click calls CHOOSE with the column, or with - before it for the other way round.  Behind a number
// there is room for its share, but for BARE ones.
function columnHeads(columns, sort, choose, bare) {
	const heads = [];
	for (const [key, label] of columns) {
		const on = sort.replace("-", "") === key, text = key === "name" || key === "module";
		const b = el("button", { textContent: label + (on ? sort[0] === "-" ? " ▴" : " ▾" : ""), className: text ? "text" : "", title: "sort by " + label.toLowerCase() });
		b.dataset.sort = key;
		if (on)
			b.setAttribute("aria-sort", sort[0] === "-" ? "ascending" : "descending");
		b.onclick = () => choose(on && sort[0] !== "-" ? "-" + key : key);
		heads.push(b);
		if (!text && !bare)
			heads.push(el("span"));
	}
	return heads;
}

const dot = f => {
	const d = el("span", { className: "dot" });
	d.style.background = colourOf(f);
	return d;
};

function share(part, whole) {
	const bar = el("i");
	bar.style.width = (whole ? 100 * part / whole : 0) + "%";
	return el("span", { className: "share", textContent: percent(part, whole) }, bar);
}

function drawRows() {
	const list = functionList(), box = $("lines"), first = Math.max(0, Math.floor(box.scrollTop / LINE) - 3), n = Math.ceil(box.clientHeight / LINE) + 8;
	const all = W.shown;
	$("height").style.height = list.length * LINE + "px";
	$("height").replaceChildren(...list.slice(first, first + n).map((f, i) => {
		const self = tableNow.self[f], total = tableNow.tot[f];
		const row = el("div", { className: "row" + (f === S.pick ? " on" : "") },
			...tableNow.base ? comparedCells(f) : [el("span", { textContent: self ? amount(self) : "" }), self ? share(self, all) : el("span"), el("span", { textContent: amount(total) }), share(total, all)],
			el("span", { className: "text name", title: cut(F.name[f], 400) }, dot(f), cut(F.name[f], 300)),
			el("span", { className: "text module", textContent: cut(moduleOf(f), 80), title: cut(moduleOf(f), 400) }));
		row.style.top = (first + i) * LINE + "px";
		row.onclick = () => pick(f);
		row.oncontextmenu = e => {
			e.preventDefault();
			frameMenu(e.clientX, e.clientY, f, () => [F.name[f]], null);
		};
		return row;
	}));
}

function drawTable() {
	$("list").className = W.base ? "compared" : "";
	$("columns").replaceChildren(...columnHeads(tableColumns(), tableSort(), sort => go({ sort }), W.base));
	drawRows();
	drawDetail();
}

// Moves the pick by N rows, and into sight.
function stepRow(n) {
	const list = functionList(), at = list.indexOf(S.pick), to = at < 0 ? n > 0 ? 0 : list.length - 1 : Math.min(list.length - 1, Math.max(0, at + n));
	if (!list.length)
		return [0, 0];
	const box = $("lines"), y = to * LINE;
	if (y < box.scrollTop || y > box.scrollTop + box.clientHeight - LINE)
		box.scrollTop = y - box.clientHeight / 3;
	go({ pick: list[to] }, "again");
	return [to + 1, list.length];
}

function edges(title, kids, all) {
	const box = el("div", {}, el("h3", { textContent: title })), most = 30;
	for (const kid of kids.slice(0, most)) {
		const b = el("button", { className: "edge", title: cut(nameOf(kid.fn), 400) }, el("span", { textContent: amount(kid.w) }), share(kid.w, all),
			el("span", { className: "text" }, dot(kid.fn), cut(nameOf(kid.fn), 200)));
		b.onclick = () => pick(kid.fn);
		box.append(b);
	}
	if (kids.length > most)
		box.append(el("div", { className: "soft", textContent: "and " + many(kids.length - most, "other") }));
	if (!kids.length)
		box.append(el("div", { className: "soft", textContent: "none" }));
	return box;
}

let detailKey = "";
function drawDetail() {
	const f = S.pick, key = [W.version, f].join();
	if (key === detailKey)
		return;
	detailKey = key;
	for (const pane of sandwich)
		pane.close();
	sandwich = [];
	const box = $("detail");
	box.replaceChildren();
	if (f < 0 || f >= F.n) {
		box.append(el("p", { className: "soft", textContent: "Pick a function to see its callers, its callees and its lines." }));
		return;
	}
	const self = tableNow.self[f], total = tableNow.tot[f], kind = kindWords.find(([k]) => k === F.kind[f])[1];
	const place = F.file[f] ? F.file[f] + (F.line[f] ? ":" + F.line[f] : "") : "";
	const button = (text, act) => el("button", { textContent: text, onclick: act });
	box.append(el("div", {}, el("h2", { textContent: cut(F.name[f], 2000) }),
		el("p", { className: "about", textContent: cut([moduleOf(f), place, kind].filter(Boolean).join(" · "), 500) }),
		el("p", { className: "about", textContent: "self " + amount(self) + " (" + percent(self, W.shown) + "), total " + amount(total) + " (" + percent(total, W.shown) + ")" + (tableNow.base ? "; other range: " + [tableNow.base.self[f], tableNow.base.tot[f]].map(v => percent(v, W.base.shown)).join(", ") : "") })),
	el("div", { className: "acts" }, button("Focus", () => focusOn(f)), button("Hide", () => hideIt(f)), button("Exclude stacks", () => exclude(f)),
		button("Copy name", () => copy(F.name[f])), button("Show in the flame graph", () => showInFlame(f))));
	if (total <= 0) {
		box.append(el("p", { className: "soft", textContent: "It did not run in the time and threads that you chose." }));
		return;
	}
	const up = groupOf(f, true), down = groupOf(f, false);
	box.append(el("div", { className: "pair" }, edges("Callers", [...kidsOf(up, true)].sort((a, b) => b.w - a.w), up.w),
		edges("Callees", [...kidsOf(down, false)].sort((a, b) => b.w - a.w), down.w)));
	const lines = linesOf(f);
	if (lines.some(l => l.line))
		box.append(linesTable(f, lines, down.w));
	const frames = el("div", { className: "sandwich" });
	box.append(el("div", {}, el("h3", { textContent: "All callers and all callees" }), frames));
	for (const isUp of [true, false]) {
		const pane = el("div", { className: "pane" }, el("canvas"), el("div", { className: "size" }));
		frames.append(pane);
		sandwich.push(new Flame(pane, { up: isUp, flip: isUp, root: () => groupOf(f, isUp) }));
	}
	for (const pane of sandwich)
		repaint(pane);
}

function linesTable(f, lines, all) {
	const box = el("div", {}, el("h3", { textContent: "Lines" + (F.file[f] ? " of " + F.file[f].split("/").pop() : "") })), most = lines.reduce((a, l) => Math.max(a, l.tot), 0);
	if (lines.some(l => hasText(f, l.line)))
		return sourceTable(f, lines, all);
	const shown = lines.length > 200 ? [...lines].sort((a, b) => b.tot - a.tot).slice(0, 200).sort((a, b) => a.line - b.line) : lines;
	const grid = el("div", { className: "code" }, el("span", { className: "soft", textContent: "line" }), el("span", { className: "soft", textContent: "total" }), el("span"), el("b", { className: "soft", textContent: "" }));
	for (const l of shown) {
		const bar = el("i"), inner = el("b", { title: "self " + amount(l.self) });
		bar.style.width = 100 * l.tot / most + "%";
		inner.append(bar);
		grid.append(el("span", { textContent: l.line || "?" }), el("span", { textContent: amount(l.tot) }), el("span", { className: "soft", textContent: percent(l.tot, all) }), inner);
	}
	box.append(grid);
	if (shown.length < lines.length)
		box.append(el("div", { className: "soft", textContent: many(lines.length - shown.length, "lighter line") + " not shown" }));
	return box;
}

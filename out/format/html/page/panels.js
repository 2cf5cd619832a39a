// What stands around the pictures: chips, tip, menus, sheets, copying and saving.

// ---- words about what is pointed at

function describe(what) {
	if (what.text !== undefined)
		return { name: what.text, notes: [what.note] };
	const f = what.fn, notes = [];
	if (what.span !== undefined)
		notes.push((what.waits ? "waited " : "") + time(what.span) + " from " + time(what.from), what.row.title + " · thread " + what.row.tid);
	else {
		let line = amount(what.total) + " · " + percent(what.total, what.all) + (what.parent ? " of all, " + percent(what.total, what.parent) + " of its parent" : "") +
			(what.up ? " in stacks that end with these functions" : "");
		if (!what.up)
			line += " · self " + amount(what.self) + " · " + percent(what.self, what.all);
		if (W.base && what.base !== undefined)
			line += " · other range " + percent(what.base, W.base.shown) + " (" + amount(what.base) + "), " + points(more(what.total, what.base), 2) + " points";
		else if (what.delta !== undefined)
			line += " · " + (what.delta > 0 ? "+" : "") + (100 * what.delta).toFixed(2) + " points";
		notes.push(line);
		if (what.wait > 0 && S.event === "all")
			notes.push(amount(what.total - what.wait) + " of it on CPU, " + amount(what.wait) + " waiting (" + percent(what.wait, what.total) + ")");
	}
	if (f >= 0)
		notes.push([moduleOf(f), F.file[f] ? F.file[f] + (F.line[f] ? ":" + F.line[f] : "") : "", F.kind[f] ? kindWords.find(([k]) => k === F.kind[f])[1] : ""].filter(Boolean).join(" · "));
	return { name: nameOf(f), notes };
}

function tip(e, what) {
	const box = $("tip");
	if (!e) {
		box.hidden = true;
		return;
	}
	const { name, notes } = describe(what);
	box.replaceChildren(el("b", { textContent: cut(name, 400) }), ...notes.filter(Boolean).map(note => el("div", { textContent: cut(note, 300) })));
	box.hidden = false;
	const w = box.offsetWidth, h = box.offsetHeight, x = e.clientX + 14, y = e.clientY + 18;
	box.style.left = Math.max(4, x + w > innerWidth - 6 ? Math.min(e.clientX - w - 10, innerWidth - w - 6) : x) + "px";
	box.style.top = Math.max(4, y + h > innerHeight - 6 ? e.clientY - h - 12 : y) + "px";
}

// What is picked in the view that is shown, with its weights of now.
function picked() {
	const all = W.shown || 1, branch = treePicked();
	if (S.view === "table")
		return S.pick >= 0 && tableNow ? { fn: S.pick, total: tableNow.tot[S.pick], self: tableNow.self[S.pick], all, base: tableNow.base ? tableNow.base.tot[S.pick] : undefined } : null;
	if (branch)
		return { fn: branch.g.fn, total: branch.g.w, self: branch.g.self, all, parent: branch.g.parent.parent ? branch.g.parent.w : 0, base: branch.g.base };
	if (S.view === "order")
		return order.picked && order.words(order.picked);
	return isFlame() && picture.picked ? picture.words(picture.picked) : null;
}

// The status line follows what is picked; where nothing is, it tells the share of what is chosen.
let everything = { event: null, w: 0 };
function drawStatus() {
	const what = picked(), range = S.range ? S.range[1] - S.range[0] : timeline.length;
	if (what) {
		const { name, notes } = describe(what);
		$("status").replaceChildren(el("b", { textContent: cut(name, 300) }), " " + notes.filter(Boolean).join(" · "));
		return;
	}
	if (everything.event !== S.event)
		everything = { event: S.event, w: threads.reduce((sum, t) => sum + (inEvent(t.event) ? t.weight * (periodOf(t.event) || 1) : 0), 0) };
	const some = S.range || S.rows || S.focus.length || S.without.length;
	$("status").textContent = some ? timeInWords(W.shown, W.waited) + ", " + percent(W.shown, everything.w) + " of all " + amount(everything.w) +
		(S.range && isTime() ? ", in " + time(range * 1000) + ": " + (W.shown / (range * 1000)).toFixed(2) + (onCpu(S.event) && !(W.waited > 0) ? " CPUs" : " threads") + " at a time" : "") + (W.base ? "; the other range has " + amount(W.base.shown) : "") : "";
}

function toast(text) {
	const box = $("toast");
	box.textContent = text;
	box.hidden = false;
	clearTimeout(box.timer);
	box.timer = setTimeout(() => { box.hidden = true; }, 2500);
}

// ---- copying and saving: where the page may do neither, the text is shown to be taken by hand

async function copy(text) {
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		const area = el("textarea", { value: text });
		area.style.position = "fixed";
		document.body.append(area);
		area.select();
		let done = false;
		try {
			done = document.execCommand("copy");
		} catch {
			done = false;
		}
		area.remove();
		if (!done)
			return showText("Copy", text);
	}
	toast("copied " + (text.includes("\n") ? many(text.split("\n").length, "line") : cut(text, 60)));
}

function showText(title, text) {
	const area = el("textarea", { value: text, readOnly: true });
	sheet(title, area);
	area.select();
}

// ---- what is chosen, each with a way out

function chip(text, off, title) {
	return el("span", { className: "chip", title: title || "" }, el("span", { textContent: cut(text, 80) }), el("button", { textContent: "×", ariaLabel: "remove: " + cut(text, 80), onclick: off }));
}
const less = (list, item) => list.filter(x => x !== item);

function drawChips() {
	const out = [], part = W.shown < W.total * 0.9999 ? " of " + amount(W.total) : "";
	const unit = isTime() ? timeInWords(W.shown, W.waited) + part : isBytes() ? amount(W.shown) + " of " + about.events[S.event].name + part : count(W.shown) + " × " + (about.events[S.event] || { name: "weight" }).name + part;
	out.push(el("span", { id: "sum", textContent: unit + (S.rows ? "" : " · " + many(countThreads(rows), "thread")) }));
	if (S.range)
		out.push(chip(rangeInWords(S.range), () => go({ range: null })), ...baseChips());
	if (S.rows) {
		const one = S.rows.size === 1 && rows[[...S.rows][0]];
		out.push(chip(one ? one.title + " " + one.tid : many(countThreads(rows.filter(row => S.rows.has(row.id))), "thread"), () => go({ rows: null })));
	}
	for (const f of S.focus)
		out.push(chip("through " + nameOf(f), () => go({ focus: less(S.focus, f) }), nameOf(f).slice(0, 400)));
	for (const f of S.without)
		out.push(chip("not through " + nameOf(f), () => go({ without: less(S.without, f) }), nameOf(f).slice(0, 400)));
	for (const f of S.hidden)
		out.push(chip("without " + nameOf(f), () => go({ hidden: less(S.hidden, f) }), nameOf(f).slice(0, 400)));
	for (const m of S.modules)
		out.push(chip("without module " + (modules[m] || "none"), () => go({ modules: less(S.modules, m) })));
	if (S.mine)
		out.push(chip("only my code", () => go({ mine: false })));
	const path = S.view === "flame" ? S.zoom : S.view === "callers" ? S.up : [];
	if (path.length) {
		const key = S.view === "flame" ? "zoom" : "up", from = Math.max(0, path.length - 6);
		const crumb = (text, to) => el("button", { className: "crumb", textContent: cut(text, 60), title: text.slice(0, 400), onclick: () => go({ [key]: to }) });
		out.push(crumb("all", []));
		if (from)
			out.push("…");
		for (let i = from; i < path.length; i++)
			out.push("›", crumb(variantsOf(path[i])[variantsOf(path[i]).length - 1], path.slice(0, i + 1)));
	}
	if (notes.length)
		out.push(el("button", { className: "crumb", textContent: many(notes.length, "note"), title: "notes (a)", onclick: showNotes }));
	if (about.least)
		out.push(el("span", { className: "warn", textContent: "Stacks of fewer than " + many(about.least, "sample") + " lack their middle frames." }));
	if (about.step)
		out.push(el("span", { className: "warn", textContent: "Within " + time(about.step) + " equal stacks count as one sample." }));
	if (about.timeless)
		out.push(el("span", { className: "warn", textContent: "This profile holds no times, so it has no timeline and no time order." }));
	$("chips").replaceChildren(...out);
}

// ---- menus

function openMenu(x, y, items, from) {
	const box = $("menu");
	tip(null);
	box.replaceChildren(...items);
	box.hidden = false;
	box.from = from || document.activeElement;
	box.style.left = Math.max(4, Math.min(x, innerWidth - box.offsetWidth - 6)) + "px";
	box.style.top = Math.max(4, Math.min(y, innerHeight - box.offsetHeight - 6)) + "px";
	const first = box.querySelector("button,input");
	if (first)
		first.focus({ preventScroll: true });
}
function closeMenu() {
	if ($("menu").hidden)
		return false;
	$("menu").hidden = true;
	if ($("menu").from && $("menu").from.focus)
		$("menu").from.focus({ preventScroll: true });
	return true;
}
const entry = (text, key, act) => el("button", { role: "menuitem", onclick: () => { closeMenu(); act(); } }, el("span", { textContent: text }), el("kbd", { textContent: key }));

function frameMenu(x, y, f, stack, zoom, zoomWords) {
	const items = [el("p", { textContent: cut(nameOf(f), 200) })];
	if (zoom)
		items.push(entry(zoomWords || "Zoom in", "Enter", zoom));
	if (f >= 0) {
		items.push(entry("Callers, callees and lines", "p", () => pick(f)), entry("Focus: only stacks with it", "f", () => focusOn(f)),
			entry("Exclude: only stacks without it", "x", () => exclude(f)), entry("Hide it, but keep what it calls", "h", () => hideIt(f)));
		if (F.kind[f] !== PROCESS)
			items.push(entry("Hide module " + cut(moduleOf(f) || "none", 40), "", () => go({ modules: [...S.modules, F.module[f]] })));
		items.push(el("hr"), entry("Copy name", "c", () => copy(nameOf(f))), entry("Copy stack", "C", () => copy(stack().join("\n"))));
	}
	openMenu(x, y, items);
}

function modulesMenu() {
	const weight = new Float64Array(modules.length), off = new Set(S.modules), r = $("modules").getBoundingClientRect();
	for (let t = 0; t < T.n; t++)
		weight[F.module[T.fn[t]]] += W.self[t];
	const list = modules.map((name, m) => m).filter(m => weight[m] > 0 && modules[m] !== "process" || off.has(m)).sort((a, b) => weight[b] - weight[a]);
	const box = (checked, text, note, change) => el("label", {}, el("input", { type: "checkbox", checked, onchange: change }), el("span", { textContent: text, title: text.slice(0, 300) }), el("span", { className: "soft", textContent: note }));
	openMenu(r.left, r.bottom + 4, [
		box(showsProcesses(), "Process names", "", e => go({ processes: e.target.checked })),
		box(S.mine, "Only my code", "", e => go({ mine: e.target.checked })),
		box(S.byModule, "Colours by module", "", e => go({ byModule: e.target.checked })), el("hr"),
		...list.slice(0, 200).map(m => box(!off.has(m), cut(modules[m] || "no module", 60), percent(weight[m], W.total), e => {
			go({ modules: e.target.checked ? less(S.modules, m) : [...S.modules, m] });
		})),
	], $("modules"));
}

// ---- sheets

function sheet(title, ...content) {
	const box = $("sheet"), close = el("button", { textContent: "Close", onclick: () => box.close() });
	box.replaceChildren(el("h2", { textContent: title }), ...content, close);
	if (!box.open)
		box.showModal();
}

function pairs(list) {
	return el("dl", {}, ...list.filter(([, v]) => v !== "" && v !== undefined).flatMap(([k, v]) => [el("dt", { textContent: k }), el("dd", { textContent: cut(String(v), 4000) })]));
}

function showAbout() {
	const events = about.events.map(e => e.name + (e.period ? ", a sample every " + time(e.period) : "") + (e.waiting ? ", waiting" : "")).join("; ");
	const known = new Set(about.notes.map(([k]) => k.toLowerCase()));
	const own = [["command", about.command], ["event", events], ["samples", count(about.samples)], ["length", about.timeless ? "" : time(about.length)],
		["threads", count(countThreads(rows)) + " in " + many(groups.length, "process", "processes")], ["functions", count(F.n)], ["stacks", count(T.n) + " nodes"]];
	const ids = about.mappings.filter(([file]) => file);
	sheet("About this profile", pairs([...own.filter(([k]) => !known.has(k)), ...about.notes, ["written by", about.exporter]]),
		...about.dropped ? [el("p", { className: "warn", textContent: "Some samples were left out: prof's memory was full." })] : [],
		...ids.length ? [el("h3", { textContent: "Modules" }), pairs(ids.map(([file, id]) => [id ? id.slice(0, 12) : "–", file]))] : []);
}

const keyWords = [["1 … 6", "flame, callers, time order, table, tree, heat map"], ["/", "search (regular expression)"], ["n N", "next, previous match"], ["← ↑ ↓ →", "go to a neighbour, the caller, a callee"],
	["Enter", "zoom to the picked frame; tree: unfold, fold"], ["→ ← *", "tree: unfold, fold, unfold the heaviest path"], ["Esc", "leave the menu, search, zoom or range"], ["0", "show everything again"], ["p", "callers, callees and lines of the picked function"], ["f", "focus: only stacks with it"],
	["x", "exclude: only stacks without it"], ["h", "hide it, but keep what it calls"], ["r", "turn the flame graph upside down"], ["o", "only my code"], ["m", "modules"], ["k", "colours by module, or by kind"], ["+ −", "zoom in time (or frames)"], [", .", "earlier, later"],
	["c C", "copy name, copy stack"], ["s S", "save as folded stacks; choose a format"], ["a", "notes; save the page with them"], ["d", "compare: keep this range, then choose another; swap them"], ["[ ]", "back, forward"], ["t", "fold the timeline"], ["e", "next event"], ["w", "waits by blocking call"], ["i", "about this profile"], ["?", "this list"]];

function showKeys() {
	const mouse = [["drag", "on the timeline, the heat map or in time order: a range"], ["Shift+drag", "a second range, compared with the first"], ["click", "a thread: show it alone; with Ctrl or Shift, add it"], ["click", "a frame: zoom to it; the right button opens a menu"],
		["Ctrl+wheel", "zoom"], ["double click", "the timeline: show all of it; time order: the time of a frame"]];
	const grid = list => el("div", { className: "keys" }, ...list.flatMap(([k, v]) => [el("kbd", { textContent: k }), el("span", { textContent: v })]));
	sheet("Keys", grid(keyWords), el("h3", { textContent: "Mouse" }), grid(mouse));
}

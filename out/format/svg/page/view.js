// What a flame graph does once it is opened where scripts run; without, it is the still picture that it comes as.
// State is in the address: #f=FRAME&s=SEARCH&i=1 (i: case is ignored).
(() => {
"use strict";
const svg = document.currentScript.closest("svg");
const data = JSON.parse(svg.querySelector("script[type='application/json']").textContent);
const NS = "http://www.w3.org/2000/svg", XHTML = "http://www.w3.org/1999/xhtml";
const ROW = 18, SIDE = 10, HEAD = 52, BAR = 32, FOOT = 24, CHARACTER = 7.23, THIN = Math.max(data.min / 10, 0.5);
const kinds = ["", "kernel", "JIT", "marker", "inlined", "", "Python"];
const found = "#c026d3";

// Frames of all panels, in one row: callees behind their caller.
const name = [], weight = [], at = [], depth = [], parent = [], last = [], delta = [], color = [], home = [];
const panels = [...svg.querySelectorAll(".panel")].map((node, number) => decode(data.panels[number], node));

function decode(from, node) {
	const panel = { period: from.period, event: from.event, least: from.least, node, frames: node.querySelector(".frames"),
		cut: node.querySelector(".cut"), text: [], kind: [], fill: [], module: [], line: [], root: name.length };
	const step = data.delta ? 5 : 3, cursor = [0], open = [];
	let level = 0;
	for (let i = 0; i < from.names.length; i += 5) {
		panel.text.push(from.names[i]);
		panel.kind.push(from.names[i + 1]);
		panel.fill.push("#" + from.names[i + 2].toString(16).padStart(6, "0"));
		panel.module.push(data.modules[from.names[i + 3]]);
		panel.line.push(from.names[i + 4]);
	}
	for (let i = 0; i < from.frames.length; i += step) {
		const me = name.length;
		level -= from.frames[i + 2];
		for (; open.length > level; open.pop())
			last[open[open.length - 1]] = me;
		name.push(from.frames[i]);
		weight.push(from.frames[i + 1]);
		at.push(cursor[level]);
		depth.push(level);
		parent.push(level ? open[level - 1] : -1);
		home.push(panel);
		last.push(me + 1);
		delta.push(data.delta ? from.frames[i + 3] : 0);
		color.push(data.delta ? "#" + from.frames[i + 4].toString(16).padStart(6, "0") : panel.fill[from.frames[i]]);
		cursor[level] += weight[me];
		cursor[level + 1] = at[me];
		open.push(me);
		level++;
	}
	for (; open.length; open.pop())
		last[open[open.length - 1]] = name.length;
	panel.end = name.length;
	return panel;
}

let width = 0, zoom = -1, cursor = -1, query = "", ignore = false, matches = [], current = -1;
let hit = new Map(), drawn = [], broken = false;

// ---- words ----

const round = (v, places) => v.toFixed(places).replace(/\.?0+$/, "");
function amount(panel, w) {
	const ns = w * panel.period;
	return !ns ? w.toLocaleString("en") : ns >= 1e9 ? round(ns / 1e9, 3) + " s" : ns >= 1e6 ? round(ns / 1e6, 2) + " ms" :
		round(ns / 1e3, 1) + " \u00b5s";
}
const share = (w, all) => round(100 * w / all, 2) + "%";
const label = i => home[i].text[name[i]] + (home[i].line[name[i]] ? ":" + home[i].line[name[i]] : "");

function words(i) {
	const panel = home[i], all = weight[panel.root], top = zoomOf(panel), line = [];
	if (name[i] < 0)
		return ["frames that are too narrow to draw", amount(panel, weight[i]) + ", " + share(weight[i], all)];
	let self = weight[i];
	for (let c = i + 1; c < last[i]; c = last[c])
		self -= weight[c];
	const what = [panel.module[name[i]], kinds[panel.kind[name[i]]]].filter(Boolean).join(", ");
	line.push(amount(panel, weight[i]), share(weight[i], all));
	if (top !== panel.root && inside(i, top))
		line.push(share(weight[i], weight[top]) + " of what is shown");
	if (self && !data.reverse)
		line.push("self " + share(self, all));
	if (data.delta)
		line.push((delta[i] < 0 ? "\u2212" : "+") + round(Math.abs(delta[i]) / 1000, 3) + "% of all");
	return [label(i) + (what ? " (" + what + ")" : ""), line.join(", ")];
}

// ---- what is made of elements ----

function make(tag, attributes, within) {
	const node = document.createElementNS(NS, tag);
	for (const key in attributes)
		node.setAttribute(key, attributes[key]);
	return within ? within.appendChild(node) : node;
}
function html(tag, style, within, text) {
	const node = document.createElementNS(XHTML, tag);
	Object.assign(node.style, { font: "12px system-ui,sans-serif" }, style);
	if (text)
		node.textContent = text;
	return within ? within.appendChild(node) : node;
}

const [title, , subtitle] = [svg.querySelector("title").textContent, 0, svg.querySelectorAll("text")[1].textContent];
const [heading, sub] = svg.querySelectorAll("text");
const legend = svg.querySelector(".legend");
svg.setAttribute("width", "100%");
svg.removeAttribute("viewBox");
svg.style.display = "block";
svg.style.maxWidth = "none";
legend.querySelectorAll("[y]").forEach((node, i, all) => {
	node.setAttribute("y", node.getAttribute("y") - (i ? all[0].base : all[0].base = Number(node.getAttribute("y"))));
});

const layer = make("foreignObject", { x: 0, y: HEAD, width: 10, height: BAR }, svg);
const bar = html("div", { display: "flex", alignItems: "center", gap: "6px", height: "30px", padding: "0 10px", boxSizing: "border-box",
	background: "rgba(255,255,255,.94)", borderBottom: "1px solid #ddd", color: "#333", whiteSpace: "nowrap" }, layer);
const flat = { border: "1px solid #bbb", borderRadius: "4px", background: "#f7f7f7", padding: "2px 7px", cursor: "pointer", flex: "none",
	color: "#222" };
const input = html("input", { border: "1px solid #bbb", borderRadius: "4px", padding: "2px 6px", flex: "0 1 190px", minWidth: "60px",
	background: "#fff", color: "#222" }, bar);
input.placeholder = "search (regular expression)";
input.setAttribute("aria-label", "search");
input.spellcheck = false;
function button(text, hint, press) {
	const node = html("button", flat, bar, text);
	node.title = hint;
	node.addEventListener("click", press);
	return node;
}
const caseless = button("Aa", "ignore case (i)", () => search(query, !ignore));
const back = button("\u2039", "previous match (N)", () => step(-1));
const forth = button("\u203a", "next match (n)", () => step(1));
const matched = html("span", { flex: "none" }, bar);
const reset = button("Reset zoom", "the whole picture (0)", () => show(-1));
const status = html("span", { flex: "1 1 0", overflow: "hidden", textOverflow: "ellipsis", color: "#555" }, bar);
button("?", "keys", help);

const tipLayer = make("foreignObject", { x: 0, y: 0, width: 520, height: 200, visibility: "hidden" }, svg);
tipLayer.style.pointerEvents = "none";
const tip = html("div", { display: "inline-block", maxWidth: "500px", background: "#222", color: "#fff", padding: "5px 8px", borderRadius: "5px",
	boxShadow: "0 1px 6px rgba(0,0,0,.4)", overflowWrap: "anywhere", whiteSpace: "pre-wrap", lineHeight: "1.35" }, tipLayer);

// ---- drawing ----

const zoomOf = panel => zoom >= panel.root && zoom < panel.end ? zoom : panel.root;
const inside = (i, outer) => i >= outer && i < last[outer];

// Cut in the middle, as the still picture is.
function fit(text, room) {
	const all = [...text];
	if (all.length <= room)
		return text;
	const head = room >> 1, tail = room - 1 - head;
	return all.slice(0, head).join("") + "\u2026" + (tail ? all.slice(-tail).join("") : "");
}

// What is wide enough of a panel, as {i, x, w, faded}, and grey pieces (i of the first in them) for what is not.
function layout(panel) {
	const top = zoomOf(panel), inner = Math.max(width - 2 * SIDE, 10), scale = inner / weight[top], out = [], thin = new Map();
	const flush = piece => piece && piece.w >= THIN && out.push(piece);
	for (let i = panel.root; i < panel.end;) {
		const above = i !== top && inside(top, i);
		if (!above && !inside(i, top)) {
			i = last[i];
			continue;
		}
		const x = above ? 0 : (at[i] - at[top]) * scale, w = above ? inner : weight[i] * scale;
		if (name[i] >= 0 && w >= THIN) {
			out.push({ i, x, w, faded: above });
			i++;
			continue;
		}
		let piece = thin.get(depth[i]);
		if (!piece || Math.abs(piece.x + piece.w - x) > 1e-6) {
			flush(piece);
			thin.set(depth[i], piece = { i, x, w: 0, grey: true });
		}
		piece.w += w;
		i = last[i];
	}
	thin.forEach(flush);
	// rows that hold but a few spikes are left out, as long as there is something else
	const rows = [];
	for (const p of out)
		rows[depth[p.i]] = (rows[depth[p.i]] || 0) + p.w;
	let end = rows.length;
	while (end > depth[top] + 2 && rows[end - 1] < inner / 200)
		end--;
	return out.filter(p => depth[p.i] < end);
}

function drawPanel(panel, y) {
	const pieces = layout(panel), fresh = panel.frames.cloneNode(false);
	const rows = 1 + Math.max(...pieces.map(p => depth[p.i]));
	for (const p of pieces) {
		const i = p.i, top = y + ROW * (data.inverted ? depth[i] : rows - 1 - depth[i]);
		const rect = make("rect", { x: SIDE + p.x, y: top, width: Math.max(p.w > 1.5 ? p.w - 0.5 : p.w, 0), height: ROW - 1,
			fill: p.grey ? "#ddd" : hit.has(i) ? found : color[i] }, fresh);
		rect.frame = i;
		if (p.w >= 10)
			rect.setAttribute("rx", 1.5);
		if (p.faded)
			rect.setAttribute("opacity", 0.5);
		if (!p.grey)
			rect.style.cursor = "pointer";
		p.rect = rect;
		const room = Math.floor((p.w - 6) / CHARACTER);
		if (!p.grey && room >= 3) {
			const text = make("text", { x: SIDE + p.x + 3, y: top + 12.8 }, fresh);
			text.textContent = [...label(i)].length <= room ? label(i) : fit(home[i].text[name[i]], room);
			text.style.pointerEvents = "none";
			if (hit.has(i))
				text.setAttribute("fill", "#fff");
			if (p.faded)
				text.setAttribute("opacity", 0.7);
		}
	}
	panel.frames.replaceWith(fresh);
	panel.frames = fresh;
	drawn.push(...pieces);
	return rows * ROW;
}

function draw() {
	const before = svg.getBoundingClientRect(), scroll = scrolling();
	width = before.width || innerWidth;
	let y = HEAD + BAR + 6;
	drawn = [];
	for (const panel of panels) {
		const head = panels.length > 1 && panel.node.querySelector("text");
		if (head) {
			head.setAttribute("y", y + 14);
			y += ROW + 4;
		}
		y += drawPanel(panel, y);
		panel.cut.setAttribute("y", y + 13);
		panel.cut.textContent = zoomOf(panel) === panel.root ? panel.said || (panel.said = panel.cut.textContent) || "" :
			share(weight[zoom], weight[panel.root]) + " of all samples is shown";
		y += FOOT;
	}
	legend.setAttribute("transform", "translate(0," + (y + 10) + ")");
	y += 24;
	svg.setAttribute("height", y);
	heading.textContent = fit(title, Math.floor((width - 20) / 9.8));
	sub.textContent = fit(subtitle, Math.floor((width - 20) / CHARACTER));
	layer.setAttribute("width", width);
	reset.style.display = zoom < 0 ? "none" : "";
	// The outermost frames stay where they are.
	if (!data.inverted && standalone() && before.height && y !== Math.round(before.height) && scroll.fixed)
		scrollTo(0, scroll.y + y - before.height);
	stick();
	outline();
}

const standalone = () => document.documentElement === svg;
const scrolling = () => ({ y: standalone() ? scrollY : 0, fixed: started });
let started = false;

// The bar stays in sight.
function stick() {
	const top = svg.getBoundingClientRect().top, most = Math.max(HEAD, svg.getAttribute("height") - BAR);
	layer.setAttribute("y", Math.min(Math.max(HEAD, -top), most));
}

let outlined = [];
function outline() {
	for (const rect of outlined)
		rect.removeAttribute("stroke");
	outlined = drawn.filter(p => !p.grey && (p.i === cursor || p.i === matches[current])).map(p => p.rect);
	for (const rect of outlined)
		rect.setAttribute("stroke", "#111");
}

// ---- what can be done ----

function tell(i) {
	status.textContent = i < 0 ? "" : words(i).join(" \u2014 ");
}

function point(event) {
	const i = event.target.frame;
	if (i === undefined) {
		tipLayer.setAttribute("visibility", "hidden");
		tell(cursor);
		return;
	}
	const box = svg.getBoundingClientRect();
	tip.textContent = words(i).join("\n");
	tell(i);
	tipLayer.setAttribute("width", Math.min(520, box.width));
	const size = tip.getBoundingClientRect();
	let x = event.clientX - box.left + 14, y = event.clientY - box.top + 18;
	if (x + size.width > box.width)
		x = Math.max(0, event.clientX - box.left - size.width - 8);
	if (event.clientY + 18 + size.height > innerHeight)
		y -= size.height + 30;
	tipLayer.setAttribute("x", x);
	tipLayer.setAttribute("y", Math.max(0, y));
	tipLayer.setAttribute("visibility", "visible");
}

// Zooms to a frame, -1 being all.
function show(i, quiet) {
	zoom = i < 0 || i >= name.length || !(name[i] >= 0) || parent[i] < 0 ? -1 : i;
	tipLayer.setAttribute("visibility", "hidden");
	draw();
	tellMatched();
	if (!quiet)
		remember(true);
}

function find() {
	hit = new Map();
	matches = [];
	broken = false;
	if (!query)
		return;
	let re;
	try {
		re = new RegExp(query, ignore ? "i" : "");
	} catch (e) {
		broken = true;
		return;
	}
	for (const panel of panels) {
		const fits = panel.text.map(text => re.test(text));
		for (let i = panel.root; i < panel.end; i++)
			if (name[i] >= 0 && parent[i] >= 0 && fits[name[i]]) {
				hit.set(i, true);
				matches.push(i);
			}
	}
}

// What matches, each sample counted once.
function tellMatched() {
	let text = "";
	for (const panel of panels) {
		let sum = 0;
		const top = zoomOf(panel);
		for (let i = top; i < last[top]; i = hit.has(i) ? last[i] : i + 1)
			sum += hit.has(i) ? weight[i] : 0;
		text += (text ? " / " : "") + share(sum, weight[top]);
	}
	matched.textContent = broken ? "not a regular expression" : !query ? "" : "matched " + text +
		(matches.length ? " \u00b7 " + (current < 0 ? "" : current + 1 + " of ") + matches.length : "");
	matched.style.color = broken ? "#c00" : "#86198f";
	input.style.borderColor = broken ? "#c00" : "#bbb";
	caseless.style.background = ignore ? "#cfe3ff" : "#f7f7f7";
	caseless.setAttribute("aria-pressed", ignore);
	back.style.display = forth.style.display = matches.length ? "" : "none";
}

function search(text, icase, quiet) {
	query = text;
	ignore = icase;
	current = -1;
	if (input.value !== text)
		input.value = text;
	find();
	draw();
	tellMatched();
	if (!quiet)
		remember(false);
}

// The next match, or the one before; zoomed to where it can be seen.
function step(by) {
	if (!matches.length)
		return;
	current = current < 0 ? (by > 0 ? 0 : matches.length - 1) : (current + by + matches.length) % matches.length;
	const i = matches[current];
	if (!drawn.some(p => p.i === i && p.w >= 3 && !p.faded)) {
		let outer = i;
		while (parent[outer] >= 0 && weight[i] * 20 >= weight[parent[outer]])
			outer = parent[outer];
		show(outer);
	}
	outline();
	tellMatched();
	tell(i);
	reveal(i);
}

function reveal(i) {
	const piece = drawn.find(p => p.i === i);
	if (!piece)
		return;
	const box = piece.rect.getBoundingClientRect();
	if (box.top < BAR + 4 || box.bottom > innerHeight - 4)
		scrollBy(0, (box.top + box.bottom) / 2 - innerHeight / 2);
	stick();
}

function walk(key) {
	const inward = data.inverted ? "ArrowDown" : "ArrowUp", outward = data.inverted ? "ArrowUp" : "ArrowDown";
	const seen = drawn.filter(p => !p.grey), me = seen.find(p => p.i === cursor);
	let to;
	if (!me)
		to = seen.find(p => p.i === (zoom < 0 ? panels[0].root : zoom));
	else if (key === outward)
		to = seen.find(p => p.i === parent[cursor]);
	else if (key === inward)
		to = seen.filter(p => parent[p.i] === cursor).sort((a, b) => b.w - a.w)[0];
	else
		to = seen.filter(p => depth[p.i] === depth[cursor] && home[p.i] === home[cursor] &&
			(key === "ArrowLeft" ? p.x < me.x : p.x > me.x)).sort((a, b) => Math.abs(a.x - me.x) - Math.abs(b.x - me.x))[0];
	if (to) {
		cursor = to.i;
		outline();
		tell(cursor);
		reveal(cursor);
	}
}

let sheet;
function help() {
	if (sheet) {
		sheet.remove();
		sheet = undefined;
		return;
	}
	sheet = make("foreignObject", { x: Math.max(0, width - 330), y: Number(layer.getAttribute("y")) + BAR, width: 330, height: 260 }, svg);
	html("div", { background: "#fff", border: "1px solid #bbb", borderRadius: "6px", padding: "8px 12px", margin: "2px 8px", whiteSpace: "pre",
		lineHeight: "1.6", color: "#222", boxShadow: "0 2px 8px rgba(0,0,0,.25)" }, sheet, [
		"click, Enter   zoom to a frame", "0, Esc         the whole picture", "u, Backspace   one frame out", "arrows         from frame to frame",
		"/, Ctrl-F      search", "n, N           next match, previous", "i              ignore case", "?              this list"].join("\n"))
		.style.fontFamily = "monospace";
}

// ---- the address ----

function remember(step) {
	const parts = [];
	if (zoom >= 0)
		parts.push("f=" + zoom);
	if (query)
		parts.push("s=" + encodeURIComponent(query));
	if (ignore)
		parts.push("i=1");
	const hash = "#" + parts.join("&");
	if (hash === (location.hash || "#"))
		return;
	try {   // where a page may not have an address of its own, it has none
		if (step)
			history.pushState(null, "", hash);
		else
			history.replaceState(null, "", hash);
	} catch (e) {
		location.hash = hash;
	}
}
function recall() {
	const state = Object.fromEntries(location.hash.slice(1).split("&").map(part => part.split("=")));
	let text = "";
	try {
		text = decodeURIComponent(state.s || "");
	} catch (e) {
	}
	show("f" in state ? Number(state.f) : -1, true);
	search(text, state.i === "1", true);
}

// ---- events ----

svg.addEventListener("mousemove", point);
svg.addEventListener("mouseleave", () => tipLayer.setAttribute("visibility", "hidden"));
svg.addEventListener("click", event => {
	const i = event.target.frame;
	if (i === undefined)
		return;
	cursor = -1;
	show(name[i] < 0 ? parent[i] : i);
	tell(i);
});
input.addEventListener("input", () => search(input.value, ignore));
input.addEventListener("keydown", event => {
	if (event.key === "Enter")
		step(event.shiftKey ? -1 : 1);
	else if (event.key === "Escape") {
		search("", ignore);
		input.blur();
	} else
		return;
	event.preventDefault();
});
addEventListener("keydown", event => {
	const typing = event.target === input;
	if ((event.ctrlKey || event.metaKey) && event.key === "f" || event.key === "/" && !typing) {
		input.focus();
		input.select();
		event.preventDefault();
		return;
	}
	if (typing || event.ctrlKey || event.metaKey || event.altKey)
		return;
	const actions = { n: () => step(1), N: () => step(-1), i: () => search(query, !ignore), 0: () => show(-1), "?": help,
		Escape: () => sheet ? help() : zoom >= 0 ? show(-1) : search("", ignore), Enter: () => cursor >= 0 && show(cursor),
		u: () => zoom >= 0 && show(parent[zoom]) };
	actions.Backspace = actions.u;
	const action = event.key.startsWith("Arrow") ? () => walk(event.key) : Object.hasOwn(actions, event.key) && actions[event.key];
	if (!action || event.key === "Enter" && event.target.tagName === "button")
		return;
	event.preventDefault();
	action();
});
addEventListener("scroll", stick, { passive: true, capture: true });
addEventListener("resize", draw);
addEventListener("popstate", recall);
addEventListener("hashchange", recall);

recall();
if (!data.inverted && standalone() && !location.hash)
	scrollTo(0, svg.getAttribute("height"));
started = true;
stick();
})();

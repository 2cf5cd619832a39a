// Source text that the file holds, beside the lines of a function.

const AROUND = 6, SOURCE_ROWS = 400;   // lines around one that ran

const textOf = (f, line) => sources.has(F.file[f]) ? sources.get(F.file[f]).get(line) : undefined;
const hasText = (f, line) => textOf(f, line) !== undefined;

// The numbers of lines to show: those that ran, and those around them whose text is known; the heaviest first where they are too many.
function linesAround(f, lines) {
	const shown = new Set();
	for (const { line } of [...lines].sort((a, b) => b.tot - a.tot))
		for (let at = Math.max(0, line - AROUND); at <= line + AROUND && shown.size < SOURCE_ROWS; at++)
			if (at === line || line && hasText(f, at))
				shown.add(at);
	return [...shown].sort((a, b) => a - b);
}

function sourceTable(f, lines, all) {
	const ran = new Map(lines.map(l => [l.line, l])), most = lines.reduce((a, l) => Math.max(a, l.tot), 0), shown = linesAround(f, lines);
	const box = el("div", {}, el("h3", { textContent: "Lines of " + F.file[f].split("/").pop() })), grid = el("div", { className: "code source" });
	const soft = text => el("span", { className: "soft", textContent: text });
	let last = 0;
	for (const line of shown) {
		const l = ran.get(line), text = textOf(f, line);
		if (last && line > last + 1)
			grid.append(soft("⋯"), soft(""), soft(""), soft(""), el("pre"));
		last = line;
		const bar = el("i"), pre = el("pre", { textContent: text === undefined ? "" : text, title: text === undefined ? "" : text.trim(), className: l ? "" : "soft" });
		bar.style.width = l && most ? 100 * l.tot / most + "%" : 0;
		bar.style.visibility = l ? "" : "hidden";
		grid.append(l ? el("span", { textContent: line || "?" }) : soft(line), el("span", { textContent: l ? amount(l.tot) : "", title: l ? "self " + amount(l.self) : "" }), soft(l ? percent(l.tot, all) : ""), bar, pre);
	}
	box.append(grid);
	const left = lines.filter(l => !shown.includes(l.line)).length;
	if (left)
		box.append(el("div", { className: "soft", textContent: many(left, "lighter line") + " not shown" }));
	return box;
}

// Notes on what is shown, each with the view it was written at.  A saved page holds them.

let notes = [], unsaved = false, kept = null;

// Takes what the page carries out of the document: the profile and the program (they go into saved pages), and notes.
function keepParts() {
	kept = [$("data"), $("program")];
	try {
		const written = $("notes") && JSON.parse(new TextDecoder().decode(Uint8Array.from(atob($("notes").textContent.trim()), c => c.charCodeAt(0))));
		notes = (Array.isArray(written) ? written : []).filter(note => note && typeof note.text === "string" && typeof note.at === "string")
			.map(note => ({ text: note.text.split("\n").map(tame).join("\n"), at: note.at }));
	} catch {
		notes = [];
	}
	for (const part of [...kept, $("notes")])
		if (part)
			part.remove();
}

// The page as it was written, with the notes of now.
function pageWithNotes() {
	const page = document.documentElement.cloneNode(true), pick = (tag, i) => page.querySelectorAll(tag)[i], boot = page.querySelector("script:not([type])");
	for (const made of [page.querySelector("#page"), pick("head > style", 1), pick("script:not([type])", 1), ...page.querySelectorAll("body > textarea")])
		if (made)
			made.remove();
	for (const blank of [...page.querySelector("body").childNodes].filter(node => node.nodeType === Node.TEXT_NODE))
		blank.remove();
	const parts = [el("div", { id: "wait", hidden: true, textContent: "Unpacking the profile…" }), ...kept.map(part => part.cloneNode(true))];
	if (notes.length) {
		const bytes = new TextEncoder().encode(JSON.stringify(notes));
		parts.push(el("script", { type: "text/plain", id: "notes", textContent: btoa(Array.from(bytes, b => String.fromCharCode(b)).join("")) }));
	}
	for (const part of parts)
		boot.before(part, "\n");
	return "<!doctype html>\n" + page.outerHTML + "\n";
}

function savePage() {
	hand(fileName(".html"), pageWithNotes(), "text/html", many(notes.length, "note"));
	unsaved = false;
}

function addNote(text) {
	if (!text.trim())
		return;
	notes.push({ text: text.trim(), at: toHash() });
	unsaved = true;
	drawn = {};
	repaint();
}

function showNotes() {
	const area = el("textarea", { placeholder: "What do you see here?", ariaLabel: "a new note", className: "short" }), change = () => { drawn = {}; repaint(); showNotes(); };
	const list = notes.map(note => el("div", { className: "note" }, el("p", { textContent: note.text }),
		el("button", { textContent: "Show", title: "show what the page showed when you wrote this note", onclick: () => { $("sheet").close(); go(fromHash(note.at)); } }),
		el("button", { textContent: "Remove", onclick: () => { notes = less(notes, note); unsaved = true; change(); } })));
	const write = () => { addNote(area.value); area.value = ""; };
	sheet("Notes", ...list, area, el("p", { className: "acts" }, el("button", { textContent: "Add", onclick: () => { write(); showNotes(); } }),
		el("button", { textContent: "Save the page with notes", onclick: () => { write(); showNotes(); savePage(); } })));
	area.focus();
}

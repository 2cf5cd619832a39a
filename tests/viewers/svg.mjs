// Looks at the flame graphs that tests/viewers/make wrote to DIR, in headless Chromium, and drives them: node svg.mjs DIR
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { checker, launch, newPage } from "./browser.mjs";

const check = checker("svg"), dir = resolve(process.argv[2]), problems = [];
const context = await launch({ viewport: { width: 1200, height: 500 } });
const page = await newPage(context, problems);
const url = name => pathToFileURL(join(dir, name)).href;

async function open(name, hash = "") {
	await page.goto("about:blank");
	await page.goto(url(name) + hash);
	await page.waitForSelector("foreignObject", { state: "attached" });
}
// What is drawn: rows from the outermost, frames from left to right, by their labels, faded ones in parentheses.
function rows() {
	return page.evaluate(() => {
		const rows = new Map();
		for (const text of document.querySelectorAll(".frames text")) {
			const y = Number(text.getAttribute("y")), faded = text.getAttribute("opacity");
			rows.set(y, [...(rows.get(y) || []), faded ? "(" + text.textContent + ")" : text.textContent]);
		}
		return [...rows.keys()].sort((a, b) => b - a).map(y => rows.get(y).join(" "));
	});
}
const bar = () => page.evaluate(() => [...document.querySelectorAll("foreignObject button, foreignObject span")]
	.filter(node => node.style.display !== "none" && node.textContent).map(node => node.textContent));
// The middle of the frame of that label, where the mouse goes.
async function frame(label) {
	const box = await page.evaluate(wanted => {
		const text = [...document.querySelectorAll(".frames text")].find(node => node.textContent === wanted);
		const box = text && text.previousSibling.getBoundingClientRect();
		return box && { x: box.x + box.width / 2, y: box.y + box.height / 2 };
	}, label);
	if (!box)
		throw new Error("no frame " + label);
	return box;
}
async function click(label) {
	const at = await frame(label);
	await page.mouse.click(at.x, at.y);
}
async function point(label) {
	const at = await frame(label);
	await page.mouse.move(at.x, at.y);
	return page.evaluate(() => [...document.querySelectorAll("foreignObject")].filter(node => node.getAttribute("visibility") === "visible")
		.map(node => node.textContent)[0]);
}
const marked = () => page.evaluate(() => document.querySelectorAll(".frames rect[fill='#c026d3']").length);
const outlined = () => page.evaluate(() => [...document.querySelectorAll(".frames rect[stroke]")].map(rect => rect.nextSibling.textContent));
const hash = () => page.evaluate(() => location.hash);

const whole = ["all", "app gzip k\u2026r", "_start clone [truncated]", "main start_thread deflate", "read_file work fib",
	"do_syscall_64 hash_round small fib", "copy_to_user fib"];

async function zooming() {
	await open("plain.svg");
	check("all-of-it", await rows(), whole);
	await click("work");
	const zoomed = await rows();
	check("zoom", zoomed, ["(all)", "(app)", "(_start)", "(main)", "work", "hash_round small"]);
	check("zoom-in-the-address", /^#f=\d+$/.test(await hash()), true);
	check("reset-is-there", (await bar()).includes("Reset zoom"), true);
	await click("main");
	check("an-ancestor-zooms-out-to-it", (await rows()).slice(3, 5), ["main", "read_file work"]);
	await page.goBack();
	check("back", await rows(), zoomed);
	await page.goForward();
	await page.click("text=Reset zoom");
	check("reset", await rows(), whole);
	check("reset-is-gone", (await bar()).includes("Reset zoom"), false);
	await click("work");
	const address = await page.evaluate(() => location.href);
	await open("plain.svg", address.slice(address.indexOf("#")));
	check("an-address-opens-as-it-was", await rows(), zoomed);
	await page.keyboard.press("Escape");
	check("escape-resets", await rows(), whole);
}

async function searching() {
	await open("plain.svg");
	await page.keyboard.press("Control+f");
	await page.keyboard.type("^fib$");
	check("search", [await marked(), (await bar()).find(text => /matched/.test(text))], [3, "matched 47.06% \u00b7 3"]);
	check("search-in-the-address", await hash(), "#s=%5Efib%24");
	await page.keyboard.press("Enter");
	check("next", [(await bar()).find(text => /matched/.test(text)), await outlined()], ["matched 47.06% \u00b7 1 of 3", ["fib"]]);
	await page.keyboard.press("Shift+Enter");
	check("previous-goes-round", (await bar()).find(text => /matched/.test(text)), "matched 47.06% \u00b7 3 of 3");
	await page.keyboard.press("Escape");
	check("search-ends", [await marked(), await hash()], [0, ""]);
	await page.keyboard.press("/");
	await page.keyboard.type("MAIN");
	check("case-matters", await marked(), 0);
	await page.click("text=Aa");
	check("unless-ignored", [await marked(), await hash()], [1, "#s=MAIN&i=1"]);
	await page.fill("input", "a(b");
	check("no-regular-expression", [await marked(), (await bar()).some(text => /not a regular/.test(text))], [0, true]);
	await open("plain.svg", "#s=_&i=1");
	check("a-search-in-the-address", await page.evaluate(() => document.querySelector("input").value), "_");
	await page.keyboard.press("n");
	await page.keyboard.press("n");
	await page.keyboard.press("N");
	check("n-and-N", (await bar()).find(text => / of /.test(text)).split(" \u00b7 ")[1].split(" ")[0], "1");
	check("no-dialogs", problems, []);
}

async function keys() {
	await open("plain.svg");
	const way = [];
	for (const key of ["ArrowUp", "ArrowUp", "ArrowUp", "ArrowLeft", "ArrowUp", "ArrowDown", "ArrowRight"]) {
		await page.keyboard.press(key);
		way.push(...await outlined());
	}
	check("arrows", way, ["all", "app", "clone", "_start", "main", "_start", "clone"]);
	check("arrows-tell", (await bar()).some(text => /^clone \(app\) /.test(text)), true);
	await page.keyboard.press("Enter");
	check("enter-zooms", (await rows()).slice(0, 4), ["(all)", "(app)", "clone", "start_thread"]);
	await page.keyboard.press("u");
	check("u-zooms-out", (await rows()).slice(0, 3), ["(all)", "app", "_start clone"]);
	await page.keyboard.press("0");
	check("0-resets", await rows(), whole);
	await page.keyboard.press("?");
	check("a-sheet-of-keys", await page.evaluate(() => /Backspace/.test(document.documentElement.textContent.split("]]>").pop())), true);
	await page.keyboard.press("?");
}

async function telling() {
	await open("plain.svg");
	check("tooltip", await point("do_syscall_64"), "do_syscall_64 ([kernel], kernel)\n4 ms, 11.76%");
	check("status", (await bar()).includes("do_syscall_64 ([kernel], kernel) \u2014 4 ms, 11.76%"), true);
	check("tooltip-self", await point("main"), "main (app)\n14 ms, 41.18%");
	await page.mouse.move(5, 5);
	check("tooltip-goes", await page.evaluate(() => [...document.querySelectorAll("foreignObject[visibility='visible']")].length), 0);
	await page.setViewportSize({ width: 500, height: 500 });
	const fluid = await page.waitForFunction(() => {
		const edge = Math.max(...[...document.querySelectorAll(".frames rect")].map(rect => rect.getBoundingClientRect().right));
		return edge > 480 && edge <= 500;
	}, null, { timeout: 10000 }).then(() => true, () => false);
	check("fluid-width", fluid, true);
	await page.setViewportSize({ width: 1200, height: 500 });
}

// Without script or style: the picture's own elements.
async function still() {
	const bytes = readFileSync(join(dir, "plain.svg"), "utf8"), bare = bytes.replace(/<script[^]*?<\/script>/g, "");
	check("still-text", [...bare.matchAll(/<text[^>]*>([^<]*)<\/text><\/g>/g)].map(m => m[1]).sort(), whole.join(" ").split(" ").sort());
	check("still-needs-no-style", /<style| style=|class="[^"]*" *\/>|href=/.test(bare), false);
	check("still-says-what-it-is", /34 ms on CPU, 34 samples of cpu-clock/.test(bare), true);
	writeFileSync(join(dir, "img.html"), `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src file:">
		<body style="margin:0"><img src="plain.svg" width="1200">`);
	await page.goto(url("img.html"));
	const strict = [];
	const loaded = await page.evaluate(() => document.images[0].decode().then(() => document.images[0].naturalWidth));
	check("in-an-img", [loaded, strict], [1200, []]);
	const colors = await page.screenshot({ path: join(dir, "img.png") }) && await page.evaluate(async () => {
		const image = new Image(), canvas = Object.assign(document.createElement("canvas"), { width: 1200, height: 400 });
		image.src = document.images[0].src;
		await image.decode();
		canvas.getContext("2d").drawImage(image, 0, 0);
		try {
			const data = canvas.getContext("2d").getImageData(0, 0, 1200, 260).data, seen = new Set();
			for (let i = 0; i < data.length; i += 4)
				seen.add(data[i] >> 5 << 6 | data[i + 1] >> 5 << 3 | data[i + 2] >> 5);
			return seen.size > 10;
		} catch (e) {
			return "tainted";
		}
	});
	check("in-an-img-it-is-drawn", colors === true || colors === "tainted", true);
	problems.length = 0;   // the policy is for the page around the image, whose own style it refuses
	// served with a policy that lets no script run
	const server = await context.newPage(), before = [];
	await server.route("http://strict.test/*", route => route.fulfill({ body: bytes, contentType: "image/svg+xml",
		headers: { "content-security-policy": "default-src 'none'; style-src 'none'; script-src 'none'" } }));
	await server.goto("http://strict.test/plain.svg");
	before.push(await server.evaluate(() => [document.querySelectorAll("foreignObject").length,
		document.querySelectorAll(".frames text").length]));
	check("under-a-strict-policy", before, [[0, whole.join(" ").split(" ").length]]);
	await server.close();
}

async function hostile() {
	await open("hostile.svg");
	await page.evaluate(() => { window.alerted = []; window.alert = text => window.alerted.push(text); });
	const texts = await page.evaluate(() => [...document.querySelectorAll(".frames text")].map(node => node.textContent));
	check("hostile-names", ["semi;colon", "quote\"", "back\\slash", "</script>", "<b>&amp;", "'", "\u0438\u043c\u044f", "\u6f22\u5b57\u540d",
		"\ud83d\udd25"].filter(name => !texts.includes(name)), []);
	check("hostile-marks-are-not-shown", texts.filter(text => /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/.test(text)), []);
	check("hostile-elements", await page.evaluate(() => [...new Set([...document.querySelectorAll("*")].map(node => node.localName))].sort()),
		["button", "div", "foreignObject", "g", "input", "rect", "script", "span", "svg", "text", "title"]);
	await page.fill("input", "script");
	check("hostile-search", await marked(), 1);
	await click("</script>");
	check("hostile-zoom", (await rows()).at(-1).includes("<b>&amp;") || (await rows()).join(" ").includes("</script>"), true);
	check("hostile-inert", await page.evaluate(() => window.alerted), []);
}

async function rest() {
	await open("empty.svg");
	check("empty", await page.evaluate(() => /no samples/.test(document.documentElement.textContent)), true);
	await open("events.svg");
	const all = await page.evaluate(() => document.querySelectorAll(".panel").length);
	check("a-picture-for-each-event", [all, await page.evaluate(() => [...document.querySelectorAll(".panel > text")]
		.map(node => node.textContent).filter(Boolean))], [2, ["9 ms on CPU, 9 samples of cpu-clock", "100 in 2 samples of page-faults"]]);
	await click("work");
	check("zoom-in-one-of-them", (await rows()).join(" ").includes("touch_page"), true);
	await open("deep.svg");
	check("deep", (await rows()).length > 1000, true);
	const inline = readFileSync(join(dir, "plain.svg"), "utf8").replace(/^<\?xml.*\n/, "");
	writeFileSync(join(dir, "page.html"), `<p>text</p>${inline}<iframe sandbox="allow-scripts" srcdoc="${inline.replace(/&/g, "&amp;")
		.replace(/"/g, "&quot;")}" width="900" height="400"></iframe>`);
	await page.goto(url("page.html"));
	await page.waitForSelector("foreignObject", { state: "attached" });
	check("within-a-page", await rows(), whole);
	await click("work");
	check("within-a-page-zoom", (await rows())[4], "work");
	const sandbox = page.frames()[1];
	await sandbox.waitForSelector("foreignObject", { state: "attached" });
	await sandbox.locator(".frames text", { hasText: "work" }).first().evaluate(node => node.previousSibling.dispatchEvent(
		new MouseEvent("click", { bubbles: true })));
	check("in-a-sandbox", await sandbox.evaluate(() => [...document.querySelectorAll(".frames text")].map(node => node.textContent).join(" ")),
		"all app _start main work hash_round small");
}

try {
	await zooming();
	await searching();
	await keys();
	await telling();
	await still();
	await hostile();
	await rest();
	check("no-complaints", problems, []);
} catch (error) {
	check("views", String(error.stack || error), "no error");
}
await context.close();

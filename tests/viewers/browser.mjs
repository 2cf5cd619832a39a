// A headless Chromium (CHROMIUM=path, else from the PATH) with a profile of its own, and the tests' lines.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const flags = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
	"--disable-background-networking", "--disable-component-update", "--disable-sync"];

function browserPath() {
	if (process.env.CHROMIUM)
		return process.env.CHROMIUM;
	for (const dir of (process.env.PATH || "").split(":"))
		for (const name of ["chromium", "chromium-browser", "google-chrome"])
			if (dir && existsSync(join(dir, name)))
				return join(dir, name);
	throw new Error("no chromium found; set CHROMIUM");
}

// A browser's context; close() also removes its profile.
export async function launch(options = {}) {
	const home = mkdtempSync(join(tmpdir(), "viewer-"));
	const context = await chromium.launchPersistentContext(home, { executablePath: browserPath(), headless: true, args: flags,
		viewport: { width: 1280, height: 800 }, ...options });
	const close = context.close.bind(context);
	context.close = async () => {
		await close();
		rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
	};
	return context;
}

// A page that keeps what it complains of in PROBLEMS.
export async function newPage(context, problems) {
	const page = await context.newPage();
	page.on("pageerror", error => problems.push(String(error)));
	page.on("console", message => message.type() === "error" && problems.push(message.text()));
	page.on("crash", () => problems.push("the tab crashed"));
	page.on("dialog", dialog => {
		problems.push("a dialog: " + dialog.message());
		dialog.dismiss();
	});
	return page;
}

// check(NAME, GOT, WANT) says "ok viewers/SUITE/NAME" or what differs, and makes the exit status 1.
export function checker(suite) {
	return (name, got, want) => {
		if (JSON.stringify(got) === JSON.stringify(want)) {
			console.log(`ok viewers/${suite}/${name}`);
			return;
		}
		console.log(`want ${JSON.stringify(want)}\ngot  ${JSON.stringify(got)}`);
		console.log(`not ok viewers/${suite}/${name}: the viewer shows something else`);
		process.exitCode = 1;
	};
}

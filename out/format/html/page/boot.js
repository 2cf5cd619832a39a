// Unpacks the program and starts it.  One line in the page: no line comments behind code here.
const plain = Uint8Array.fromBase64 || (text => {   /* browsers of before 2025 */
	const part = atob(text), buffer = new Uint8Array(part.length);
	for (let i = 0; i < part.length; i++) buffer[i] = part.charCodeAt(i);
	return buffer;
});
const unpack = (id, format) => {
	const text = document.getElementById(id).textContent.trim();
	const stream = new DecompressionStream(format), writer = stream.writable.getWriter();
	const bytes = new Response(stream.readable).arrayBuffer();
	for (let at = 0; at < text.length; at += 1 << 20) {
		const part = text.slice(at, at + (1 << 20));
		writer.write(plain(part)).catch(() => {});
	}
	writer.close().catch(() => {});
	return bytes;
};
(async () => {
	const wait = document.getElementById("wait");
	wait.hidden = false;
	try {
		const [style, skeleton, program] = new TextDecoder().decode(await unpack("program", "gzip")).split("\0");
		document.head.append(Object.assign(document.createElement("style"), { textContent: style }));
		const body = document.createElement("div");
		body.id = "page";
		body.innerHTML = skeleton;
		document.body.append(body);
		document.body.append(Object.assign(document.createElement("script"), { textContent: program }));
		await start();
		wait.remove();
	} catch (error) {
		wait.textContent = "This page needs a browser of 2023 or later (Chrome 111, Firefox 113, Safari 16.4): " + error;
	}
})();

// Unpacks view.js, which stands behind this as text in base64, and lets it run within the picture.
(svg => async packed => {
const bytes = Uint8Array.from(atob(packed), c => c.charCodeAt(0));
const script = document.createElementNS("http://www.w3.org/2000/svg", "script");
script.textContent = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
svg.append(script);
script.remove();
})(document.currentScript.closest("svg"))(`

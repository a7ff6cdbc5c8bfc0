import { wordsOf } from "./values";

const htmlTags: ReadonlySet<string> = new Set(
  wordsOf(`
  html head body title style div span p a b i u s em strong small sub sup mark abbr address article aside bdi bdo
  blockquote br button caption center cite code col colgroup data datalist dd del details dfn dialog dl dt fieldset
  figcaption figure font footer form h1 h2 h3 h4 h5 h6 header hgroup hr iframe img input ins kbd label legend li main
  map area menu meter nav ol optgroup option output picture pre progress q rp rt ruby samp search section select slot
  summary table tbody td textarea tfoot th thead time tr tt ul var video audio canvas wbr big strike dir nobr marquee`),
);

const svgTags: ReadonlySet<string> = new Set(
  wordsOf(`
  svg g path rect circle ellipse line polyline polygon text tspan textPath defs symbol use title desc clipPath mask
  pattern linearGradient radialGradient stop marker filter feGaussianBlur feOffset feBlend feColorMatrix feComposite
  feFlood feMerge feMergeNode feDropShadow image switch`),
);

const ownElement = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)+$/;

/** An unknown element keeps its place, its children and its look, but not its powers. A link is a style. */
export function tagOf(tag: string, isSvg: boolean): string {
  if (isSvg) return svgTags.has(tag) ? tag : "g";
  if (htmlTags.has(tag)) return tag;
  const name = tag.toLowerCase();
  if (name === "link") return "style";
  if (htmlTags.has(name) || ownElement.test(name)) return name;
  return "span";
}

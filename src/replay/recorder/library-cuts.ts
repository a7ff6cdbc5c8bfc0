/*
 * The library is cut to what is recorded.
 * Decision: the recorder's build cuts canvas, media, fonts, selections and frames of other origins out of
 * `@rrweb/record`, each between two ends that must be found.
 * Because: every visitor of a recorded site loads it: 21 KB gzipped and not 25, and no Worker that a strict policy
 * refuses.
 * Cost: a new version of the library may stop the build, and then somebody has to look.
 * Revisit: when the library can leave them out by itself.
 */

import { type BunPlugin, file } from "bun";

interface Cut {
  readonly from: string;
  readonly to: string;
  readonly instead: string;
}

/**
 * What is never recorded is cut out of the library before it is bundled: canvas and its worker (and with it the only
 * Blob and Worker of the file), media, fonts, selections, frames of other origins, virtual nodes. Each cut names its
 * two ends, and a missing end stops the build, so that no new version of the library slips through with other code in
 * their place.
 */
const cuts: readonly Cut[] = [
  {
    from: "function variableListFor(",
    to: "class StylesheetManager {",
    instead: "class CanvasManager { reset() {} freeze() {} unfreeze() {} lock() {} unlock() {} }\n",
  },
  {
    from: "function initMediaInteractionObserver(",
    to: "function mergeHooks(",
    instead: ["MediaInteraction", "Font", "Selection", "CustomElement"]
      .map((what) => `function init${what}Observer() { return () => {}; }\n`)
      .join(""),
  },
  {
    from: "class CrossOriginIframeMirror {",
    to: "class IframeManager {",
    instead: "class CrossOriginIframeMirror { reset() {} }\n",
  },
  { from: "  handleMessage(message) {", to: "class ShadowDomManager {", instead: "}\n" },
  {
    from: '  if (tagName === "canvas" && recordCanvas) {',
    to: '  if (["audio", "video"].includes(tagName)) {',
    instead: "",
  },
  {
    from: "class BaseRRNode {",
    to: "function on(type, fn, target = document) {",
    instead: "class BaseRRNode {}\n",
  },
];

export const withoutTheRest: BunPlugin = {
  name: "library cuts",
  setup(build) {
    build.onLoad({ filter: /@rrweb[\\/]record[\\/]dist[\\/]record\.js$/ }, async ({ path }) => ({
      contents: shortened(cuts.reduce(cutOut, await file(path).text())),
      loader: "js",
    }));
  },
};

export function cutOut(text: string, { from, to, instead }: Cut): string {
  const start = text.indexOf(from);
  const end = text.indexOf(to, start);
  if (start < 0 || end < 0) throw new Error(`@rrweb/record is another: ${start < 0 ? from : to}`);
  return text.slice(0, start) + instead + text.slice(end);
}

/** The compiled forms of enumerations and of fields of classes, said in fewer words. */
const shortened = (text: string): string =>
  text
    .replace(/(\w+)\[\1\["(\w+)"\] = (\d+)\] = "\2";/g, '$1["$2"] = $3;')
    .replace(/__publicField\(this, "(\w+)", ([^;\n]*)\);$/gm, "this.$1 = $2;")
    .replace(/__publicField\(this, "(\w+)"\);$/gm, "this.$1 = void 0;");

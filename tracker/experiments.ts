import { attempt } from "./attempt";
import { track } from "./events";
import { userId } from "./identity";
import { origin, token } from "./settings";
import { isHeld } from "./storage";

interface Variant {
  readonly key: string;
  readonly weight: number;
}
interface Definition {
  readonly key: string;
  readonly variants: readonly Variant[];
}

let definitions: readonly Definition[] = [];
const assigned = new Map<string, string>();

/** Nothing is asked of the server before consent: until then the page stays as it is. */
export function loadExperiments(): void {
  if (!token || isHeld) {
    show();
    return;
  }
  const address = `${origin}/experiments/config?token=${encodeURIComponent(token)}`;
  new Promise<Response>((resolve) => resolve(fetch(address, { credentials: "omit" })))
    .then((response) => response.json())
    .then((config) => {
      definitions = config.experiments;
    })
    .then(show, show);
}

/** Texts of variants are put in as text, so that no variant can bring markup or scripts. */
function show(): void {
  for (const element of Array.from(document.querySelectorAll("[data-aa-experiment]"))) {
    attempt(() => {
      const variant = experiment(String(element.getAttribute("data-aa-experiment")));
      const text = element.getAttribute(`data-aa-variant-${String(variant).toLowerCase()}`);
      if (text !== null) element.textContent = text;
    });
  }
  reveal();
}

/** Ends the waiting of the anti-flicker snippet. */
export function reveal(): void {
  document.documentElement.classList.remove("aa-loading");
}

/** The same visitor gets the same variant on every page, without anything being stored. */
export function experiment(name: string, keys?: readonly string[]): string | null {
  const known = assigned.get(name);
  if (known) return known;
  const definition = definitions.find(({ key }) => key === name);
  const variants = definition ? definition.variants : equalShares(keys || []);
  if (!variants.length) return null;
  const wanted = new URLSearchParams(location.search).get(`aa_variant_${name}`);
  const forced = variants.find(({ key }) => key === wanted);
  const { key: variant } = forced || variantAt(variants, bucketOf(`${name}.${userId()}`));
  assigned.set(name, variant);
  track("$experiment_exposure", { experiment: name, variant, forced: forced && true });
  return variant;
}

const equalShares = (keys: readonly string[]): Variant[] =>
  keys.map((key, index) => ({
    key,
    weight: Math.floor(100 / keys.length) + (index ? 0 : 100 % keys.length),
  }));

function bucketOf(text: string): number {
  let hash = 0;
  for (let index = 0; index < text.length; index++) {
    hash = (31 * hash + text.charCodeAt(index)) | 0;
  }
  return Math.abs(hash) % 100;
}

function variantAt(variants: readonly Variant[], bucket: number): Variant {
  let reached = 0;
  for (const variant of variants) {
    reached += variant.weight;
    if (reached > bucket) return variant;
  }
  return variants[0];
}

import { attempt } from "./attempt";
import { request } from "./delivery";
import { track } from "./events";
import { userId } from "./identity";
import { read } from "./marks";
import { token } from "./settings";
import { isHeld } from "./storage";

interface Variant {
  readonly key: string;
  readonly weight: number;
}
interface Definition {
  readonly key: string;
  readonly variants: readonly Variant[];
}

const mark = "data-aa-experiment";

let definitions: readonly Definition[] = [];
const assigned: Record<string, string> = {};

/** Nothing is asked of the server before consent: until then the page stays as it is. */
export const loadExperiments = (): void => {
  if (!token || isHeld) {
    showAll();
    return;
  }
  request(`experiments/config?token=${token}`)
    .then((response) => response.json())
    .then(({ experiments }) => {
      definitions = [...experiments];
    })
    .then(showAll, showAll);
};

/** Texts of variants are put in as text, so that no variant can bring markup or scripts. */
const show = (): void => {
  for (const element of document.querySelectorAll(`[${mark}]`)) {
    attempt(() => {
      const variant = experiment(read(element, mark)) as string;
      const text = element.getAttribute(`data-aa-variant-${variant.toLowerCase()}`);
      if (text !== null) element.textContent = text;
    });
  }
};

const showAll = (): void => {
  attempt(show);
  attempt(reveal);
};

/** Ends the waiting of the anti-flicker snippet. */
export const reveal = (): void => document.documentElement.classList.remove("aa-loading");

/** The same visitor gets the same variant on every page, without anything being stored. */
export const experiment = (name: string, keys: readonly string[] = []): string | undefined => {
  // The dot keeps names like "constructor" apart from what every object has.
  const known = `.${name}`;
  if (assigned[known]) return assigned[known];
  const definition = definitions.find(({ key }) => key === name);
  const variants = definition ? definition.variants : keys.map(equalShare);
  const wanted = new URLSearchParams(location.search).get(`aa_variant_${name}`);
  const forced = variants.find(({ key }) => key === wanted);
  let left = bucketOf(`${name}.${userId()}`);
  const drawn = variants.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
  const { key: variant } = forced || drawn || variants[0];
  assigned[known] = variant;
  track("$experiment_exposure", { experiment: name, variant, forced: forced && true });
  return variant;
};

const equalShare = (key: string, index: number, { length }: readonly string[]): Variant => ({
  key,
  weight: Math.floor(100 / length) + (index ? 0 : 100 % length),
});

const bucketOf = (text: string): number =>
  Math.abs(text.split("").reduce((hash, unit) => (31 * hash + unit.charCodeAt(0)) | 0, 0)) % 100;

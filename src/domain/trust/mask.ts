import { codePointCount } from "../../lib/text";
import { digestInMask, digestOf, flagOf, maskOf, type TrustPolicy } from "./flagged";
import { isHarmless } from "./flags";

/** The flagged texts of a project that are known. */
export interface KnownFlags {
  /** The lengths of flagged texts in code points: nearly every other text has another length. */
  readonly lengths: ReadonlySet<number>;
  readonly digests: ReadonlySet<string>;
}
/** The flagged texts of a project, with the decisions of its owner. */
export interface FlagsOfProject extends KnownFlags {
  readonly policy: TrustPolicy;
}

/** An answer as it goes out. */
export interface Shown {
  readonly json: string;
  /** Digests of the flagged texts that are in it. */
  readonly flagged: readonly string[];
}

/** Says of a text its digest when it is flagged, and whether it is masked. */
type Look = (text: string) => { readonly digest: string; readonly isMasked: boolean } | null;

/**
 * The texts of an answer, its keys included, that are known as flagged in one of its projects. `unseen` are policies of
 * projects that have texts which nobody has looked at: for these, texts are judged when the answer goes out.
 */
export const shownOf = (
  json: string,
  projects: readonly FlagsOfProject[],
  unseen: readonly TrustPolicy[],
): Shown => {
  if (unseen.length === 0 && projects.length === 0) return { json, flagged: [] };
  const known = lookOf(projects);
  return lookedThrough(json, (text) => known(text) ?? judged(text, unseen));
};

function judged(text: string, policies: readonly TrustPolicy[]): ReturnType<Look> {
  if (policies.length === 0 || isHarmless(text)) return null;
  const flag = flagOf(text);
  if (flag === null) return null;
  const flagging = policies.filter(({ cleared }) => !cleared.includes(flag.digest));
  if (flagging.length === 0) return null;
  return { digest: flag.digest, isMasked: flagging.some(({ flagged }) => flagged === "mask") };
}

/** Masks texts that nobody has looked at yet, as they come in at this moment. */
export const shownLive = (json: string, policy: TrustPolicy): Shown =>
  lookedThrough(json, (text) => {
    const flag = flagOf(text);
    if (flag === null || policy.cleared.includes(flag.digest)) return null;
    return { digest: flag.digest, isMasked: policy.flagged === "mask" };
  });

function lookOf(projects: readonly FlagsOfProject[]): Look {
  return (text) => {
    const length = codePointCount(text);
    const alike = projects.filter(({ lengths }) => lengths.has(length));
    if (alike.length === 0) return null;
    const digest = digestOf(text);
    const flagging = alike.filter(
      ({ digests, policy }) => digests.has(digest) && !policy.cleared.includes(digest),
    );
    if (flagging.length === 0) return null;
    return { digest, isMasked: flagging.some(({ policy }) => policy.flagged === "mask") };
  };
}

function lookedThrough(json: string, look: Look): Shown {
  const found = new Set<string>();
  const pieces: string[] = [];
  let copied = 0;
  for (let at = json.indexOf('"'); at >= 0; ) {
    const end = stringEnd(json, at);
    const seen = look(textIn(json, at, end));
    if (seen !== null) {
      found.add(seen.digest);
      if (seen.isMasked) {
        pieces.push(json.slice(copied, at), `"${maskOf(seen.digest)}"`);
        copied = end;
      }
    }
    at = json.indexOf('"', end);
  }
  const shown = pieces.length === 0 ? json : pieces.join("") + json.slice(copied);
  return { json: shown, flagged: [...found] };
}

/** Returns those flagged texts of an answer that occur in a part of it, where masks may stand for them. */
export function flaggedIn(json: string, flagged: readonly string[]): readonly string[] {
  if (flagged.length === 0) return flagged;
  const known = new Set(flagged);
  return lookedThrough(json, (text) => {
    const digest = digestInMask(text) ?? digestOf(text);
    return known.has(digest) ? { digest, isMasked: false } : null;
  }).flagged;
}

/** Returns the place behind the string that begins at `at`. */
function stringEnd(json: string, at: number): number {
  let end = json.indexOf('"', at + 1);
  while (end >= 0 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end < 0 ? json.length : end + 1;
}

function isEscaped(json: string, at: number): boolean {
  let before = at - 1;
  while (json[before] === "\\") before--;
  return (at - before) % 2 === 0;
}

function textIn(json: string, at: number, end: number): string {
  const inner = json.slice(at + 1, end - 1);
  return inner.includes("\\") ? String(JSON.parse(`"${inner}"`)) : inner;
}

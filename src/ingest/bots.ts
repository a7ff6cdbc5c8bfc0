/*
 * A program's own name is no bot.
 * Decision: an agent of the form name/version counts as a person's unless isbot or crawler-user-agents knows the name.
 * Because: the documentation tells sites to send my-shop/1.0 as their agent, and isbot takes every bare name/version
 * for a bot.
 * Cost: an unknown tool that presents itself so is counted.
 */

import { createIsbotFromList, isbot, list as isbotPatterns } from "isbot";
import { actorCharsMax } from "../domain/limits";
import { TwoGenerationCache } from "../lib/two-generation-cache";
import { type BotCategory, knownActors } from "./bot-table";
import { crawlerNameLines } from "./crawler-names.macro" with { type: "macro" };

/** Longer agents are judged again each time, so that remembered ones stay small. */
const rememberedAgentCharsMax = 512;
const rememberedAgentsMax = 4_096;

/** A sender that is no person. */
export interface Automated {
  readonly category: BotCategory;
  /** The name of the program, which has at most 64 printable ASCII characters. */
  readonly actor: string;
}

const remembered = new TwoGenerationCache<string, Automated | null>(rememberedAgentsMax / 2);

/**
 * Tells by the User-Agent header alone which program sends (definitions.md); null is a person or a program of the
 * site's own.
 */
export function automatedBy(userAgent: string | null): Automated | null {
  if (userAgent === null || userAgent.trim() === "") return unknownBot;
  return userAgent.length <= rememberedAgentCharsMax
    ? remembered.get(userAgent, judge)
    : judge(userAgent);
}

/** An actor by a name that is in our own lists; what was cut out of a header is never said again. */
export const nameToTell = ({ actor }: Automated): string =>
  knownActors.some((known) => known.actor === actor) || crawlerName(actor) === actor
    ? actor
    : unknownActor;

function judge(userAgent: string): Automated | null {
  const lowerCase = userAgent.toLowerCase();
  const known = knownActors.find(({ token }) => lowerCase.includes(token));
  if (known !== undefined) return { category: known.category, actor: known.actor };
  const word = crawlerWord(userAgent);
  if (word !== null) return genericBot(word);
  if (genericForms.test(userAgent)) return unknownBot;
  return isKnownToLibrary(userAgent) ? genericBot(nameIn(userAgent)) : null;
}

const genericForms = /\bbot[/;,)\-\s]|crawl[er/]|spider[/;,)\-\s]|scrape[r/]/i;

/** The word that ends in Crawler, Spider or Scraper. Widened by hand, since `\w*crawler` takes quadratic time. */
function crawlerWord(userAgent: string): string | null {
  const ending = /(?:crawler|spider|scraper)(?![\w-])/i.exec(userAgent);
  return ending === null ? null : wordAround(userAgent, ending.index);
}

function wordAround(text: string, at: number): string {
  let start = at;
  let end = at;
  while (start > 0 && wordCharacter.test(text.charAt(start - 1))) start--;
  while (end < text.length && wordCharacter.test(text.charAt(end))) end++;
  return text.slice(start, end);
}
const wordCharacter = /[\w-]/;

/**
 * isbot, with one exception. It takes every bare `name/version` for a bot, but so the documentation names a site's
 * own programs to present themselves (`my-shop/1.0`): such a name is automated only if somebody knows it as such.
 */
function isKnownToLibrary(userAgent: string): boolean {
  if (!isbot(userAgent)) return false;
  if (!ownProgram.test(userAgent)) return true;
  isBotByName ??= createIsbotFromList(isbotPatterns.filter((one) => !isAboutForm(one)));
  return isBotByName(userAgent) || crawlerName(userAgent) !== null;
}

const ownProgram = /^(?!mozilla\/|opera\/)[a-z][\w.-]{0,63}\/v?\d[\w.-]{0,31}$/i;
let isBotByName: typeof isbot | undefined;

/** Patterns that hit names which nobody bears judge the form of an agent, not its name. */
const isAboutForm = (pattern: string): boolean =>
  madeUpAgents.some((agent) => createIsbotFromList([pattern])(agent));
const madeUpAgents = ["qwertz-shop/1.0", "qwertz/2", "qwertz/2.0.1", "qwertz_shop/v3", "qw.ertz/3"];

/** Returns the name under which a program is counted that only the library knows. */
function nameIn(userAgent: string): string {
  const listed = crawlerName(userAgent);
  if (listed !== null) return listed;
  const bot = /[\w-]bots?(?![a-z])/i.exec(userAgent);
  if (bot !== null) return wordAround(userAgent, bot.index);
  const [, product] = productForms.exec(userAgent) ?? [];
  return product ?? unknownActor;
}

/** `Mozilla/5.0 (compatible; Name/1.0; …)`, or what an agent begins with unless that is what all browsers say. */
const productForms = /(?:compatible; ?|^(?!mozilla|opera))([a-z][\w.-]*)/i;

let crawlerNames: readonly string[] | undefined;

/** The longest name of the crawler list that the agent contains, without the `/` before its version. */
function crawlerName(userAgent: string): string | null {
  // Longest first, so that the first hit is the most telling one.
  crawlerNames ??= crawlerNameLines()
    .split("\n")
    .sort((a, b) => b.length - a.length);
  const found = crawlerNames.find((name) => userAgent.includes(name));
  return found?.replace(/[/;)\s]+$/, "") ?? null;
}

const unknownActor = "Unknown";
const unknownBot: Automated = { category: "generic_bot", actor: unknownActor };

function genericBot(name: string): Automated {
  const printable = name
    .replace(/[^\x20-\x7e]/g, "")
    .slice(0, actorCharsMax)
    .trim();
  return { category: "generic_bot", actor: printable === "" ? unknownActor : printable };
}

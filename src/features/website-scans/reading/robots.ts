/*
 * robots.txt is matched in bounded time.
 * Decision: a matcher of our own. Only the rules for this scanner and those for everybody are kept; a pattern is
 * searched piece by piece between its stars, without going back; a file of more than 5,000 lines, or with more than 8
 * stars in one line, allows nothing.
 * Because: the cost of one address is at most the number of rules times the length of the address. A parser that
 * follows every way in which stars can match took 51 s for a file of stars and an address of 20 kB.
 * Cost: a hundred lines; a site with such a file gets a plan for its start page alone.
 */

/** The name by which a group of rules can mean this scanner, in lower case. */
const ownAgent = "sightlinescanner";
const everybody = "*";
/** Longer files are cut off, as search engines do. */
const robotsCharsMax = 500 * 1024;
const robotsLinesMax = 5_000;
const starsOfLineMax = 8;

interface Rule {
  readonly isAllowed: boolean;
  /** The rule with the longest pattern decides. */
  readonly patternChars: number;
  /** The texts between the stars of the pattern, in order. */
  readonly pieces: readonly string[];
  /** The pattern ends with `$`: the address ends where the last piece ends. */
  readonly isAnchored: boolean;
}

/** Tells whether an address may be read. */
export type Robots = (url: URL) => boolean;

export const allowsNothing: Robots = () => false;

/** Reads a robots.txt by its standard (RFC 9309). */
export function robotsOf(text: string): Robots {
  const lines = text.slice(0, robotsCharsMax).split(/[\r\n]+/, robotsLinesMax + 1);
  if (lines.length > robotsLinesMax || lines.some(hasManyStars)) return allowsNothing;
  const rules = rulesOf(lines);
  return ({ pathname, search }) => {
    const address = withUpperCaseCodes(pathname + search);
    let decisive: Rule | null = null;
    for (const rule of rules) if (outranks(rule, decisive) && fits(rule, address)) decisive = rule;
    return decisive?.isAllowed ?? true;
  };
}

const hasManyStars = (line: string): boolean => line.split("*").length - 1 > starsOfLineMax;

/** The rules of the group for this scanner; without such a group, those for everybody. */
function rulesOf(lines: readonly string[]): readonly Rule[] {
  const groups = new Map<string, Rule[]>();
  let agents: string[] = [];
  let isNaming = false;
  for (const line of lines) {
    const [field, value] = fieldOf(line);
    if (field === "") continue;
    if (field === "user-agent") {
      if (!isNaming) agents = [];
      const agent = value.toLowerCase().split("/", 1)[0]?.trim() ?? "";
      // Rules for others are not kept: each name of a long list would have a copy of each rule.
      const isOfInterest = agent === ownAgent || agent === everybody;
      if (isOfInterest && !agents.includes(agent)) agents.push(agent);
    } else if (field === "allow" || field === "disallow") {
      // Without a value it excludes nothing, and begins the group all the same.
      const rules = value === "" ? [] : [ruleOf(value, field === "allow")];
      for (const agent of agents) {
        const group = groups.get(agent) ?? [];
        group.push(...rules);
        groups.set(agent, group);
      }
    }
    isNaming = field === "user-agent";
  }
  return groups.get(ownAgent) ?? groups.get(everybody) ?? [];
}

/** The name of a line in lower case, and its value; both empty for a line without a colon. */
function fieldOf(line: string): readonly [field: string, value: string] {
  const text = line.split("#", 1)[0] ?? "";
  const colon = text.indexOf(":");
  if (colon < 0) return ["", ""];
  return [text.slice(0, colon).trim().toLowerCase(), text.slice(colon + 1).trim()];
}

function ruleOf(value: string, isAllowed: boolean): Rule {
  const pattern = encoded(value);
  const isAnchored = pattern.endsWith("$");
  const pieces = (isAnchored ? pattern.slice(0, -1) : pattern).split(/\*+/);
  return { isAllowed, patternChars: pattern.length, pieces, isAnchored };
}

/** The longer pattern decides; between two of the same length, the one that allows. */
const outranks = (rule: Rule, other: Rule | null): boolean =>
  other === null ||
  rule.patternChars > other.patternChars ||
  (rule.patternChars === other.patternChars && rule.isAllowed && !other.isAllowed);

/** The first place at which a piece occurs leaves the most for those after it, so no other has to be tried. */
function fits({ pieces, isAnchored }: Rule, address: string): boolean {
  const [first = "", ...others] = pieces;
  if (!address.startsWith(first)) return false;
  let at = first.length;
  const last = isAnchored ? others.pop() : undefined;
  for (const piece of others) {
    const found = address.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  if (!isAnchored) return true;
  if (last === undefined) return at === address.length;
  return address.length - last.length >= at && address.endsWith(last);
}

/** Writes a pattern as addresses are written. Half of a character cannot be encoded, and matches no address. */
function encoded(pattern: string): string {
  return pattern.isWellFormed()
    ? withUpperCaseCodes(encodeURI(pattern).replaceAll("%25", "%"))
    : pattern;
}

const withUpperCaseCodes = (text: string): string =>
  text.replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());

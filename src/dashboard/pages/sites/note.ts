import type { SitesAnswer } from "../../data/answers";
import { exact } from "../../lib/format";

/** A project in the list of those without events: more of them than are read at a glance are a number. */
const namesMax = 20;

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Says which projects the list leaves out: active ones beyond its length, and those without events. */
export function noteOf(
  { projects: listed, remaining_projects: remaining, summary }: SitesAnswer,
  all: readonly Named[],
): string | undefined {
  const known = new Set(listed.map(({ id }) => id));
  const others = all.filter(({ id }) => !known.has(id));
  const quiet = summary.total_projects - summary.active_projects;
  const active = remaining === 0 ? "" : `${countOf(remaining)} with fewer events.`;
  // Which of the others are active is known only when all that are active are listed.
  const silent =
    remaining === 0 ? namesOf(others) : quiet === 0 ? "" : `${countOf(quiet)} without events.`;
  const note = [active, silent].filter((text) => text !== "").join(" ");
  return note === "" ? undefined : note;
}

const countOf = (count: number): string => `${exact(count)} more project${count === 1 ? "" : "s"}`;

function namesOf(quiet: readonly Named[]): string {
  if (quiet.length === 0) return "";
  const names = quiet.slice(0, namesMax).map(({ name }) => name);
  const more = quiet.length - names.length;
  const rest = more === 0 ? "" : ` and ${exact(more)} more`;
  return `No events in this period: ${names.join(", ")}${rest}.`;
}

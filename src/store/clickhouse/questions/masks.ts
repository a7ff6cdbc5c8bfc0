import { allTime } from "../../../domain/period";
import { digestInMask } from "../../../domain/trust/flagged";
import { Bound } from "../sql/bound";
import { Events } from "../sql/events";
import type { OpenRead } from "../sql/open-read";
import { valueColumns, visitorValues } from "../sql/texts";
import { lookedThrough, type StoredValue, valuesMax } from "./flagged";

/** Returns the question with each mask replaced by the text that it stands for in one of the question's projects. */
export async function unmasked<Input>(
  read: OpenRead,
  projectIds: readonly string[],
  input: Input,
): Promise<Input> {
  const wanted = masksIn(input);
  const texts = new Map<string, string>();
  for (const projectId of projectIds) {
    if (wanted.size === 0) break;
    for await (const [, flagged] of lookedThrough(await valuesOfAllTime(read, projectId))) {
      for (const { digest, text } of flagged) if (wanted.delete(digest)) texts.set(digest, text);
    }
  }
  return texts.size === 0 ? input : (withTexts(input, texts) as Input);
}

function valuesOfAllTime(read: OpenRead, projectId: string): Promise<StoredValue[]> {
  const bound = new Bound();
  const events = new Events(read, bound, { projectId, ...allTime }).sql();
  const project = bound.integer(read.project(projectId).number);
  const upTo = bound.integer(read.moment.lastCommit);
  return read.ask<StoredValue>(
    `select ${valueColumns} from (
      select value from ${visitorValues(events)}
      union all
      select name as value from ${read.database}.user_link where project = ${project} and commit <= ${upTo}
      union all
      select if(position(sender, '\\xFF') = 0, sender, '') as value from ${read.database}.profile
      where project = ${project} and commit <= ${upTo}
      union all
      select concat('\\xFF', traits) as value from ${read.database}.profile
      where project = ${project} and commit <= ${upTo}
    ) group by value limit ${bound.integer(valuesMax + 1)}`,
    bound,
  );
}

function masksIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === "string") {
    const digest = digestInMask(value);
    if (digest !== null) found.add(digest);
  } else if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) masksIn(part, found);
  }
  return found;
}

function withTexts(value: unknown, texts: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return texts.get(digestInMask(value) ?? "") ?? value;
  if (Array.isArray(value)) return value.map((one) => withTexts(one, texts));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, withTexts(part, texts)]),
  );
}

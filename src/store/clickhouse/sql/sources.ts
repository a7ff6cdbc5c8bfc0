import { ApiError } from "../../../domain/errors";
import {
  channelOf,
  direct,
  type Medium,
  mediumOf,
  mediums,
  nameOfHost,
  nameOfSource,
} from "../../../domain/sources/channel";
import {
  type SiteKind,
  siteKinds,
  siteOfHost,
  siteOfSource,
} from "../../../domain/sources/site-table";
import { Bound } from "./bound";
import type { OpenRead } from "./open-read";
import { textOfStored } from "./values";

/** Sites and channels are named for this many different referrers, sources and mediums of a project. */
const originsMax = 100_000;

/** What the host table says about the sources of a project's events. ClickHouse does not have the table. */
export interface Origins {
  readonly nameOfHost: ReadonlyMap<string, string>;
  /** Has those that are not called as they are written; the empty text for one that says nothing. */
  readonly nameOfSource: ReadonlyMap<string, string>;
  readonly kindOfHost: ReadonlyMap<string, SiteKind>;
  readonly kindOfSource: ReadonlyMap<string, SiteKind>;
  readonly mediums: ReadonlyMap<string, Medium>;
}

/** Looks for these names anywhere in a request. A value that happens to be such a name costs one more statement. */
export const namesOrigins = (asked: readonly unknown[]): boolean =>
  /"((session\.|user\.first_)(source|channel)|source)"/.test(JSON.stringify(asked));

export async function originsOf(read: OpenRead, projectId: string): Promise<Origins> {
  const [hosts, sources, mediumTexts] = await Promise.all([
    distinct(read, projectId, "referrer_host"),
    distinct(read, projectId, textOfStored("properties['utm_source']")),
    distinct(read, projectId, textOfStored("properties['utm_medium']")),
  ]);
  const mapped = <Value>(
    texts: readonly string[],
    of: (text: string) => Value | null | undefined,
  ) =>
    new Map(
      texts.flatMap((text): [string, Value][] => {
        const value = of(text);
        return value === null || value === undefined ? [] : [[text, value]];
      }),
    );
  return {
    nameOfHost: mapped(hosts, (host) => (nameOfHost(host) === host ? null : nameOfHost(host))),
    nameOfSource: mapped(sources, (source) => {
      const name = nameOfSource(source);
      return name === source ? null : (name ?? "");
    }),
    kindOfHost: mapped(hosts, (host) => siteOfHost(host)?.kind),
    kindOfSource: mapped(sources, (source) => siteOfSource(source)?.kind),
    mediums: mapped(mediumTexts, (text) => (mediumOf(text) === "other" ? null : mediumOf(text))),
  };
}

async function distinct(read: OpenRead, projectId: string, value: string): Promise<string[]> {
  const bound = new Bound();
  const { number, retainedFromMs } = read.project(projectId);
  const rows = await read.ask<{ value: string }>(
    `select distinct ${value} as value from ${read.eventTable(bound, projectId)}
    where project = ${bound.integer(number)} and time >= ${bound.time(retainedFromMs)} and value != ''
    limit ${bound.integer(originsMax + 1)}`,
    bound,
  );
  if (rows.length <= originsMax) return rows.map((row) => row.value);
  throw new ApiError(
    "QUERY_FAILED",
    `This project has more than ${originsMax} different referrers, sources or mediums. ` +
      "Group by session.referrer or session.utm_source.",
  );
}

const known = new WeakMap<OpenRead, Origins>();
export const keepOrigins = (read: OpenRead, origins: Origins): void =>
  void known.set(read, origins);
function originsFor(read: OpenRead): Origins {
  const origins = known.get(read);
  if (origins === undefined) throw new Error("Nobody asked for the origins of this read.");
  return origins;
}

/** Returns SQL for what a map holds for a text, or `otherwise` when the map does not have it. */
function looked(bound: Bound, text: string, of: ReadonlyMap<string, string>, otherwise: string) {
  if (of.size === 0) return otherwise;
  return `transform(${text}, ${bound.texts([...of.keys()])}, ${bound.texts([...of.values()])}, ${otherwise})`;
}

export function sourceSql(read: OpenRead, bound: Bound, source: string, referrer: string): string {
  const origins = originsFor(read);
  const ofSource = looked(bound, source, origins.nameOfSource, source);
  const ofReferrer = looked(bound, referrer, origins.nameOfHost, referrer);
  return `multiIf(${ofSource} != '', ${ofSource}, ${referrer} != '', ${ofReferrer}, '${direct}')`;
}

interface Origin {
  readonly source: string;
  readonly medium: string;
  readonly referrer: string;
}

export function channelSql(
  read: OpenRead,
  bound: Bound,
  { source, medium, referrer }: Origin,
): string {
  const origins = originsFor(read);
  const ofSource = looked(bound, source, origins.kindOfSource, "''");
  const ofReferrer = looked(bound, referrer, origins.kindOfHost, "''");
  const kind = `if(${ofSource} != '', ${ofSource}, ${ofReferrer})`;
  const ofMedium = looked(bound, medium, origins.mediums, "'other'");
  const named = looked(bound, source, origins.nameOfSource, source);
  const isDirect = `if(${named} = '' and ${referrer} = '', '1', '0')`;
  const key = `concat(${ofMedium}, ',', ${kind}, ',', ${isDirect})`;
  return `transform(${key}, ${bound.texts(channelKeys)}, ${bound.texts(channelNames)}, '')`;
}

const combinations = mediums.flatMap((medium) =>
  [null, ...siteKinds].flatMap((kind) =>
    [true, false].map((isDirect) => ({
      key: `${medium},${kind ?? ""},${isDirect ? 1 : 0}`,
      name: channelOf({ medium, kind, isDirect }),
    })),
  ),
);
const channelKeys = combinations.map(({ key }) => key);
const channelNames: string[] = combinations.map(({ name }) => name);

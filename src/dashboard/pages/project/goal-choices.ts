import type { PropertiesAnswer, QueryAnswer } from "../../data/answers";
import * as queries from "../../data/queries";
import { useRead } from "../../data/reads";
import { scope } from "../../state/scope";
import type { GoalDraft } from "./goal-draft";

export const currencies: readonly string[] = Intl.supportedValuesOf("currency");

/** The most metrics of a question. */
const keysMax = 10;
/** Names of properties that differ for each order, sign-up or ticket. */
const idForm = /(^|_)(id|ids|no|number|ref|reference|code|uuid|key|invoice|order|transaction)$/i;

interface ReceivedAnswer {
  readonly properties: readonly { readonly key: string; readonly event: string }[];
}

export interface Offers {
  readonly events: readonly string[];
  readonly pages: readonly string[];
  readonly numbers: readonly string[];
  readonly ids: readonly string[];
}

/** Returns events, pages and properties that arrived, as offers for the fields of the form. */
export function useOffers({ kind, match }: GoalDraft): Offers {
  const current = scope.value;
  const isPage = kind === "page";
  const known = useRead<PropertiesAnswer>("Events and property keys", queries.properties(current));
  const events = known.data?.events.map(({ event }) => event) ?? [];
  const pages = useRead<QueryAnswer>(
    "Pages",
    isPage ? queries.valuesToChoose(current, "properties.path") : null,
  );
  const event = isPage ? "page_view" : match;
  const keys = useKeys(current.project, events.includes(event) ? event : "");
  return {
    events,
    pages: (pages.data?.rows ?? []).map((row) => row["properties.path"]).filter(isText),
    numbers: useNumbers(keys, event),
    ids: keys.filter((key) => idForm.test(key)),
  };
}

const isText = (value: unknown): value is string => typeof value === "string";

/** The properties that events of this name carry. */
function useKeys(project: string, event: string): readonly string[] {
  const request = { method: "GET", path: "/properties/received", query: { project } } as const;
  const { data } = useRead<ReceivedAnswer>("Received properties", event === "" ? null : request);
  return (data?.properties ?? []).filter((one) => one.event === event).map(({ key }) => key);
}

/** Returns the properties that have numbers: only these have an average. */
function useNumbers(keys: readonly string[], event: string): readonly string[] {
  const candidates = keys.filter((key) => !idForm.test(key)).slice(0, keysMax);
  const metricOf = (key: string): string => `avg:properties.${key}`;
  const request = queries.ofEvent(scope.value, event, { metrics: candidates.map(metricOf) });
  const { data } = useRead<QueryAnswer>("Numbers", candidates.length === 0 ? null : request);
  const row = data?.rows[0] ?? {};
  return candidates.filter((key) => typeof row[metricOf(key)] === "number");
}

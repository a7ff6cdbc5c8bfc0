import { dayOf, isoDate } from "../../domain/event";
import { type Days, daysOf, todayIn } from "../../domain/period";
import { seamOf, shownDays, spanOf } from "../../domain/shown-days";
import { zoneOfRead } from "../../domain/time-zone-name";
import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { projectOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { tableOf } from "../../http/operation/table";
import { clock } from "../../lib/clock";
import type { Usage, usageRead } from "../../reads/usage";
import { historyExample } from "./examples";
import { historyRead } from "./read";
import {
  HistoryBucket,
  HistoryQuery,
  HistoryResponse,
  HistoryValue,
  historyLimitDefault,
} from "./schema";
import { historyOf } from "./sums";

export const historyFeature = (deps: Deps, usage: typeof usageRead): Feature => ({
  operations: [historyRoute(deps, usage)],
});

const historyRoute = ({ control, store }: Deps, usage: typeof usageRead) =>
  projectOperation("GET /history", {
    access: free("analytics:read", "RD"),
    shares: { isUnfiltered: true },
    doc: {
      id: "getHistory",
      summary: "Get days without events",
      description:
        "Daily sums of dates whose events the project does not store: imported ones before its first event, and " +
        "those that retention counted before it deleted their events. No other read has them. They take no filters.",
      tag: "Reads",
      example: historyExample,
    },
    takes: HistoryQuery,
    returns: { 200: HistoryResponse },
    table: {
      of: ({ values, series }) =>
        values === undefined ? tableOf(HistoryBucket, series) : tableOf(HistoryValue, values),
    },
    handle: async ({ project, caller, request, input, read }) => {
      const zone = zoneOfRead(undefined, project);
      const nowMs = clock.nowMs();
      const { id } = project;
      const today = isoDate(dayOf(nowMs));
      const question = { projectIds: [id], fromDate: today, toDate: today };
      const asked = { accountId: caller.account.id, signal: request.signal, arrivedAtMs: nowMs };
      const { json } = await store.read(usage, question, asked);
      const { [id]: stored }: Usage = JSON.parse(json);
      const known = control.days.known(id, zone);
      const span = spanOf(known, stored);
      const shown = shownDays(known.days, span);
      const days = windowOf(input, shown, { nowMs, zone });
      const within = shown.filter(({ day }) => day >= days.from && day <= days.to);
      const { dimension = "total", groupBy = "day", limit = historyLimitDefault } = input;
      const found = await historyOf(control.days, within, { dimension, groupBy, limit });
      return read(historyRead, { days, dimension, seam: seamOf(span), found }, days);
    },
  });

interface Ends {
  readonly since?: string;
  readonly until?: string;
}

/** The dates asked for: by default all that have sums. */
function windowOf(
  { since, until }: Ends,
  shown: readonly { readonly day: number }[],
  { nowMs, zone }: { readonly nowMs: number; readonly zone: string | undefined },
): Days {
  const [first] = shown;
  const last = shown.at(-1);
  const today = todayIn(zone, nowMs);
  if (since === undefined && until === undefined) {
    return { ...today, from: first?.day ?? today.from, to: last?.day ?? today.to };
  }
  const named = daysOf({ since: since ?? until, until, nowMs, zone });
  const isFromFirst = since === undefined && first !== undefined && first.day < named.from;
  return isFromFirst ? { ...named, from: first.day } : named;
}

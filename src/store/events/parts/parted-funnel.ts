import type { FunnelRequest } from "../../../domain/counting";
import { ApiError } from "../../../domain/errors";
import { eventsOf } from "../../../domain/goal";
import { isVisitorField } from "../../../domain/visitor-field";
import type { FunnelResult, View } from "../../questions";
import {
  JoinedFunnel,
  type StepOfPart,
  type StepTold,
  type TooMany,
} from "../functions/funnel-parts";
import type { OpenSnapshot } from "../questions/open-snapshot";
import { decline, type Helpers, requestTo, unlessCancelled } from "./helpers";
import { filtersWithin, partedEventsMin } from "./part-filters";
import { type PartWindow, windowsOf } from "./windows";

/**
 * Counts a funnel in parts (functions/funnel-parts.ts). Null when it is better counted as a whole, when one of the
 * helpers could not take a step, as what its entities used before is known to nobody else, and when the tables of all
 * parts would take too much memory together: those of the whole are smaller.
 */
export async function partedFunnel(
  snapshot: OpenSnapshot,
  helpers: Helpers,
  view: View,
  request: FunnelRequest,
): Promise<FunnelResult | null> {
  const { steps, count_by: countBy, breakdown } = request;
  const key = JSON.stringify([view.projectId, "funnel", steps.length, countBy, breakdown]);
  if (helpers.declined.has(key) || isVisitorField(breakdown ?? "")) return null;
  const conditions = steps.flatMap((step) => eventsOf(step));
  const { tuning } = snapshot.context;
  const eventsMin = partedEventsMin(tuning, helpers.count, view, conditions);
  const windows = windowsOf(snapshot, view, helpers.count + 1, "day", eventsMin);
  if (windows === null) return null;
  try {
    const found = await counted(snapshot, helpers, view, request, windows);
    if (found === "too many groups") decline(helpers, key);
    return found === "too many groups" ? null : found;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "QUERY_FAILED") throw error;
    decline(helpers, key);
    return null;
  } finally {
    snapshot.context.endQuestion();
  }
}

async function counted(
  snapshot: OpenSnapshot,
  helpers: Helpers,
  view: View,
  request: FunnelRequest,
  windows: readonly PartWindow[],
): Promise<FunnelResult | TooMany | null> {
  const { context } = snapshot;
  const { projectId } = view;
  // Much is done before the first step: while events come in, helpers that are asked later see other data.
  const ready = windows.slice(1).map((_, helper) => {
    return helpers.ask(helper, requestTo(snapshot, projectId, "ready", []));
  });
  for (const one of ready) if ((await unlessCancelled(one, context.check)) === null) return null;
  const parts = windows.map((window) => {
    const { fromMs, toMs } = window;
    const filters = filtersWithin(view.filters, window);
    return {
      view: { ...view, fromMs, toMs, filters },
      request: {
        ...request,
        steps: request.steps.map((step) => ({
          ...step,
          filters: filtersWithin(step.filters, window),
        })),
      },
    };
  });
  const others = parts.slice(0, -1);
  const here = parts[others.length];
  const segments = snapshot.segmentsWithin(view);
  const within = snapshot.segmentsWithin(here.view);
  const cutsMs = windows.slice(1).map(({ fromMs }) => fromMs);
  const joined = new JoinedFunnel(context, segments, within, here.view, here.request, cutsMs);
  const activity: FunnelResult["activity"][number][] = [];
  for (const step of request.steps.keys()) {
    const asked = others.map((part, helper) => {
      const told: StepTold =
        step === 0
          ? { sessions: joined.toldOf(snapshot.segmentsWithin(part.view)), used: null }
          : { sessions: null, used: joined.usedFor(step - 1) };
      const { view: ofPart, request: steps } = part;
      return helpers.ask(
        helper,
        requestTo(snapshot, projectId, "funnelStep", [ofPart, steps, step, told]),
      );
    });
    const taken = joined.take(step);
    const found: StepOfPart[] = [];
    for (const one of asked) {
      const part = await unlessCancelled(one, context.check);
      if (part === null || part === "too many groups") return part;
      found.push(part);
    }
    activity.push(joined.join(step, taken, found));
  }
  return { activity, ...joined.sums() };
}

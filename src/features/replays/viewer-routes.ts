import { ApiError } from "../../domain/errors";
import type { ReplaySummary } from "../../domain/replay/summary";
import type { Deps } from "../../http/deps";
import { jsonType, untrustedHeader } from "../../http/edge/headers";
import { reply } from "../../http/edge/reply";
import { readBody } from "../../http/operation/checks";
import { pro } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { operation } from "../../http/operation/operation";
import type { OperationDoc } from "../../http/operation/operation-doc";
import { publicOperation } from "../../http/operation/public-operation";
import { clock } from "../../lib/clock";
import { ReplayData, ReplayDataQuery, ReplayTimeline, ReplayTimelineQuery } from "./schema";
import { type EventsRead, timelineAnswer } from "./timeline";
import { viewerPage } from "./viewer-page";

const tag = "Session replay";
const errors = ["NOT_FOUND", "VIEWER_EXPIRED"] as const;

/** Nothing of a recording stays in a cache, in an index or in another site's log. */
const viewerHeaders = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex",
  "x-content-type-options": "nosniff",
};

/** The endpoints of the viewer page. Its token is the credential: it was made for one replay. */
export const replayViewerRoutes = (deps: Deps, eventsRead: EventsRead) => [
  pageRoute(deps),
  dataRoute(deps),
  timelineRoute(deps, eventsRead),
];

/** Serves the page, which ignores its query as every page does. */
const pageRoute = (deps: Deps) =>
  operation(
    "GET /replays/view/{token}",
    {
      access: pro("none"),
      isPage: true,
      doc: pageDoc,
      takes: nothing,
      returns: {},
    },
    {
      answer: async (context) => {
        await readBody(context);
        await viewed(deps, context.params.token);
        const own = originOf(deps, context.request);
        const { replayViewerOrigin, basePath } = deps.config;
        return viewerPage(
          own,
          replayViewerOrigin ?? own,
          replayViewerOrigin === null ? basePath : "",
        );
      },
    },
  );

const pageDoc: OperationDoc = {
  id: "viewReplay",
  summary: "Page to watch a replay",
  description:
    "The page of a `viewer_url`: a sandboxed player that runs nothing of the recorded page and loads " +
    "nothing from its site. Agents read GET /replays/{id}/timeline instead.",
  tag,
  errors,
};

/** Ours, as the page's policy names it. While PUBLIC_URL is not set, the host that was asked, of whatever scheme. */
function originOf({ config }: Deps, { headers }: Request): string {
  const host = headers.get("host") ?? "";
  return config.publicUrlIsSet || !/^[\w.:[\]-]+$/.test(host) ? config.publicOrigin : host;
}

const dataRoute = (deps: Deps) =>
  publicOperation("GET /replays/view/{token}/data", {
    access: pro("none"),
    doc: {
      id: "getReplayData",
      summary: "Get the recorded events",
      description:
        "For the player. Send the request again with `after` = `next_after` until that is null.",
      tag,
      errors,
    },
    takes: ReplayDataQuery,
    returns: { 200: ReplayData },
    handle: async ({ params, input }) => {
      const { id } = (await viewed(deps, params.token)).replay;
      const { replay, json, nextAfter } = await deps.replays.segments(id, input.after ?? -1);
      const head = `{"replay":${JSON.stringify(replay)},"segments":`;
      const parts = [head, json, `,"next_after":${JSON.stringify(nextAfter)}}`];
      return new Response(new Blob(parts), {
        headers: {
          ...{ "content-type": jsonType, ...viewerHeaders },
          [untrustedHeader]: "replay.analytics_session_id, segments[].events[]",
        },
      });
    },
  });

const timelineRoute = (deps: Deps, eventsRead: EventsRead) =>
  publicOperation("GET /replays/view/{token}/timeline", {
    access: pro("none"),
    doc: {
      id: "getViewedTimeline",
      summary: "Get the timeline in the viewer",
      description:
        "The answer of GET /replays/{id}/timeline, for whoever has the viewer's address: as JSON, or as lines with " +
        "`Accept: text/plain`.",
      tag,
      errors,
    },
    takes: ReplayTimelineQuery,
    returns: { 200: ReplayTimeline },
    handle: async ({ params, input, request }) => {
      const { replay, accountId } = await viewed(deps, params.token);
      const answer = await timelineAnswer(deps, eventsRead, {
        ...{ replayId: replay.id, accountId, query: input, request },
        arrivedAtMs: clock.nowMs(),
      });
      if (!(answer instanceof Response)) return reply(200, answer, viewerHeaders);
      for (const [name, value] of Object.entries(viewerHeaders)) answer.headers.set(name, value);
      return answer;
    },
  });

/**
 * Throws NOT_FOUND and VIEWER_EXPIRED. What a deleted project has recorded is erased within minutes, but is gone for
 * everybody at once. Reads of one account wait behind each other, whoever watches.
 */
async function viewed(
  { control, replays }: Deps,
  token: string,
): Promise<{ readonly replay: ReplaySummary; readonly accountId: string }> {
  const replay = await replays.view(token);
  const project = control.projects.byId(replay.project_id);
  if (project !== undefined) return { replay, accountId: project.accountId };
  throw new ApiError("NOT_FOUND", "The project that this link belongs to was deleted.");
}

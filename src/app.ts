import { type AnyElysia, Elysia } from "elysia";
import { agentTextsFeature } from "./features/agent-texts/routes";
import { eventsRead } from "./features/events/read";
import { features } from "./features/index";
import { openLive } from "./features/live/routes";
import { referenceFeature } from "./features/service/reference";
import { openWebsiteScans } from "./features/website-scans/routes";
import type { Deps } from "./http/deps";
import { refuseOwnPaths, takeBasePathOff } from "./http/edge/base-path";
import { namesOneHost, wrongHost } from "./http/edge/host";
import { shadowed, unmatched } from "./http/edge/unmatched";
import type { Feature } from "./http/feature";
import { asOpen, mountForeign } from "./http/foreign/route";
import { mountOperation } from "./http/operation/mount-operation";
import type { Operation } from "./http/operation/operation";
import { mountPage } from "./http/pages/page";
import { openIngest } from "./ingest/routes";
import { secondMs } from "./lib/clock";
import { mcpFeature } from "./mcp/routes";

export interface App {
  readonly handle: (request: Request) => Response | Promise<Response>;
  /** Everything that can be asked: HTTP and the OpenAPI document show this list. */
  readonly operations: readonly Operation[];
  readonly routes: AnyElysia["routes"];
  /** Says good-bye to streams and sockets. Called when the server begins to stop. */
  hangUp(): void;
  /** Ends website scans, writes what ingestion gathered in memory.
   * Called when the last request is answered, before the store closes. */
  close(): Promise<void>;
}

/** Everything that answers requests. `serve` listens with it, tests call `handle`. */
export function createApp(deps: Deps, liveLookMs = secondMs): App {
  const app: AnyElysia = new Elysia({
    name: "sightline",
    // A path has one spelling, and hosts may be as short as they like.
    strictPath: true,
    handler: { standardHostname: false },
  });
  const ingest = openIngest(deps);
  const live = openLive(deps, liveLookMs);
  const scans = openWebsiteScans(deps, eventsRead);
  const parts: readonly Feature[] = [
    ingest,
    ...features.map((feature) => feature(deps)),
    live,
    scans,
    referenceFeature(deps, () => ({ operations, foreign: ingest.foreignDocuments })),
    agentTextsFeature(deps, () => operations),
    mcpFeature(deps, () => operations),
  ];
  const operations = parts.flatMap((part) => part.operations);
  for (const operation of operations) mountOperation(app, deps, operation);
  for (const page of parts.flatMap(({ pages = [] }) => pages)) mountPage(app, deps, page);

  const foreign = parts.flatMap((part) => part.foreign ?? []);
  for (const route of foreign) mountForeign(app, deps, route);

  // Routes answer their own errors: what arrives here was taken by none of them, or failed on the way out.
  const routes = [...app.routes];
  const answerUnmatched = unmatched(deps, routes, [...operations, ...foreign.map(asOpen)]);
  for (const { method, path } of shadowed(routes)) {
    app.route(method, path, async ({ request }) => await answerUnmatched(request), {
      detail: { hide: true },
    });
  }
  app.onError(
    async ({ code, error, request }) =>
      await answerUnmatched(request, code === "NOT_FOUND" ? null : error),
  );
  app.compile();
  const paths = new Set(routes.map(({ path }) => path));
  refuseOwnPaths(deps.config, paths);
  return {
    handle: (request) => {
      takeBasePathOff(deps.config, request, paths);
      return namesOneHost(request.headers)
        ? app.fetch(request)
        : answerUnmatched(request, wrongHost());
    },
    operations,
    routes,
    hangUp: live.hangUp,
    close: async () => {
      await scans.close();
      await ingest.close();
    },
  };
}

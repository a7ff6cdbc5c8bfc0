import type { Deps } from "../../http/deps";
import { embeddedScript, scriptType } from "../../http/edge/static-file";
import type { Feature } from "../../http/feature";
import { free } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { publicOperation } from "../../http/operation/public-operation";
import { tracker } from "../../http/pages/assets";
import { experimentsConfig } from "./experiments-config";

const tag = "Tracker";

/** The browser script, and the same program as people read it. */
export const trackerFeature = (deps: Deps): Feature => ({
  operations: [
    publicOperation("GET /tracker.js", {
      access: free("none"),
      isLenient: true,
      isQuiet: true,
      doc: {
        id: "getTracker",
        summary: "Tracker script",
        description:
          'Embed it in a site as `<script defer src="…/tracker.js" data-project="…" data-token="aat_…">`. It ' +
          "sends page views and events to the folder it was loaded from. The headers have its SHA-256.",
        tag,
        produces: scriptType,
      },
      takes: nothing,
      returns: {},
      handle: ({ request }) => script.respond(request),
    }),
    publicOperation("GET /tracker.src.js", {
      access: free("none"),
      isLenient: true,
      doc: {
        id: "getTrackerSource",
        summary: "Tracker script, readable",
        description: "The source of /tracker.js with comments, before minification, for audits.",
        tag,
        produces: scriptType,
      },
      takes: nothing,
      returns: {},
      handle: ({ request }) => source.respond(request),
    }),
    experimentsConfig(deps),
  ],
});

const script = embeddedScript(async () => tracker.script);
const source = embeddedScript(async () => tracker.source);

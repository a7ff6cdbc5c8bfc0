/*
 * Scripts of replay are built when they are asked for.
 * Decision: from the sources, `/replay.js` and `/replay-player.js` are built by the first request; the executable has
 * them.
 * Because: they take seconds to build, which no start and no test should wait for.
 * Cost: that first request does.
 * Revisit: when the build takes a tenth.
 */

import { embeddedScript, StaticFile, scriptType } from "../../http/edge/static-file";
import type { Feature } from "../../http/feature";
import { free, pro } from "../../http/operation/facts";
import { nothing } from "../../http/operation/input";
import { publicOperation } from "../../http/operation/public-operation";

const tag = "Session replay";

/** The two scripts of session replay: one records in a site, the other shows what it recorded. */
export const replayScriptFeature = (): Feature => ({
  operations: [
    publicOperation("GET /replay.js", {
      access: free("none"),
      isLenient: true,
      isQuiet: true,
      doc: {
        id: "getReplayRecorder",
        summary: "Recorder script",
        description:
          'Embed it after the tracker as `<script defer src="…/replay.js" data-token="aat_…">`. It only records ' +
          "if replay is on for the project. The headers have its SHA-256.",
        tag,
        produces: scriptType,
      },
      takes: nothing,
      returns: {},
      handle: ({ request }) => recorder.respond(request),
    }),
    publicOperation("GET /replay-player.js", {
      access: pro("none"),
      isLenient: true,
      doc: {
        id: "getReplayPlayer",
        summary: "Replay player script",
        description: "The page of a `viewer_url` loads it to play a recording in the browser.",
        tag,
        produces: scriptType,
      },
      takes: nothing,
      returns: {},
      handle: ({ request }) => player.respond(request),
    }),
  ],
});

const recorder = embeddedScript(
  async () => (await import("../../http/pages/recorder-asset")).recorder,
);

/** Browsers ask for it each time, so that every recording is played under the rules of today. */
const player = new StaticFile(async () => (await import("../../http/pages/player-asset")).player, {
  "content-type": scriptType,
  "cache-control": "no-cache",
});

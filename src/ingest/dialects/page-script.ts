import { StaticFile, scriptType } from "../../http/edge/static-file";
import type { ScriptEndpoint } from "./dialect";

/** A script for the pages of a site: as it is here, but for its comments and spaces. Caches may keep it for an hour. */
export const pageScript = (path: string, text: string): ScriptEndpoint => ({
  ...{ path, methods: ["GET"] },
  script: new StaticFile(async () => shorten.transformSync(`(() => {${text}})();`), {
    "content-type": scriptType,
    "cache-control": "public, max-age=3600",
  }),
});

const shorten = new Bun.Transpiler({ loader: "js", target: "browser", minifyWhitespace: true });

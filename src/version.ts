import { version as packageVersion } from "../package.json";
import { commitOfSources } from "./commit.macro" with { type: "macro" };

export const version: string = packageVersion;

/** The commit that this was built from; null where the sources were no checkout of their own. */
export const commit: string | null = commitOfSources();

/** The build defines it. */
declare const buildTarget: string | undefined;

/** The system and processor that this was built for. */
export const target: string =
  typeof buildTarget === "undefined" ? `${process.platform}-${process.arch}` : buildTarget;

/** The build defines it where the sources have a key of the releases. */
declare const buildReleaseKey: string | undefined;

/** The public key of the releases, in PEM form; null in a build of sources that have none yet. */
export const releaseKey: string | null =
  typeof buildReleaseKey === "undefined" ? null : buildReleaseKey;

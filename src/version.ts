import { version as packageVersion } from "../package.json";

export const version: string = packageVersion;

/** The build defines it. */
declare const buildTarget: string | undefined;

/** The system and processor that this was built for. */
export const target: string =
  typeof buildTarget === "undefined" ? `${process.platform}-${process.arch}` : buildTarget;

import { recorderScript } from "./assets.macro" with { type: "macro" };

/** A script like those in assets.ts, but it takes seconds to build: it is imported when it is asked for. */
export const recorder = recorderScript();

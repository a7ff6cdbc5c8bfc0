import { playerScript } from "./assets.macro" with { type: "macro" };

/** Like what is in assets.ts, but it takes seconds to build: import this when it is asked for. */
export const player = playerScript();

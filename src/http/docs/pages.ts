import { docsPages } from "./docs.macro" with { type: "macro" };

/** The pages that the build made. `load.ts` imports them. */
export const pages = docsPages();

import { docsPages } from "./docs.macro" with { type: "macro" };

/** Import this when it is asked for: it is large, and from its sources it takes a moment to make. */
export const pages = docsPages();

import { dashboardFiles } from "./bundle.macro" with { type: "macro" };

/** Import this when it is asked for: it is large, and from its sources it takes a while to build. */
export const bundle = dashboardFiles();

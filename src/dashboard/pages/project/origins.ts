import type { Project } from "../../data/answers";

/** Where browsers may send events from. */
export const originsOf = ({ allowed_origins }: Project): string[] =>
  allowed_origins.split(",").filter((origin) => origin !== "");

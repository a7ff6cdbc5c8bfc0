import type { Project } from "../../data/answers";

/** The origins from which browsers may send events. */
export const originsOf = ({ allowed_origins }: Project): string[] =>
  allowed_origins.split(",").filter((origin) => origin !== "");

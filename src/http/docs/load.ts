import type { DocsPage } from "./page";

/** The pages, in no order. They are large, and are loaded when somebody first asks for them. */
export const loadPages = async (): Promise<readonly DocsPage[]> => (await import("./pages")).pages;

import { BotsPage } from "./bots/page";
import { ChangesPage } from "./changes/page";
import { PagesPage } from "./pages/page";
import { PathsPage } from "./paths/page";
import { RetentionPage } from "./retention/page";
import { SitesPage } from "./sites/page";
import { SourcesPage } from "./sources/page";

/** The small reports of a project are one script: compressed together they take half of the bytes. */
export const reports = {
  bots: BotsPage,
  changes: ChangesPage,
  pages: PagesPage,
  paths: PathsPage,
  retention: RetentionPage,
  sites: SitesPage,
  sources: SourcesPage,
};

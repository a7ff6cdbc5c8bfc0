import { BotsPage } from "./bots/page";
import { ChangesPage } from "./changes/page";
import { ExperimentsPage } from "./experiments/page";
import { ExplorePage } from "./explore/page";
import { FunnelsPage } from "./funnels/page";
import { PagesPage } from "./pages/page";
import { PathsPage } from "./paths/page";
import { RetentionPage } from "./retention/page";
import { SitesPage } from "./sites/page";
import { SourcesPage } from "./sources/page";
import { SpeedPage } from "./speed/page";
import { visitors } from "./visitors";

/** The pages with numbers are one script: a person goes from one to the other, and it compresses to two thirds. */
export const reports = {
  ...visitors,
  bots: BotsPage,
  changes: ChangesPage,
  experiments: ExperimentsPage,
  explore: ExplorePage,
  funnels: FunnelsPage,
  pages: PagesPage,
  paths: PathsPage,
  retention: RetentionPage,
  sites: SitesPage,
  sources: SourcesPage,
  speed: SpeedPage,
};

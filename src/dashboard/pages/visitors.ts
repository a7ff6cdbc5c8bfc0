import { EventsPage } from "./events/page";
import { LivePage } from "./live/page";
import { PeoplePage } from "./people/page";
import { ReplaysPage } from "./replays/page";
import { SessionsPage } from "./sessions/page";

/** The pages about single visitors. Together they compress better than among the others. */
export const visitors = {
  events: EventsPage,
  live: LivePage,
  people: PeoplePage,
  replays: ReplaysPage,
  sessions: SessionsPage,
};

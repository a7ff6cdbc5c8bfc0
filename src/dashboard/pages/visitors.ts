import { EventsPage } from "./events/page";
import { LivePage } from "./live/page";
import { PeoplePage } from "./people/page";
import { ReplaysPage } from "./replays/page";
import { SessionsPage } from "./sessions/page";

/** The pages about single visitors. In one file they compress better than between other pages. */
export const visitors = {
  events: EventsPage,
  live: LivePage,
  people: PeoplePage,
  replays: ReplaysPage,
  sessions: SessionsPage,
};

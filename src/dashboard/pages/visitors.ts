import { EventsPage } from "./events/page";
import { PeoplePage } from "./people/page";
import { ReplaysPage } from "./replays/page";
import { SessionsPage } from "./sessions/page";

/** The pages about single visitors are one script, because one leads to the other. */
export const visitors = {
  events: EventsPage,
  people: PeoplePage,
  replays: ReplaysPage,
  sessions: SessionsPage,
};

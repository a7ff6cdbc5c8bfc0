import type { Counters } from "./counters";
import type { Flags } from "./flags";
import type { Identities } from "./identities";
import type { StoredImports } from "./imports";
import type { AcceptedKeys } from "./keys/accepted-keys";
import type { Profiles } from "./profiles";
import type { Projects } from "./projects";
import type { Tickets } from "./tickets";
import type { Users } from "./users";

/** The parts of the tables that the writer holds in memory. After a failed transaction it reads them again. */
export interface WriterMemory {
  readonly projects: Projects;
  readonly users: Users;
  readonly profiles: Profiles;
  readonly identities: Identities;
  readonly counters: Counters;
  readonly keys: AcceptedKeys;
  readonly tickets: Tickets;
  readonly flags: Flags;
  readonly imports: StoredImports;
}

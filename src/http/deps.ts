import type { Config } from "../config";
import type { Control } from "../store/control/control";
import type { EventStore } from "../store/port";
import type { Peer } from "./address";
import type { Arrivals } from "./arrivals";
import type { Metrics } from "./metrics";
import type { Rates } from "./rates";
import type { Usage } from "./usage";

/** What routes are made of. `serve.ts` and the tests put it together; nothing else reaches a feature. */
export interface Deps {
  readonly config: Config;
  readonly store: EventStore;
  readonly control: Control;
  readonly usage: Usage;
  readonly rates: Rates;
  readonly metrics: Metrics;
  readonly arrivals: Arrivals;
  readonly server: Server;
}

/** What only the listening process knows. */
export interface Server {
  /** Who sent it: made of the socket's address by `peerReader`. */
  peerOf(request: Request): Peer;
  /** From the first sign of a stop on: requests already read are answered, later ones are refused. */
  isStopping(): boolean;
  /** Requests that are read and not answered yet; a stop waits for them. */
  readonly inFlight: { requests: number };
  /** Needed for the first account from elsewhere than this machine (projects.md §7). */
  readonly setupToken: string;
}

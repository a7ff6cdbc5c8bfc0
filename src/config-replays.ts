import { originIn } from "./config-addresses";

/** The settings of recordings. */
export interface ReplaySettings {
  /** The origin at which recordings are watched; null when it is that of everything else. */
  readonly replayViewerOrigin: string | null;
  readonly replayLimits: {
    readonly accountBytesMax: number;
    readonly accountReplaysPerMonth: number;
    /** The bytes of all accounts' recordings together: beyond this the oldest are deleted. */
    readonly bytesMax: number;
  };
}

const defaultReplayBytes = 10 * 1024 * 1024 * 1024;
const defaultReplaysPerMonth = 5_000;
const defaultReplaysMb = 20 * 1024;

export function replaysOf(
  text: (name: string) => string | null,
  integer: (name: string, min: number, max: number, otherwise: number) => number,
): ReplaySettings {
  return {
    replayViewerOrigin: originIn(
      text("REPLAY_VIEWER_ORIGIN"),
      "REPLAY_VIEWER_ORIGIN",
      "https://replays.example.com",
    ),
    replayLimits: {
      accountBytesMax: integer("REPLAY_MAX_BYTES", 0, 1e15 - 1, defaultReplayBytes),
      accountReplaysPerMonth: integer("REPLAY_MONTHLY_LIMIT", 0, 1e9, defaultReplaysPerMonth),
      bytesMax: integer("REPLAYS_MB", 1, 1e8, defaultReplaysMb) * 1024 * 1024,
    },
  };
}

import { replayRetentionDaysDefault } from "./limits";

export const startModes = ["after_consent", "immediate", "manual"] as const;
type StartMode = (typeof startModes)[number];

/** How a project is recorded when recording is on. */
export interface ReplaySettings {
  readonly startMode: StartMode;
  /** The share of sessions that are recorded, from 0 to 1. */
  readonly sampleRate: number;
  /** CSS selectors of what is masked, and of what is replaced by an empty box. */
  readonly maskSelectors: readonly string[];
  readonly blockSelectors: readonly string[];
  readonly retentionDays: number;
  /** The time of the last change; null while nobody has changed anything. */
  readonly updatedAtMs: number | null;
}

export const defaultReplaySettings: ReplaySettings = {
  startMode: "after_consent",
  sampleRate: 1,
  maskSelectors: [],
  blockSelectors: [],
  retentionDays: replayRetentionDaysDefault,
  updatedAtMs: null,
};

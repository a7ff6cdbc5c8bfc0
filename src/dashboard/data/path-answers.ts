import type { WithContext } from "./answers";

/** The answer of POST /paths. */
export interface PathNode {
  readonly type: "page" | "event" | "goal" | "drop_off" | "truncated";
  readonly value: string;
  readonly sessions: number;
  readonly conversions: number;
  readonly conversion_rate: number;
  readonly children?: readonly PathNode[];
}
export interface EntryPath {
  readonly entry_page: string;
  readonly sessions: number;
  readonly conversions: number;
  readonly conversion_rate: number;
  readonly tree: readonly PathNode[];
}
export interface PathsAnswer extends WithContext {
  readonly goal_event: string;
  readonly goal?: { readonly id: string; readonly name: string };
  readonly entry_paths: readonly EntryPath[];
}

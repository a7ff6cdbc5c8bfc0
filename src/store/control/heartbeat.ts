import { readBeside } from "../read-beside";
import type { ControlConnection } from "./database";
import { settingQueries } from "./settings";

/** The last time at which a server used the folder with a clock that it trusted. Unix ms. */
const heartbeatSetting = "heartbeat_at";
/** When an operator confirmed a clock, until a server has acted on it. Unix ms. */
const acceptedSetting = "clock_accepted_at";

/** The heartbeat of the data folder, in the one database that every installation has. */
export function heartbeatQueries(control: ControlConnection) {
  const settings = settingQueries(control.db);
  const timeOf = (name: string): number | null => {
    const value = settings.read(name);
    return value === undefined ? null : Number(value);
  };
  return {
    read: () => ({ atMs: timeOf(heartbeatSetting), acceptedAtMs: timeOf(acceptedSetting) }),

    /** A power cut may take it back: the one before is good enough. */
    beat: (nowMs: number): void =>
      control.writeSoon(() => {
        settings.put(heartbeatSetting, String(nowMs));
        settings.remove(acceptedSetting);
      }),

    /** Whatever the folder knew of the time, this is the time. */
    accept: (nowMs: number): void =>
      control.write(() => {
        settings.put(heartbeatSetting, String(nowMs));
        settings.put(acceptedSetting, String(nowMs));
      }),
  };
}

/** Reads the last heartbeat beside a running server. */
export const heartbeatIn = (file: string): number | null =>
  readBeside(file, (db) => {
    const row = db.query("select value from setting where name = ?").get(heartbeatSetting);
    return row === null ? null : Number((row as { value: string }).value);
  });

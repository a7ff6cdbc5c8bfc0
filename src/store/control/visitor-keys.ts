import { randomBytes } from "node:crypto";
import { eq, lt, sql } from "drizzle-orm";
import { Seal } from "../../lib/seal";
import { type ControlConnection, prepared } from "./database";
import { visitorDayKey } from "./source-tables";

const keyBytes = 32;

/** The keys of days by which visitors without an id are named. */
export function visitorKeyQueries(
  control: ControlConnection & { readonly identitySecret: string },
) {
  const { db } = control;
  const seal = new Seal(control.identitySecret, "visitor day keys");
  const row = prepared(() =>
    db
      .select()
      .from(visitorDayKey)
      .where(eq(visitorDayKey.day, sql.placeholder("day")))
      .prepare(),
  );
  const read = (day: number): Buffer | null => {
    const sealed = row().get({ day })?.sealedKey;
    const opened = sealed === undefined ? null : seal.open(sealed, String(day));
    return opened === null ? null : Buffer.from(opened, "base64");
  };
  return {
    /** The key of a day; null when it has none, or none any more. */
    ofDay: read,
    /** The key of a day, which is drawn now if it has none. */
    makeOfDay: (day: number): Buffer =>
      read(day) ??
      control.write(() => {
        const key = randomBytes(keyBytes);
        const sealedKey = seal.close(key.toString("base64"), String(day));
        db.insert(visitorDayKey)
          .values({ day, sealedKey })
          .onConflictDoUpdate({ target: visitorDayKey.day, set: { sealedKey } })
          .run();
        return key;
      }),
    /** Destroys the keys of the days before this one: their bytes leave the file and its log. */
    destroyBefore(day: number): void {
      const old = db.select().from(visitorDayKey).where(lt(visitorDayKey.day, day)).all();
      if (old.length === 0) return;
      control.write(() => db.delete(visitorDayKey).where(lt(visitorDayKey.day, day)).run());
      control.emptyLog();
    },
  };
}

import { eq, sql } from "drizzle-orm";
import { type ControlDatabase, prepared } from "./database";
import { setting } from "./tables";

export function settingQueries(db: ControlDatabase) {
  const byName = prepared(() =>
    db
      .select({ value: setting.value })
      .from(setting)
      .where(eq(setting.name, sql.placeholder("name")))
      .prepare(),
  );
  const read = (name: string): string | undefined => byName().get({ name })?.value;
  return {
    read,
    /** Keeps the value that was first, whichever process wrote it, and returns it. */
    keepFirst(name: string, value: string): string {
      db.insert(setting).values({ name, value }).onConflictDoNothing().run();
      return read(name) ?? value;
    },
    put(name: string, value: string): void {
      db.insert(setting)
        .values({ name, value })
        .onConflictDoUpdate({ target: setting.name, set: { value } })
        .run();
    },
    remove(name: string): void {
      db.delete(setting).where(eq(setting.name, name)).run();
    },
  };
}

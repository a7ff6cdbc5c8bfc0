import { eq, sql } from "drizzle-orm";
import { defaultReplaySettings, type ReplaySettings } from "../../domain/replay/settings";
import { type ControlConnection, prepared } from "./database";
import { replaySettings } from "./replay-tables";
import { project } from "./tables";

export type ReplaySettingsChange = Partial<Omit<ReplaySettings, "updatedAtMs">> & {
  readonly enabled?: boolean;
};

export function replaySettingQueries(control: ControlConnection) {
  const { db } = control;
  const ofProject = prepared(() =>
    db
      .select()
      .from(replaySettings)
      .where(eq(replaySettings.projectId, sql.placeholder("projectId")))
      .prepare(),
  );
  const of = (projectId: string): ReplaySettings =>
    ofProject().get({ projectId }) ?? defaultReplaySettings;
  return {
    /** Every page that may be recorded asks. */
    of,
    change(projectId: string, { enabled, ...change }: ReplaySettingsChange, nowMs: number): void {
      control.write(() => {
        const values = { ...of(projectId), ...change, projectId, updatedAtMs: nowMs };
        db.insert(replaySettings)
          .values(values)
          .onConflictDoUpdate({ target: replaySettings.projectId, set: values })
          .run();
        if (enabled !== undefined) {
          db.update(project).set({ replayEnabled: enabled }).where(eq(project.id, projectId)).run();
        }
      });
    },
  };
}

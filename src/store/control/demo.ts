import { and, eq } from "drizzle-orm";
import { demoContext, demoGoals } from "../../domain/demo/context";
import { demoOrigin } from "../../domain/demo/day";
import { demoExperiment } from "../../domain/demo/visitor";
import { isoDate } from "../../domain/event";
import { nameKeyOf } from "../../domain/goals/definition";
import { demoDates } from "../../domain/limits";
import { dayMs } from "../../lib/clock";
import { newId, newToken } from "../../lib/ids";
import type { WithContexts } from "./contexts";
import { type ControlDatabase, prepared } from "./database";
import { goal } from "./goal-tables";
import { account, demo, experiment, project } from "./tables";

export type DemoRow = typeof demo.$inferSelect;

/** The CLI prints commands with this name. */
export const demoProjectName = "agentanalytics-demo";

/** The demo's account, its project and what hangs on them. Its events are the store's. */
export function demoQueries(control: WithContexts) {
  const { db } = control;
  const found = prepared(() => db.select().from(demo).prepare());
  return {
    find: (): DemoRow | undefined => found().get(),

    /** Makes the demo without events. */
    make: (today: number, nowMs: number): DemoRow => control.write(() => make(db, today, nowMs)),

    /** Its events are those of the dates up to `today`: what else has dates follows. */
    noteSeeded: ({ accountId, projectId }: DemoRow, today: number): void =>
      control.write(() => {
        const seededDate = isoDate(today);
        db.update(demo).set({ seededDate }).where(eq(demo.accountId, accountId)).run();
        const row = experimentOf(projectId, today);
        db.insert(experiment)
          .values(row)
          .onConflictDoUpdate({ target: experiment.id, set: row })
          .run();
        db.insert(goal).values(goalsOf(projectId, today)).onConflictDoNothing().run();
        control.contexts.putOfProject(projectId, demoContext(today), today * dayMs);
      }),

    noteWanted: (accountId: string, wantedAtMs: number): void => {
      db.update(demo).set({ wantedAtMs }).where(eq(demo.accountId, accountId)).run();
    },

    /**
     * Gives the demo up, which has to be seeded again then. Returns undefined when it was wanted since, or there is
     * none.
     */
    giveUp(wantedBeforeMs: number): DemoRow | undefined {
      const row = found().get();
      if (row === undefined || row.wantedAtMs > wantedBeforeMs) return undefined;
      control.write(() => {
        db.update(demo).set({ seededDate: null }).run();
      });
      return row;
    },

    /** The account with all that hangs on it. */
    erase: (accountId: string): void =>
      control.write(() => {
        db.delete(account)
          .where(and(eq(account.id, accountId), eq(account.isDemo, true)))
          .run();
      }),
  };
}

function make(db: ControlDatabase, today: number, nowMs: number): DemoRow {
  const [accountId, projectId] = [newId("acc"), newId("proj")];
  const createdAtMs = (today - demoDates + 1) * dayMs;
  db.insert(account)
    .values({
      ...{ id: accountId, createdAtMs },
      ...{ tier: "pro", complimentary: false, isDemo: true },
    })
    .run();
  db.insert(project)
    .values({
      ...{ id: projectId, accountId, name: demoProjectName, createdAtMs },
      // Shown like any other; ingestion does not know it (directory.ts).
      token: newToken("aat"),
      allowedOrigins: demoOrigin,
      primaryDomain: demoOrigin,
    })
    .run();
  return db.insert(demo).values({ accountId, projectId, wantedAtMs: nowMs }).returning().get();
}

/** The goals of the demo. Their ids and definitions are the same on all dates. */
const goalsOf = (projectId: string, today: number): (typeof goal.$inferInsert)[] =>
  demoGoals.map((one, at) => ({
    ...{ filters: [], ...one, projectId, nameKey: nameKeyOf(one.name) },
    id: `goal_demo${String(at + 1).padStart(12, "0")}`,
    ...{ createdAtMs: (today - demoDates + 1) * dayMs, updatedAtMs: today * dayMs },
  }));

/** Over since midnight, so that it has a winner that stays. */
function experimentOf(projectId: string, today: number): typeof experiment.$inferInsert {
  const { id, name, goal, control, variant } = demoExperiment;
  const completedAtMs = today * dayMs;
  return {
    ...{ id, projectId, name, goalEvent: goal, status: "completed", winner: variant },
    variants: [control, variant].map((key) => ({ key, weight: 50 })),
    createdAtMs: (today - demoDates + 1) * dayMs,
    updatedAtMs: completedAtMs,
    completedAtMs,
  };
}

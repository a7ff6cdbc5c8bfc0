import { Database } from "bun:sqlite";
import { setPriority } from "node:os";
import type { CheckAnswer, CheckQuestion } from "./background-check";
import { damageIn } from "./damage";
import { checkInPieces, type Schema } from "./migrate";
import { answerQuestions, workerLine } from "./protocol/answering";

/** Others go first, where a thread can have a priority of its own; and it works a fifth of its time. */
const niceness = 19;
const restPerWork = 4;

/** A thread that reads whole databases. */
export function runChecker(schemas: ReadonlyMap<string, Schema>): void {
  if (process.platform === "linux") setPriority(niceness);
  answerQuestions<CheckQuestion>(workerLine, async ({ file, name }): Promise<CheckAnswer> => {
    const schema = schemas.get(name);
    if (schema === undefined) throw new Error(`There is no database ${name}.`);
    const db = new Database(file, { readonly: true, strict: true });
    try {
      let startedAtMs = performance.now();
      for (const _ of checkInPieces(db, schema)) {
        await Bun.sleep(restPerWork * (performance.now() - startedAtMs));
        startedAtMs = performance.now();
      }
      return { damage: null };
    } catch (error) {
      const damage = damageIn(error);
      if (damage === null) throw error;
      return { damage };
    } finally {
      db.close();
    }
  });
}

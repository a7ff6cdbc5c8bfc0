import { Database } from "bun:sqlite";
import { setPriority } from "node:os";
import type { CheckAnswer, CheckQuestion } from "./background-check";
import { damageIn } from "./damage";
import { checkInPieces, type Schema } from "./migrate";
import { answerQuestions, workerLine } from "./protocol/answering";
import { Rests } from "./rests";

/**
 * Others go first, where a thread can have a priority of its own. At 10 it gets a tenth of a processor that somebody
 * else would take whole; at 19 it gets a seventieth, and a check beside a busy server would last for hours.
 */
const niceness = 10;

/** Returns the processor time that this thread has used. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** A thread that reads whole databases. */
export function runChecker(schemas: ReadonlyMap<string, Schema>): void {
  if (process.platform === "linux") setPriority(niceness);
  answerQuestions<CheckQuestion>(workerLine, async ({ file, name }): Promise<CheckAnswer> => {
    const schema = schemas.get(name);
    if (schema === undefined) throw new Error(`There is no database ${name}.`);
    const db = new Database(file, { readonly: true, strict: true });
    try {
      const rests = new Rests(processorMs);
      for (const _ of checkInPieces(db, schema)) await Bun.sleep(rests.due());
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

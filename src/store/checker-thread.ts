import { Database } from "bun:sqlite";
import type { CheckAnswer, CheckQuestion } from "./background-check";
import { damageIn } from "./damage";
import { checkInPieces, type Schema } from "./migrate";
import { answerQuestions, workerLine } from "./protocol/answering";
import { letOthersGoFirst, Rests, threadTimeMs } from "./rests";

/** A thread that reads whole databases. */
export function runChecker(schemas: ReadonlyMap<string, Schema>): void {
  letOthersGoFirst();
  answerQuestions<CheckQuestion>(workerLine, async ({ file, name }): Promise<CheckAnswer> => {
    const schema = schemas.get(name);
    if (schema === undefined) throw new Error(`There is no database ${name}.`);
    const db = new Database(file, { readonly: true, strict: true });
    try {
      const rests = new Rests(threadTimeMs);
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

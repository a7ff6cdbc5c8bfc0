import { writeFileSync } from "node:fs";
import { exampleAnswers, exampleAnswersFile } from "./example-answers";
import { fileOf, goldenFiles, goldensIn, openCorpus } from "./golden";

/**
 * Asks every question again and writes the answers down: `bun test/golden/write.ts`. Its diff is what a change did to
 * the numbers, and belongs into the commit only after each line of it was worked out by hand from the corpus.
 */
const corpus = await openCorpus();
for (const file of goldenFiles()) {
  const answered = [];
  for (const golden of goldensIn(file)) {
    answered.push({ ...golden, answer: await corpus.ask(golden) });
  }
  writeFileSync(fileOf(file), `${JSON.stringify(answered, null, 2)}\n`);
}
const examples = await exampleAnswers(corpus);
writeFileSync(exampleAnswersFile, `${JSON.stringify(examples, null, 2)}\n`);
await corpus.close();

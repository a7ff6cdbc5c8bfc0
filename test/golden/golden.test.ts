import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import shown from "../../src/http/operation/example-answers.json";
import { exampleAnswers } from "./example-answers";
import { goldenFiles, goldensIn, openCorpus } from "./golden";

let corpus: Awaited<ReturnType<typeof openCorpus>>;
beforeAll(async () => {
  corpus = await openCorpus();
});
afterAll(() => corpus.close());

test("the examples that the OpenAPI document shows are answered so", async () => {
  expect<unknown>(shown).toEqual(await exampleAnswers(corpus));
});

for (const file of goldenFiles()) {
  describe(file, () => {
    for (const golden of goldensIn(file)) {
      const { ask, body } = golden;
      test(body === undefined ? ask : `${ask} ${JSON.stringify(body)}`, async () => {
        expect(await corpus.ask(golden)).toEqual(golden.answer);
      });
    }
  });
}

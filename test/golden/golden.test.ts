import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { goldenFiles, goldensIn, openCorpus } from "./golden";

let corpus: Awaited<ReturnType<typeof openCorpus>>;
beforeAll(async () => {
  corpus = await openCorpus();
});
afterAll(() => corpus.close());

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

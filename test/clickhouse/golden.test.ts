import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { goldenFiles, goldensIn, openCorpus } from "../golden/golden";
import { startClickHouse, type TestClickHouse } from "./server-process";

let clickhouse: TestClickHouse;
let corpus: Awaited<ReturnType<typeof openCorpus>>;
beforeAll(async () => {
  clickhouse = await startClickHouse();
  corpus = await openCorpus({ CLICKHOUSE_URL: clickhouse.url, CLICKHOUSE_DATABASE: "golden" });
});
afterAll(async () => {
  await corpus.close();
  await clickhouse.close();
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

import { join } from "node:path";
import { projectReads } from "../../src/features/reads";
import shown from "../../src/http/operation/example-answers.json";
import type { openCorpus } from "./golden";

export const exampleAnswersFile = join(
  import.meta.dir,
  "../../src/http/operation/example-answers.json",
);

/** An example shows what an answer looks like: its lists go on so far. */
const itemsShown = 2;

/** The answers of the corpus to the examples of reads, by the names of these. */
export async function exampleAnswers({
  operations,
  ask,
}: Awaited<ReturnType<typeof openCorpus>>): Promise<Readonly<Record<string, unknown>>> {
  const answers: Record<string, unknown> = {};
  for (const { name } of projectReads) {
    const { input = {}, answer } = operations.find((one) => one.name === name)?.doc.example ?? {};
    const hasItsOwn = answer !== undefined && !(name in shown);
    if (hasItsOwn) continue;
    const texts = Object.entries(input).map(([key, value]) => [key, String(value)]);
    const query = new URLSearchParams(Object.fromEntries(texts));
    const asked = name.startsWith("GET ")
      ? { ask: `${name}?${query}` }
      : { ask: name, body: input };
    answers[name] = shortened(await ask({ ...asked, answer: undefined }));
  }
  return answers;
}

const shortened = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer), (_, value) =>
    Array.isArray(value) ? value.slice(0, itemsShown) : value,
  );

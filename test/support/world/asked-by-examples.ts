import { projectReads } from "../../../src/features/reads";
import { splitName } from "../../../src/http/operation/facts";
import type { Read } from "../../../src/store/port";
import { testApp } from "../app/app";

/** A read with the question that the store was asked for it. */
export type AskedOfStore = readonly [read: Read<never, unknown>, question: unknown];

/** Asks the examples of reads over HTTP, and returns what the store was asked, about a project of this id. */
export async function askedByExamples(projectId: string): Promise<readonly AskedOfStore[]> {
  const app = await testApp();
  const { id } = await app.makeProject("shop");
  const { store } = app.deps;
  const asked: AskedOfStore[] = [];
  const answer = store.read.bind(store);
  store.read = (read, question, request) => {
    const about = JSON.stringify(question).replaceAll(id, projectId);
    asked.push([read, JSON.parse(about)]);
    return answer(read, question, request);
  };
  const names: readonly string[] = projectReads.map(({ name }) => name);
  for (const { name, doc } of app.operations.filter((one) => names.includes(one.name))) {
    const { method, path } = splitName(name);
    const input = doc.example?.input ?? {};
    const texts = Object.entries(input).map(([key, value]) => [key, String(value)]);
    const query = `?${new URLSearchParams(Object.fromEntries(texts))}`;
    const call = { key: app.key, ...(method !== "GET" && { body: input }) };
    await app.send(method, `${path}${method === "GET" ? query : ""}`, call);
  }
  await app.close();
  return asked;
}

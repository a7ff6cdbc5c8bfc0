import { afterAll, expect, test } from "bun:test";
import { answerQuestions, type Line } from "./answering";
import { Thread, ThreadDied } from "./thread";

const workers: Worker[] = [];
const thread = new Thread<string>({
  name: "unsendable",
  start: () => {
    const worker = new Worker(
      new URL("../../../test/support/engine/unsendable.ts", import.meta.url).href,
    );
    workers.push(worker);
    return worker;
  },
  opening: "open",
  onLost: () => undefined,
});
afterAll(() => thread.stop());

test("a question whose answer cannot be sent is answered with a failure, and the thread goes on", async () => {
  await thread.opened;
  const [before, failed, after] = await Promise.allSettled(
    ["before", "function", "after"].map((question) => thread.ask<string>(question)),
  );
  expect(before).toEqual({ status: "fulfilled", value: "before" });
  expect(after).toEqual({ status: "fulfilled", value: "after" });
  expect(failed).toMatchObject({ status: "rejected", reason: { name: "DataCloneError" } });
  expect(failed).not.toMatchObject({ reason: expect.any(ThreadDied) });
  expect(workers).toHaveLength(1);
});

test("what is done afterwards comes behind each reply and before the next question", async () => {
  const seen: string[] = [];
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const line: Line = {
    onmessage: null,
    postMessage: (reply) => void seen.push(JSON.stringify(reply).slice(2, 9)),
  };
  answerQuestions<string>(
    line,
    async (question) => {
      seen.push(question);
      await Bun.sleep(1);
      if (question === "second") throw new Error("It has no answer.");
      return question;
    },
    {
      afterwards: () => {
        if (seen.push("afterwards") === 9) resolve();
      },
    },
  );
  for (const data of ["first", "second", "third"]) line.onmessage?.({ data });
  await done;
  const ofEach = (question: string, reply: string) => [question, reply, "afterwards"];
  expect(seen).toEqual([
    ...ofEach("first", 'value":'),
    ...ofEach("second", "failure"),
    ...ofEach("third", 'value":'),
  ]);
});

/*
 * Threads answer questions in order.
 * Decision: only the main thread sends questions: to the writer, the compactor and the readers. Each question has one
 * reply, and replies come in the order of the questions.
 * Because: one small class starts any of these threads again when it dies, and rejects the questions that wait for it.
 * Cost: merges pass through the main thread, which hands their buffers over without a copy.
 * Revisit: if that shows in a profile.
 */

import { type Failure, failureOf } from "./failure";

/** A thread's end of the line to the main thread: the global object of a worker, or one end of a channel. */
export interface Line {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  postMessage(message: unknown, buffers: ArrayBuffer[]): void;
}

declare const self: Line;
/** The connection of the worker that this code runs in. */
export const workerLine: Line = self;

/** A thread answers each question with one reply, in the order of the questions. */
export type Reply = { readonly value: unknown } | { readonly failure: Failure };

/** What a thread does beside its answers. */
interface Around {
  /** What of an answer is handed over rather than copied. */
  buffersOf?(value: unknown): ArrayBuffer[];
  /** Done once a reply is on its way, when nobody waits for it, and before the next question. */
  afterwards?(): void;
}

/**
 * What every thread of the store does: one question after the other, as SQLite is synchronous and a thread has nothing
 * else to do.
 */
export function answerQuestions<Question>(
  line: Line,
  answer: (question: Question) => unknown,
  { buffersOf = () => [], afterwards = () => undefined }: Around = {},
): void {
  let turn = Promise.resolve();
  line.onmessage = ({ data }) => {
    turn = turn.then(async () => {
      const reply = await replyTo(answer, data as Question);
      try {
        line.postMessage(reply, "value" in reply ? buffersOf(reply.value) : []);
      } catch (error) {
        // What cannot be sent is a failure like any other: a question without a reply would be waited for for ever.
        line.postMessage({ failure: failureOf(error) }, []);
      }
      afterwards();
    });
  };
}

async function replyTo<Question>(
  answer: (question: Question) => unknown,
  question: Question,
): Promise<Reply> {
  try {
    return { value: await answer(question) };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

import { type Call, type Json, noonMs, type TestApp } from "./app";

/** A frame of server-sent events; a comment is one with nothing but its text. */
export interface Frame {
  readonly event?: string;
  readonly id?: string;
  readonly data?: unknown;
  readonly comment?: string;
}

type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">;

/** Reads a stream as an EventSource would, frame by frame. */
export class EventReader {
  readonly #reader: Reader;
  readonly #decoder = new TextDecoder();
  readonly #frames: Frame[] = [];
  #rest = "";

  constructor({ body }: Response) {
    if (body === null) throw new Error("an answer without a body is no stream");
    this.#reader = body.getReader();
  }

  /** The next frame; null when the stream has ended. Fails after a while without one. */
  async next(waitMs = 50_000): Promise<Frame | null> {
    while (this.#frames.length === 0) {
      const { done, value } = await within(this.#reader.read(), waitMs);
      if (done || value === undefined) return null;
      this.#take(this.#decoder.decode(value, { stream: true }));
    }
    return this.#frames.shift() ?? null;
  }

  async take(count: number): Promise<Frame[]> {
    const frames: Frame[] = [];
    while (frames.length < count) {
      const frame = await this.next();
      if (frame === null) throw new Error(`the stream ended after ${frames.length} frames`);
      frames.push(frame);
    }
    return frames;
  }

  /** All frames up to the end. */
  async rest(): Promise<Frame[]> {
    const frames: Frame[] = [];
    for (let frame = await this.next(); frame !== null; frame = await this.next()) {
      frames.push(frame);
    }
    return frames;
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }

  #take(text: string): void {
    const parts = (this.#rest + text).split("\n\n");
    this.#rest = parts.pop() ?? "";
    this.#frames.push(...parts.map(frameOf));
  }
}

function frameOf(text: string): Frame {
  if (text.startsWith(":")) return { comment: text.slice(1) };
  const fields = text.split("\n").map((line): [string, string] => {
    const colon = line.indexOf(": ");
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
  const { data = "null", ...frame } = Object.fromEntries(fields);
  return { ...frame, data: JSON.parse(data) };
}

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Opens streams of an app and closes them again. */
export class Streams {
  readonly #open: EventReader[] = [];

  constructor(private readonly app: () => TestApp) {}

  async listen(query: string, call: Call = { key: this.app().key }): Promise<EventReader> {
    const answer = await this.app().open(`/stream?${query}`, call);
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
    const reader = new EventReader(answer);
    this.#open.push(reader);
    return reader;
  }

  /** Status, code and field of an answer that is no stream. */
  async refusal(query: string, call: Call = { key: this.app().key }): Promise<unknown[]> {
    const answer = await this.app().send("GET", `/stream?${query}`, call);
    const { error, field } = (await answer.json()) as Json;
    return [answer.status, error, ...(field === undefined ? [] : [field])];
  }

  /** Closes all streams, for `afterEach`. */
  async close(): Promise<void> {
    await Promise.all(this.#open.splice(0).map((reader) => reader.cancel()));
    this.app().setTime(noonMs);
  }
}

/** Names of the events that frames tell. */
export const namesOf = (frames: readonly Frame[]): unknown[] =>
  frames.map(({ data }) => (data as Json).event);

/** Events that have nothing but a name. */
export const named = (...names: readonly string[]) => names.map((event) => ({ event }));

import { afterEach } from "bun:test";
import type { AcceptedEvent } from "../../../src/domain/event";
import type { Engine } from "./engine";
import { storeOf } from "./examples";

/** The engine of the tests of a read: each test opens its own, and it is closed after the test. */
export class ReadTest {
  #engine: Engine | undefined;

  constructor() {
    afterEach(() => this.#engine?.close());
  }
  get engine(): Engine {
    if (this.#engine === undefined) throw new Error("no events are given");
    return this.#engine;
  }
  set engine(engine: Engine) {
    this.#engine = engine;
  }
  /** Opens an engine that has these events. */
  readonly given = (...events: readonly AcceptedEvent[]): void => {
    this.#engine = storeOf(events);
  };
}

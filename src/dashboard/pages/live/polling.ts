import { call, Refusal } from "../../data/api";
import type { Listener } from "./connection";
import type { Message } from "./messages";

const everyMs = 5_000;

/** A visitor without an account has no socket: the page asks for the same snapshot again and again. */
export class LivePolling {
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly project: string,
    private readonly listener: Listener,
  ) {}

  open(): void {
    this.close();
    void this.#ask();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #ask(): Promise<void> {
    // Set at once, so that closing meanwhile is seen below.
    const timer = setTimeout(() => this.#ask(), everyMs);
    this.#timer = timer;
    try {
      const request = { method: "GET", path: "/live", query: { project: this.project } } as const;
      const { answer } = await call<Omit<Message, "type">>(request);
      if (this.#timer !== timer) return;
      this.listener.changed({ kind: "live" });
      this.listener.said({ ...answer, type: "snapshot" });
    } catch (error) {
      const text = error instanceof Refusal ? error.message : String(error);
      if (this.#timer === timer) this.listener.changed({ kind: "lost", text, retryMs: everyMs });
    }
  }
}

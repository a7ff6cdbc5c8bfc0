import type { eventWithTime } from "@rrweb/types";
import { attempt, isSwitchedOff, scoped, server, token } from "./place";
import { textOf } from "./shrink";
import type { Mirror } from "./tidy";

const flushMs = 5_000;
const segmentCharsMax = 256 * 1024;
const eventsMax = 5_000;
/** Browsers give beacons and keep-alive requests 64 KiB, together. */
const beaconBytesMax = 60 * 1024;
const keptAliveBytesMax = 48 * 1024;
/** One event cannot be parted, and a body is 5 MiB at most. Bytes may be three times the characters, but seldom are. */
const eventCharsMax = 2 * 1024 * 1024;
const retryMs = [0, 1_000, 4_000, 10_000];
/** The bytes of a character in text that is mostly ASCII. */
const bytesPerChar = 1.1;
const envelopeChars = 200;

interface Segment {
  seq: number;
  readonly events: string;
  /** A beacon has it, which does not say whether it arrives. */
  isBeaconed?: true;
}
interface Answer {
  readonly next_seq: number;
  readonly stop: boolean;
  readonly stored?: boolean;
}

/** Gathers events and sends them as segments, in order, each under one number. */
export class Upload {
  #waiting: string[] = [];
  #chars = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #seq = 0;
  #replay = "";
  #uploadToken = "";
  #sending: Promise<unknown> = Promise.resolve();
  /** Taken, but not known to have arrived. */
  readonly #open = new Set<Segment>();

  constructor(
    readonly session: string,
    readonly stop: (reason: string) => void,
  ) {}

  /** Starts a recording. Returns false when the server does not want one, or cannot be asked. */
  async open(): Promise<boolean> {
    const url = location.origin + location.pathname;
    const response = await post("start", { token, session_id: this.session, url }).catch(
      () => null,
    );
    if (response === null || !response.ok) return false;
    const { recording, replay_id, upload_token, next_seq } = await response.json();
    if (!recording) return false;
    this.#replay = replay_id;
    this.#uploadToken = upload_token;
    // The last page's beacon may still be on its way: its number must not be given twice.
    const [replay, seq] = (attempt(() => sessionStorage.getItem(scoped("replay"))) ?? "").split(
      " ",
    );
    this.#seq = Math.max(next_seq, replay === replay_id ? Number(seq) || 0 : 0);
    this.#flush();
    return true;
  }

  add(event: eventWithTime, mirror: Mirror): void {
    const text = textOf(event, eventCharsMax, mirror);
    if (text === null) {
      // The library is in the middle of its work and must not be ended now.
      setTimeout(() => this.stop("error"), 0);
      return;
    }
    if (this.#chars + text.length > segmentCharsMax || this.#waiting.length >= eventsMax) {
      this.#flush();
    }
    this.#waiting.push(text);
    this.#chars += text.length + 1;
    // A snapshot is what all else stands on: it goes at once, while there is time to compress it.
    if (event.type === 2) setTimeout(() => this.#flush(), 0);
    else this.#timer ??= setTimeout(() => this.#flush(), flushMs);
  }

  /**
   * The page may be gone after this: no time to compress, and 64 KiB for all that is said. What is being compressed
   * goes too; should it arrive twice, it has one number and one content.
   */
  leave(): void {
    if (this.#replay === "") return;
    let room = beaconBytesMax / bytesPerChar;
    for (const segment of this.#open) room -= this.#beacon(segment, room);
    while (this.#waiting.length > 0) {
      let [count, chars] = [0, envelopeChars];
      for (; count < this.#waiting.length; count += 1) {
        chars += (this.#waiting[count] ?? "").length + 1;
        if (chars > room) break;
      }
      // A body that is too large for a beacon may still be sent by an ordinary request.
      if (count === 0) {
        this.#flush();
        return;
      }
      const segment = this.#take(count);
      const sent = this.#beacon(segment, room);
      room -= sent;
      if (sent === 0) this.#enqueue(segment);
    }
  }

  /** The characters that were sent. */
  #beacon(segment: Segment, room: number): number {
    const body = this.#bodyOf(segment);
    if (segment.isBeaconed || body.length > room) return 0;
    const blob = new Blob([body], { type: "text/plain" });
    if (!navigator.sendBeacon(this.#url("segments"), blob)) return 0;
    segment.isBeaconed = true;
    return body.length;
  }

  /** After a revocation nothing more is sent but that it has ended. */
  async finish(reason: string): Promise<void> {
    if (reason === "consent_revoked") this.#waiting = [];
    else this.#flush();
    clearTimeout(this.#timer);
    await this.#sending;
    if (this.#replay === "") return;
    const body = { upload_token: this.#uploadToken, stop_reason: reason };
    await post(`${this.#replay}/finish`, body).catch(() => null);
  }

  #take(count: number): Segment {
    const taken = this.#waiting.splice(0, count);
    this.#chars = this.#waiting.reduce((sum, one) => sum + one.length + 1, 0);
    return { seq: this.#nextSeq(), events: taken.join() };
  }

  #nextSeq(): number {
    const seq = this.#seq;
    this.#seq += 1;
    attempt(() => sessionStorage.setItem(scoped("replay"), `${this.#replay} ${this.#seq}`));
    return seq;
  }

  #bodyOf({ seq, events }: Segment): string {
    return `{"upload_token":"${this.#uploadToken}","seq":${seq},"events":[${events}]}`;
  }

  #url(what: string): string {
    return `${server}replays/ingest/${this.#replay}/${what}`;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#replay === "") return;
    if (isSwitchedOff()) {
      this.#waiting = [];
      this.stop("manual");
    } else if (this.#waiting.length > 0) this.#enqueue(this.#take(this.#waiting.length));
  }

  #enqueue(segment: Segment): void {
    this.#open.add(segment);
    this.#sending = this.#sending
      .then(() => this.#send(segment))
      .finally(() => this.#open.delete(segment));
  }

  async #send(segment: Segment): Promise<void> {
    for (const waitMs of retryMs) {
      if (waitMs > 0) await new Promise((done) => setTimeout(done, waitMs));
      const answer = await this.#attempt(segment);
      if (answer === "again") continue;
      if (answer === "refused") break;
      if (answer.stop) this.stop("manual");
      return;
    }
    this.stop("error");
  }

  async #attempt(segment: Segment): Promise<Answer | "again" | "refused"> {
    const response = await this.#sendOnce(this.#bodyOf(segment)).catch(() => null);
    if (response === null || response.status === 429 || response.status >= 500) return "again";
    if (!response.ok) return "refused";
    const answer: Answer | null = await response.json().catch(() => null);
    if (answer === null) return "again";
    // A recorder that is told to stop has nothing to send again.
    if (answer.stop || answer.stored !== false) return answer;
    // If another tab has used this number for something else, the next free one is taken.
    this.#seq = Math.max(this.#seq, answer.next_seq);
    segment.seq = this.#nextSeq();
    return this.#attempt(segment);
  }

  async #sendOnce(text: string): Promise<Response> {
    const url = this.#url("segments");
    const body = await compressed(text);
    if (body === null) return send(url, text, text.length * bytesPerChar);
    return send(`${url}?enc=gzip`, body, body.byteLength);
  }
}

const compressed = async (text: string): Promise<ArrayBuffer | null> =>
  typeof CompressionStream === "undefined"
    ? null
    : new Response(
        new Blob([text]).stream().pipeThrough(new CompressionStream("gzip")),
      ).arrayBuffer();

/** A simple request, which no browser asks leave for. It outlives the page where it is small enough. */
const send = (url: string, body: string | ArrayBuffer, bytes: number): Promise<Response> =>
  fetch(url, {
    method: "POST",
    credentials: "omit",
    headers: { "content-type": "text/plain" },
    keepalive: bytes < keptAliveBytesMax,
    body,
  });

const post = (what: string, body: object): Promise<Response> =>
  send(`${server}replays/ingest/${what}`, JSON.stringify(body), 0);

import type { Deps } from "../deps";

/** Larger answers are handed over in pieces of this size. */
const answerPieceBytes = 64 * 1024;

/** The facts about an answer that are needed to hold it until its client has taken it. */
interface Held {
  readonly deps: Pick<Deps, "server" | "unsent">;
  readonly request: Request;
  /** The account, or the network of a client that is not logged in. */
  readonly holder: string;
}

/** A connection that is to be closed may stand still for this long. */
const hangUpSeconds = 1;
/** Nothing more comes: the connection stands still until it is closed. */
const cutOff = new Promise<void>(() => undefined);

/**
 * The body of an answer. Given to Bun as a whole, a large one would stay in memory until its client has read it, which
 * can be for ever; so it is handed over piece by piece, as the client takes them, and what is left is counted.
 */
export function answerBody(
  content: string | Uint8Array<ArrayBuffer>,
  held: () => Held,
): string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  // No character takes less than a byte.
  if (content.length <= answerPieceBytes) return content;
  return heldBody(typeof content === "string" ? Buffer.from(content) : content, held());
}

function heldBody(whole: Uint8Array, { deps, request, holder }: Held): ReadableStream<Uint8Array> {
  let rest: Uint8Array | null = whole;
  const unsent = deps.unsent.open(holder, () => {
    rest = null;
    deps.server.setIdle(request, hangUpSeconds);
  });
  unsent.set(whole.byteLength);
  const end = (): void => {
    rest = null;
    unsent.close();
  };
  // It may have gone while its answer was compressed.
  if (request.signal.aborted) end();
  else request.signal.addEventListener("abort", end);
  return new ReadableStream(
    {
      pull: (controller) => {
        // A regular end would tell the client that the answer is complete.
        if (rest === null) return cutOff;
        controller.enqueue(rest.subarray(0, answerPieceBytes));
        rest = rest.subarray(answerPieceBytes);
        unsent.set(rest.byteLength);
        if (rest.byteLength > 0) return undefined;
        end();
        controller.close();
        return undefined;
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

/** A file in memory, which all answers share: nothing of it is held for one that is slow. */
export function fileBody(file: Uint8Array): Uint8Array | ReadableStream<Uint8Array> {
  if (file.byteLength <= answerPieceBytes) return file;
  let at = 0;
  return new ReadableStream(
    {
      pull: (controller) => {
        controller.enqueue(file.slice(at, at + answerPieceBytes));
        at += answerPieceBytes;
        if (at >= file.byteLength) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

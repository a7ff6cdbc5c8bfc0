/** The server refused a request. The message has its code and its own words. */
export class RefusedByServer extends Error {
  constructor(
    readonly code: string,
    readonly answer: Readonly<Record<string, unknown>>,
  ) {
    super(`${code}: ${String(answer.message ?? "The server gave no reason.")}`);
  }
}

/** The server cannot be reached, or the connection was lost. */
export class ServerLost extends Error {}

/** A file, or what the server sent, is not what it must be. */
export class CommandFailed extends Error {}

import { serverAddress } from "../lib/server-path";

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** A body that is no JSON. */
  readonly bytes?: Blob;
  /** A question to POST /query that goes along with those that are asked in the same moment. */
  readonly isJoined?: boolean;
  /** The others are asked once this one is answered. */
  readonly isFirst?: boolean;
  /** The page sends it after the answers to the others. */
  readonly isLast?: boolean;
}

export const addressOf = ({ path, query }: ApiRequest): string => {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) params.set(name, String(value));
  const text = params.toString();
  return path + (text && `?${text}`);
};

export const keyOf = (request: ApiRequest): string =>
  `${request.method} ${addressOf(request)} ${request.body === undefined ? "" : JSON.stringify(request.body)}`;

/** The request as an agent or a script would make it. */
export function curlOf(request: ApiRequest): string {
  const lines = [`curl -s "${serverAddress()}${addressOf(request)}"`, `-H "X-API-Key: $KEY"`];
  if (!["GET", "POST"].includes(request.method)) lines.push(`-X ${request.method}`);
  if (request.body !== undefined) {
    lines.push(`-d '${readable(request.body).replaceAll("'", "'\\''")}'`);
  }
  return lines.join(" \\\n  ");
}

/** JSON with indentation, in which a value of texts and numbers alone stays in one line. */
export const readable = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(/[[{][^[\]{}]*[\]}]/g, (text, at: number) =>
    at === 0 ? text : text.replace(/\s*\n\s*/g, " "),
  );

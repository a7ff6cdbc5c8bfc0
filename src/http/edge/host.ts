import { ApiError } from "../../domain/errors";

/**
 * A host and a port, without the characters that only lists of several have, and without `%`, behind which any other
 * character can stand.
 */
const hostForm = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+;=-]*)(?::(\d{0,5}))?$/i;
const portMax = 65_535;

/**
 * Tells whether a request names at most one host, and in the form of one (RFC 9112, 3.2). Several Host headers arrive
 * joined by a comma: a proxy and this server could each believe another one of them.
 */
export function namesOneHost(headers: Headers): boolean {
  const host = headers.get("host");
  if (host === null) return true;
  const [isHost, port = ""] = hostForm.exec(host) ?? [];
  return isHost !== undefined && Number(port) <= portMax;
}

export const wrongHost = (): ApiError =>
  new ApiError(
    "MISSING_FIELDS",
    "Send exactly one Host header, with a host name or an IP address, and a port if needed.",
    { field: "Host" },
  );

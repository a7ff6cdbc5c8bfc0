/**
 * The clients that proxies name, the nearest one last. `X-Forwarded-For` is believed where it was sent, otherwise
 * `Forwarded` (RFC 7239): a proxy that sends the one may pass the other on as a client wrote it.
 */
export function forwardedFor(headers: Headers): readonly string[] {
  const listed = headers.get("x-forwarded-for");
  if (listed !== null) return listed.split(",").map(addressIn).filter(Boolean);
  return elementsOf(headers.get("forwarded") ?? "").map(clientOf);
}

/** An address as it is compared and looked up: proxies write it with a port, in brackets, or in quotes. */
function addressIn(entry: string): string {
  const text = entry.trim();
  const inBrackets = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1];
  return inBrackets ?? text.replace(/^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/, "$1");
}

/** The value of `for` in one element, such as `for="[2001:db8::1]:4711";proto=https`; empty where there is none. */
function clientOf(element: string): string {
  const quotedOrBare = /(?:^|;)\s*for\s*=\s*(?:"([^"]*)"|([^;"\s]*))\s*(?:;|$)/i.exec(element);
  return addressIn(quotedOrBare?.[1] ?? quotedOrBare?.[2] ?? "");
}

/** The parts between commas, those within quotes left out. A quote that is never closed takes all that follows. */
function elementsOf(list: string): readonly string[] {
  const elements: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < list.length; at++) {
    const sign = list[at];
    if (sign === '"') isQuoted = !isQuoted;
    else if (sign === "\\" && isQuoted) at += 1;
    else if (sign === "," && !isQuoted) {
      elements.push(list.slice(start, at));
      start = at + 1;
    }
  }
  elements.push(list.slice(start));
  return elements.filter((element) => element.trim() !== "");
}

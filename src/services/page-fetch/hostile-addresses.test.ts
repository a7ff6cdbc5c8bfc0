import { expect, test } from "bun:test";
import { ApiError } from "../../domain/errors";
import { scanUrlOf } from "../../domain/scan-url";
import { fetchPage, pageBytesMax, requestMsMax } from "./page-fetch";

/** Refused by their looks: nothing is looked up. */
const byLooks: readonly string[] = [
  "http://127.0.0.1/",
  "http://127.1/",
  "http://2130706433/",
  "http://0x7f000001/",
  "http://0x7f.0x0.0x0.0x1/",
  "http://0177.0.0.1/",
  "http://017700000001/",
  "http://0/",
  "http://0.0.0.0/",
  "http://169.254.169.254/latest/meta-data/",
  "http://3232235777/",
  "http://8.8.8.8/",
  "http://１２７.０.０.１/",
  "http://[::1]/",
  "http://[::]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:7f00:1]/",
  "http://[fd00:ec2::254]/",
  "http://localhost/",
  "http://localhost./",
  "localhost:80",
  "http://router/",
  "http://example.com:22/",
  "https://example.com:8443/",
  "http://user:secret@example.com/",
  "http://example.com@127.0.0.1/",
  "ftp://example.com/",
  "file:///etc/passwd",
  "gopher://example.com/",
  "javascript:alert(1)",
  "data:text/html,hello",
  "http://exa mple.com/",
  "http://example.com\\@127.0.0.1/",
  "https://",
];

/** A harmless name may have one of these addresses, each of which is refused when it is looked up. */
const byAddress: readonly string[] = [
  "127.0.0.1",
  "0.0.0.0",
  "10.1.2.3",
  "172.31.255.255",
  "192.168.0.1",
  "169.254.169.254",
  "168.63.129.16",
  "100.100.100.200",
  "192.0.0.192",
  "192.0.2.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "::1",
  "::",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "::127.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b:1::a00:1",
  "2002:7f00:1::",
  "2001:0:53aa:64c:0:0:80ff:fffe",
  "2001:db8::1",
  "fd00:ec2::254",
  "fe80::1",
  "fec0::1",
  "ff02::1",
  "100::1",
];

test("46 hostile addresses, and some more, are all that follows", () => {
  expect(byLooks.length + byAddress.length).toBeGreaterThanOrEqual(46);
});

const codeOf = (work: () => unknown): string => {
  try {
    work();
    return "accepted";
  } catch (error) {
    return error instanceof ApiError ? error.code : String(error);
  }
};

test.each(byLooks)("%s is refused by its looks", (text) => {
  expect(codeOf(() => scanUrlOf(text))).toBe("INVALID_URL");
});

/** A network in which a name has these addresses. Nothing may ever be asked of one of them. */
const leadingTo = (...addresses: readonly string[]) => ({
  resolve: async () => addresses,
  request: async (): Promise<Response> => {
    throw new Error("connected");
  },
});
const rules = { allowHosts: [], requestMsMax, bytesMax: pageBytesMax };
const wanted = { types: ["text/html"], signal: new AbortController().signal };
const outcome = (
  network: ReturnType<typeof leadingTo>,
  allowHosts: readonly string[] = [],
): Promise<string> =>
  fetchPage(network, new URL("http://site.example.com/"), { ...rules, allowHosts }, wanted).then(
    () => "accepted",
    (error) => (error instanceof ApiError ? error.code : String(error)),
  );

test.each(byAddress)(
  "a name that leads to %s is refused before anything connects",
  async (address) => {
    expect(await outcome(leadingTo(address))).toBe("UNSAFE_URL");
    // One of several is enough, wherever it stands.
    expect(await outcome(leadingTo("93.184.216.34", address))).toBe("UNSAFE_URL");
    expect(await outcome(leadingTo(address, "2606:2800:220:1:248:1893:25c8:1946"))).toBe(
      "UNSAFE_URL",
    );
  },
);

test.each(["93.184.216.34", "1.1.1.1", "172.32.0.1", "2606:2800:220:1:248:1893:25c8:1946"])(
  "a name that leads to %s is connected to",
  async (address) => {
    // The network above has nothing there, so that the attempt itself fails.
    expect(await outcome(leadingTo(address))).toBe("SCAN_FAILED");
  },
);

test("a host that the operator allows may lead to a private address, and no other host may", async () => {
  expect(await outcome(leadingTo("10.0.0.5"), ["site.example.com"])).toBe("SCAN_FAILED");
  expect(await outcome(leadingTo("10.0.0.5"), ["www.site.example.com"])).toBe("UNSAFE_URL");
  expect(await outcome(leadingTo("10.0.0.5"), ["example.com"])).toBe("UNSAFE_URL");
});

test("an address in its normal form has neither query nor fragment, and https when it says nothing", () => {
  const normal = (text: string): string => scanUrlOf(text).href;
  expect(normal("Example.COM")).toBe("https://example.com/");
  expect(normal("example.com:443")).toBe("https://example.com/");
  expect(normal("HTTP://Shop.Example.com./A/b?x=1#y")).toBe("http://shop.example.com/A/b");
  expect(normal(" https://bücher.example/ ")).toBe("https://xn--bcher-kva.example/");
  expect(codeOf(() => scanUrlOf(`https://example.com/${"a".repeat(1_980)}`))).toBe("accepted");
  expect(codeOf(() => scanUrlOf(`https://example.com/${"a".repeat(1_981)}`))).toBe("INVALID_URL");
});

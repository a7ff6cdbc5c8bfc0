import { expect, test } from "bun:test";
import { browserLabel } from "./browser-label";

const label = (agent: string | null) => browserLabel(agent, 64);

test("a browser is called as its person calls it", () => {
  const windows =
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)";
  const mac =
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)";
  const linux = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  expect(label(linux)).toBe("Firefox on Linux");
  expect(label(`${windows} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`)).toBe("Edge on Windows");
  expect(label(`${mac} Version/18.5 Safari/605.1.15`)).toBe("Safari on macOS");
});

test("what names one part is called by that, and what names none by nothing", () => {
  expect(label("Mozilla/5.0 (X11; Linux x86_64)")).toBe("Linux");
  for (const agent of ["", "my-app/1.0", "\0", "<script>", null]) expect(label(agent)).toBeNull();
});

test("a label is short, whatever calls itself a browser", () => {
  const hostile = `Mozilla/5.0 (Linux; ${"x".repeat(5_000)}) ${"y".repeat(5_000)}browser/1.0 Chrome/1`;
  expect((browserLabel(hostile, 10) ?? "").length).toBeLessThanOrEqual(10);
});

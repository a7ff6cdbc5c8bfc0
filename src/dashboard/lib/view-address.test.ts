import { expect, test } from "bun:test";
import { viewAddress } from "./view-address";

test.each([
  ["/app/p/shop/pages?period=7d", "/app/p/shop/pages?period=7d"],
  ["/app/p/blog?compare=week", "/app/p/blog?compare=week"],
  ["/app/p/old-shop/pages?period=7d", "/app/p/shop/pages?period=7d"],
  ["/app/p/old-shop?compare=week", "/app/p/shop?compare=week"],
  ["/elsewhere", "/elsewhere"],
])("%s is opened at %s", (saved, opened) => {
  expect(viewAddress(saved, ["shop", "blog"], "shop")).toBe(opened);
});

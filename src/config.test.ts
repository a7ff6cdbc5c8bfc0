import { expect, test } from "bun:test";
import { ConfigError, readConfig } from "./config";

test("COUNTRY_HEADER is the name of a header, in any case, or nothing", () => {
  expect(readConfig({ COUNTRY_HEADER: "CF-IPCountry" }).countryHeader).toBe("cf-ipcountry");
  expect(readConfig({}).countryHeader).toBeNull();
  for (const name of ["bad_header:", "two words", "ländercode"]) {
    expect(() => readConfig({ COUNTRY_HEADER: name })).toThrow(ConfigError);
  }
});

test("STRIPE_API_BASE is an origin, and looked at once payments are configured", () => {
  const payments = {
    STRIPE_SECRET_KEY: "sk_1",
    STRIPE_PRICE_ID: "price_1",
    STRIPE_WEBHOOK_SECRET: "whsec_1",
  };
  const baseOf = (STRIPE_API_BASE: string) =>
    readConfig({ ...payments, STRIPE_API_BASE }).billing?.apiBase;
  expect(baseOf("http://127.0.0.1:12111/")).toBe("http://127.0.0.1:12111");
  expect(readConfig(payments).billing?.apiBase).toBeNull();
  for (const wrong of ["api.stripe.com", "https://api.stripe.com/v1", "ftp://x"]) {
    expect(() => baseOf(wrong)).toThrow(ConfigError);
  }
  for (const name of Object.keys(payments)) {
    expect(readConfig({ ...payments, [name]: "" })).toMatchObject({
      billing: null,
      defaultTier: "pro",
    });
  }
  expect(readConfig(payments).defaultTier).toBe("free");
  expect(readConfig({ ...payments, DEFAULT_TIER: "pro" }).defaultTier).toBe("pro");
});

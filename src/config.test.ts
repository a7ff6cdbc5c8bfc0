import { expect, test } from "bun:test";
import { ConfigError, readConfig } from "./config";

test("COUNTRY_HEADER is the name of a header, in any case, or nothing", () => {
  expect(readConfig({ COUNTRY_HEADER: "CF-IPCountry" }).countryHeader).toBe("cf-ipcountry");
  expect(readConfig({}).countryHeader).toBeNull();
  for (const name of ["bad_header:", "two words", "ländercode"]) {
    expect(() => readConfig({ COUNTRY_HEADER: name })).toThrow(ConfigError);
  }
});

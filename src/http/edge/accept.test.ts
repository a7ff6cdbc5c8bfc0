import { expect, test } from "bun:test";
import { likesBetterThanJson } from "./accept";

const likesCsv = (accept?: string) =>
  likesBetterThanJson("text/csv", new Headers(accept === undefined ? {} : { accept }));

test.each([
  "text/csv",
  "Text/CSV; charset=utf-8",
  "text/csv, */*",
  "text/csv, */*;q=0.1",
  "application/json;q=0.5, text/csv;q=0.9",
  "text/csv;q=0.1, application/json;q=0",
  "text/*",
  "application/*;q=0.2, text/csv;q=0.3",
])("%s asks for CSV", (accept) => {
  expect(likesCsv(accept)).toBe(true);
});

test.each([
  undefined,
  "",
  "*/*",
  "application/json",
  "application/json, text/csv",
  "text/csv, application/json",
  "text/csv;q=0",
  "text/csv;q=0.5, */*",
  "text/csv;q=x",
  "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  "application/json, text/plain, */*",
  "image/png",
])("%p asks for JSON, or for nothing that there is", (accept) => {
  expect(likesCsv(accept)).toBe(false);
});

import { readJson } from "../../foreign/json";
import { isRefusal, type Refusal, refusal } from "../../refusal";
import type { ForeignRequest } from "../dialect";
import { readParameters } from "./parameters";
import { unpackBytes } from "./unpack";

/** Reads the JSON of a request: its body, or the field `data` of a form or query, as JSON or Base64 of it. */
export function readData({ body, query }: ForeignRequest): { readonly value: unknown } | Refusal {
  const inQuery = query.get("data");
  if (inQuery !== undefined) return readField(inQuery);
  if (!body.startsWith("data=")) return readJson(body);
  const form = readParameters(body);
  if (isRefusal(form)) return form;
  return readField(form.get("data") ?? "");
}

function readField(data: string): { readonly value: unknown } | Refusal {
  const isJson = data.startsWith("{") || data.startsWith("[");
  if (isJson) return readJson(data);
  // A form reads a `+` as a space.
  const base64 = data.replaceAll(" ", "+");
  if (!base64Form.test(base64)) return notBase64;
  const text = unpackBytes(Buffer.from(base64, "base64"));
  return typeof text === "string" ? readJson(text) : text;
}

const base64Form = /^[A-Za-z0-9+/_-]+={0,2}$/;
const notBase64 = refusal("INVALID_BODY", "`data` must be JSON, or Base64 of it.");

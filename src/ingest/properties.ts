/*
 * Email texts are removed with all below.
 * Decision: every string below a key that contains `email`, after NFKC and without format characters, is removed from
 * properties, also inside lists and objects there; numbers, booleans, null stay.
 * Because: the rule exists so that no address reaches event rows.
 * Cost: {"email":{"subject":"x"}} loses the subject.
 */

import { propertiesBytesMax, propertiesDepthMax } from "../domain/limits";
import type { ObjectText } from "../lib/object-text";

/** A JSON object as it was parsed: our own copy, which cleaning may change. */
export type JsonObject = Record<string, unknown>;

type PropertiesFault = "too large" | "too deep" | "not finite";

/** The most bytes that a number, or a character of a string, takes in JSON text. */
const numberBytesMax = "-1.7976931348623157e+308".length;
const characterBytesMax = "\\u0000".length;

export interface Verdict {
  readonly fault: PropertiesFault | null;
  /** Tells whether `removeEmails` may find something. */
  readonly hasEmailKey: boolean;
}

/** Judges `properties` or `traits` as received: bytes of their JSON text, depth, numbers beyond a double. */
export function judgeProperties(properties: JsonObject): Verdict {
  const survey = new Survey();
  survey.visitObject(properties, 1);
  return { fault: survey.faultOf(properties), hasEmailKey: survey.hasEmailKey };
}

/**
 * One walk over everything. It ends where the verdict is certain, so that what is sent decides neither our time nor
 * our stack. The length of the JSON text is kept between two bounds; it is measured only if the limit is too.
 */
class Survey {
  #bytesLeast = 0;
  #bytesMost = 0;
  #isTooDeep = false;
  #isFinite = true;
  hasEmailKey = false;

  faultOf(properties: JsonObject): PropertiesFault | null {
    if (this.#bytesLeast > propertiesBytesMax) return "too large";
    if (this.#isTooDeep) return "too deep";
    if (this.#bytesMost > propertiesBytesMax && jsonBytes(properties) > propertiesBytesMax) {
      return "too large";
    }
    return this.#isFinite ? null : "not finite";
  }

  visitObject(object: JsonObject, depth: number): void {
    this.#add(2, 2);
    if (depth > propertiesDepthMax) this.#isTooDeep = true;
    for (const key in object) {
      if (this.#isDecided()) return;
      // Two quotes, colon and, but for the first, a comma.
      this.#add(key.length + 3, key.length * characterBytesMax + 4);
      if (!this.hasEmailKey && isEmailKey(key)) this.hasEmailKey = true;
      this.#visit(object[key], depth);
    }
  }

  #visitArray(array: readonly unknown[], depth: number): void {
    this.#add(1 + array.length, 2 + array.length);
    if (depth > propertiesDepthMax) this.#isTooDeep = true;
    for (const value of array) {
      if (this.#isDecided()) return;
      this.#visit(value, depth);
    }
  }

  #visit(value: unknown, depth: number): void {
    if (typeof value === "string") {
      this.#add(value.length + 2, value.length * characterBytesMax + 2);
    } else if (typeof value === "number") {
      this.#add(1, numberBytesMax);
      if (!Number.isFinite(value)) this.#isFinite = false;
    } else if (Array.isArray(value)) {
      this.#visitArray(value, depth + 1);
    } else if (isObject(value)) {
      this.visitObject(value, depth + 1);
    } else {
      // The value is true, false or null.
      this.#add(4, 5);
    }
  }

  #add(least: number, most: number): void {
    this.#bytesLeast += least;
    this.#bytesMost += most;
  }

  #isDecided(): boolean {
    return this.#isTooDeep || this.#bytesLeast > propertiesBytesMax;
  }
}

/** UTF-8 bytes of the JSON text; JSON.stringify writes a lone surrogate as an escape of six. */
const jsonBytes = (value: JsonObject): number => Buffer.byteLength(JSON.stringify(value));

/** Stand in for properties that are certainly at fault and were not parsed. */
export const largeProperties: JsonObject = { text: "x".repeat(propertiesBytesMax) };
export const deepProperties: JsonObject = nested(propertiesDepthMax + 1);
function nested(levels: number): JsonObject {
  return levels === 0 ? {} : { within: nested(levels - 1) };
}

/**
 * Removes every string under a key that contains `email`, also from lists and objects there, so that no address,
 * raw or hashed, is stored with an event. Numbers, booleans and null stay.
 */
export function removeEmails(properties: JsonObject): void {
  removeFromObject(properties, false);
}

function removeFromObject(object: JsonObject, isUnderEmail: boolean): void {
  for (const key of Object.keys(object)) {
    const value = object[key];
    const isEmail = isUnderEmail || isEmailKey(key);
    if (isEmail && typeof value === "string") delete object[key];
    else removeWithin(value, isEmail);
  }
}

function removeWithin(value: unknown, isUnderEmail: boolean): void {
  if (Array.isArray(value)) {
    if (isUnderEmail) keepOnly(value, (item) => typeof item !== "string");
    for (const item of value) removeWithin(item, isUnderEmail);
  } else if (isObject(value)) {
    removeFromObject(value, isUnderEmail);
  }
}

function keepOnly(array: unknown[], keeps: (item: unknown) => boolean): void {
  const kept = array.filter(keeps);
  array.splice(0, array.length, ...kept);
}

/** The rule for traits: every key that contains `email` goes, with all that is under it. */
export function removeEmailKeys(value: unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) removeEmailKeys(item);
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      if (isEmailKey(key)) delete value[key];
      else removeEmailKeys(value[key]);
    }
  }
}

/** The word in any case, in any of the shapes that Unicode has for its letters, and with invisible characters in it. */
const isEmailKey = (key: string): boolean =>
  saysEmail(key) || (beyondAscii.test(key) && saysEmail(folded(key)));
const saysEmail = (text: string): boolean => /email/i.test(text);
const beyondAscii = /[^\0-\x7f]/;
const folded = (text: string): string => text.normalize("NFKC").replace(/\p{Cf}/gu, "");

/** Tells whether properties may have such a key, which is impossible where their text has the word nowhere. */
export const mayHaveEmailKey = ({ hasAsciiKeys, text }: ObjectText): boolean =>
  hasAsciiKeys ? saysEmail(text) : isEmailKey(text);

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

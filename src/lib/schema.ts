import Type, { type Static, type TSchema } from "typebox";
import { Compile } from "typebox/compile";

export interface Issue {
  /** Goes on after the name of the field: "is required". */
  readonly message: string;
  readonly path: readonly string[];
  /** The values of a field that allows a few. */
  readonly allowed?: readonly string[];
}
type Verdict<T> = { readonly value: T } | { readonly issues: readonly Issue[] };

/** The interface that Elysia accepts as a validator, whatever library made it (Standard Schema, version 1). */
export interface StandardSchema<T> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "typebox";
    readonly validate: (value: unknown) => Verdict<T>;
    readonly types?: { readonly input: T; readonly output: T };
  };
}

const issuesShownMax = 8;

/**
 * Makes a TypeBox schema usable as a validator. It is compiled when first used. No coercion and no stripping: a value
 * is accepted as it is, or refused.
 */
export function schema<const S extends TSchema>(definition: S): S & StandardSchema<Static<S>> {
  let compiled: ReturnType<typeof Compile<S>> | undefined;
  const validate = (value: unknown): Verdict<Static<S>> => {
    compiled ??= Compile(definition);
    if (compiled.Check(value)) return { value: value as Static<S> };
    const issues = compiled.Errors(value).slice(0, issuesShownMax);
    return {
      issues: issues.map((e) => ({
        ...saying(e),
        path: [
          ...e.instancePath
            .split("/")
            .slice(1)
            .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~")),
          // An absent property is named, not the object that lacks it.
          ...(e.keyword === "required" ? e.params.requiredProperties.slice(0, 1) : []),
        ],
      })),
    };
  };
  Object.defineProperty(definition, "~standard", {
    enumerable: false,
    value: { version: 1, vendor: "typebox", validate },
  });
  return definition as S & StandardSchema<Static<S>>;
}

type Fault = ReturnType<ReturnType<typeof Compile>["Errors"]>[number];

/** Says what is wrong, in words that follow the name of the field. */
function saying(fault: Fault): Omit<Issue, "path"> {
  switch (fault.keyword) {
    case "required":
      return { message: "is required" };
    case "enum": {
      const allowed = fault.params.allowedValues.map(String);
      return { message: `must be one of ${allowed.join(", ")}`, allowed };
    }
    case "type":
      return { message: `must be of type ${[fault.params.type].flat().join(" or ")}` };
    case "minLength":
      return {
        message: fault.params.limit === 1 ? "must not be empty" : atLeast(fault, "character"),
      };
    case "maxLength":
      return { message: `must have at most ${counted(fault.params.limit, "character")}` };
    case "minItems":
      return { message: atLeast(fault, "item") };
    case "maxItems":
      return { message: `must have at most ${counted(fault.params.limit, "item")}` };
    case "minimum":
      return { message: `must be at least ${fault.params.limit}` };
    case "maximum":
      return { message: `must be at most ${fault.params.limit}` };
    case "pattern":
      return { message: `must match ${fault.params.pattern}` };
    case "const":
      return { message: `must be ${JSON.stringify(fault.params.allowedValue)}` };
    default:
      return { message: fault.message };
  }
}

const atLeast = (
  { params }: { readonly params: { readonly limit: number | bigint } },
  what: string,
) => `must have at least ${counted(params.limit, what)}`;
const counted = (count: number | bigint, what: string): string =>
  `${count} ${what}${Number(count) === 1 ? "" : "s"}`;

export const orNull = <S extends TSchema>(of: S) => Type.Union([of, Type.Null()]);

/** Marks an optional field whose null has a meaning of its own; elsewhere null is the same as absent. */
export const nullClearsKeyword = "x-null-clears";
export const nullClears = { [nullClearsKeyword]: true } as const;

/** Marks a page-size number, which is clamped where other numbers are refused. */
export const clampedKeyword = "x-clamped";

/** A page-size number such as `limit`: clamped to its range, in a query string absent unless it is an integer. */
export const pageSize = (
  size: { readonly min: number; readonly max: number; readonly default: number },
  description: string,
) =>
  Type.Integer({
    minimum: size.min,
    maximum: size.max,
    default: size.default,
    description,
    [clampedKeyword]: true,
  });

/** Says who wrote a text of an answer, and so whether it can be taken at its word. */
export const trustKeyword = "x-trust";
/** Marks a text that holders of a project's public token have written. */
export const ofVisitors = { [trustKeyword]: "visitor" } as const;
/** Written with a credential of the account, a caller's own words that are sent back among them. */
export const ofOwner = { [trustKeyword]: "owner" } as const;

/** Written by this server: it may be used as it is. What has an enum, a constant or a pattern needs no mark. */
export const ofServer = { [trustKeyword]: "server" } as const;

/** Marks a text whose white space at both ends does not count, neither for its length nor for what is kept. */
export const trimmedKeyword = "x-trimmed";

export const trimmed = (options: Type.TStringOptions) =>
  Type.String({ ...options, [trimmedKeyword]: true });

import type { AccessRule, OperationName } from "../../../src/http/operation/facts";
import type { Operation } from "../../../src/http/operation/operation";
import { testApp } from "./app";

/** The facts that operations say about themselves, by name, for suites that walk over all of them. */
const app = await testApp();
export const { operations } = app;
await app.close();

const namesOf = (has: (operation: Operation) => boolean): ReadonlySet<string> =>
  new Set(operations.filter(has).map(({ name }) => name));

export const endpointIndex = Object.fromEntries(
  operations.map(({ name, rule }) => [name, rule]),
) as Readonly<Record<OperationName, AccessRule>>;
export const htmlOperations = namesOf(({ isPage }) => isPage);
export const lenientOperations = namesOf(({ isLenient }) => isLenient);
export const sharedOperations = namesOf(({ shares }) => shares !== null);
export const streams = namesOf(({ isStream }) => isStream);
const inQuery = namesOf(({ takesQuery }) => takesQuery);
export const takesQuery = (name: string): boolean => inQuery.has(name);

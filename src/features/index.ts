import type { AnyElysia } from "elysia";
import type { Deps } from "../http/deps";
import { serviceRoutes } from "./service/routes";

/** What the product can do, in the order of the contract's index. */
export const features: readonly ((deps: Deps) => AnyElysia)[] = [serviceRoutes];

import { Elysia } from "elysia";
import { receivedSampleDefault } from "../../domain/limits";
import { type Days, daysOf } from "../../domain/period";
import type { Deps } from "../../http/deps";
import { projectOperation } from "../../http/operation";
import { clock } from "../../lib/clock";
import type { ReadRequest } from "../../store/port";
import { propertiesRead, receivedRead } from "./read";
import {
  type Properties,
  PropertiesQuery,
  PropertiesReceivedQuery,
  PropertiesReceivedResponse,
  PropertiesResponse,
} from "./schema";

export const propertiesRoutes = (deps: Deps) =>
  new Elysia({ name: "properties" })
    .use(
      projectOperation(deps, "GET /properties", {
        doc: {
          id: "listProperties",
          summary: "Names of events and keys of properties",
          description:
            "What a project can be asked about: every event name with its counts, and the keys that came with the " +
            "newest events. Call it before POST /query, GET /breakdown or POST /funnel.",
          tag: "Reads",
        },
        takes: PropertiesQuery,
        returns: { 200: PropertiesResponse },
        handle: ({ project, input, read }) =>
          read(propertiesRead, { projectId: project.id, days: window(input) }),
      }),
    )
    .use(
      projectOperation(deps, "GET /properties/received", {
        doc: {
          id: "listReceivedProperties",
          summary: "Which property keys came with which event",
          description:
            "Distinct pairs of key and event among the newest events. Use it to check what a tracker really sends.",
          tag: "Reads",
        },
        takes: PropertiesReceivedQuery,
        returns: { 200: PropertiesReceivedResponse },
        handle: ({ project, input, read }) => {
          const { sample = receivedSampleDefault } = input;
          return read(receivedRead, { projectId: project.id, days: window(input), sample });
        },
      }),
    );

/**
 * What the events of a project can be asked for, as GET /properties lists it. For routes of other features, whose
 * caller named a field that does not exist; no read of its own is counted.
 */
export const availableProperties =
  ({ store }: Deps) =>
  async (request: ReadRequest, projectId: string, days: Days): Promise<Properties> => {
    const { json } = await store.read(propertiesRead, { projectId, days }, request);
    return JSON.parse(json);
  };

const window = ({ since, until }: { since?: string; until?: string }): Days =>
  daysOf({ since, until, nowMs: clock.nowMs() });

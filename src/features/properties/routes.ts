import { filterErrors } from "../../domain/filter";
import { filterItemsOfText } from "../../domain/filter-items";
import { type Days, daysOf } from "../../domain/period";
import { zoneOfRead } from "../../domain/time-zone-name";
import type { Feature } from "../../http/feature";
import { projectOperation } from "../../http/operation/account-operation";
import { free } from "../../http/operation/facts";
import { clock } from "../../lib/clock";
import { propertiesRead } from "../../reads/properties";
import type { Project } from "../../store/control/project-selector";
import { propertiesExample, receivedExample } from "./examples";
import { receivedRead } from "./read";
import {
  PropertiesQuery,
  PropertiesReceivedQuery,
  PropertiesReceivedResponse,
  PropertiesResponse,
  receivedPairsDefault,
  receivedSampleDefault,
} from "./schema";

export const propertiesFeature = (): Feature => ({
  operations: [
    projectOperation("GET /properties", {
      access: free("analytics:read", "RD"),
      shares: {},
      doc: {
        id: "listProperties",
        summary: "Names of events and keys of properties",
        description:
          "What a project can be asked about: every event name with its counts, and the keys that came with the " +
          "newest events. Call it before POST /query, GET /breakdown or POST /funnel.",
        tag: "Reads",
        example: propertiesExample,
        errors: filterErrors,
      },
      takes: PropertiesQuery,
      returns: { 200: PropertiesResponse },
      handle: async ({ project, input, read, withAvailable }) => {
        const days = window(input, project);
        const filters = await withAvailable(() => filterItemsOfText(input.filters), days);
        return read(propertiesRead, { projectId: project.id, days, filters }, days);
      },
    }),
    projectOperation("GET /properties/received", {
      access: free("analytics:read", "RD"),
      shares: {},
      doc: {
        id: "listReceivedProperties",
        summary: "Which property keys came with which event",
        description:
          "Distinct pairs of key and event among the newest events. Use it to check what a tracker really sends.",
        tag: "Reads",
        example: receivedExample,
      },
      takes: PropertiesReceivedQuery,
      returns: { 200: PropertiesReceivedResponse },
      handle: ({ project, input, read }) => {
        const { sample = receivedSampleDefault, limit: pairsMax = receivedPairsDefault } = input;
        const days = window(input, project);
        return read(receivedRead, { projectId: project.id, days, sample, pairsMax }, days);
      },
    }),
  ],
});

interface Asked {
  readonly since?: string;
  readonly until?: string;
  readonly tz?: string;
}
const window = ({ since, until, tz }: Asked, project: Project): Days =>
  daysOf({ since, until, nowMs: clock.nowMs(), zone: zoneOfRead(tz, project) });

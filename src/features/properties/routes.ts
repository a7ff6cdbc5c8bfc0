import { ApiError } from "../../domain/errors";
import { filterErrors, UnknownFilterField } from "../../domain/filter";
import { filterItemsOfText } from "../../domain/filter-items";
import { type Days, daysOf } from "../../domain/period";
import { mostSimilar } from "../../domain/similar";
import { zoneOfRead } from "../../domain/time-zone-name";
import type { Deps } from "../../http/deps";
import type { Feature } from "../../http/feature";
import { projectOperation } from "../../http/operation/account-operation";
import { clock } from "../../lib/clock";
import type { Project } from "../../store/control/project-selector";
import type { ReadRequest } from "../../store/port";
import { propertiesExample, receivedExample } from "./examples";
import { propertiesRead, receivedRead } from "./read";
import {
  type Properties,
  PropertiesQuery,
  PropertiesReceivedQuery,
  PropertiesReceivedResponse,
  PropertiesResponse,
  receivedSampleDefault,
} from "./schema";

/** Of each kind, in an error that names what there is. */
const suggestedNamesMax = 50;

export const propertiesFeature = (): Feature => ({
  operations: [
    projectOperation("GET /properties", {
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
      handle: ({ project, input, read }) => {
        const days = window(input, project);
        const filters = filterItemsOfText(input.filters);
        return read(propertiesRead, { projectId: project.id, days, filters }, days);
      },
    }),
    projectOperation("GET /properties/received", {
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
        const { sample = receivedSampleDefault } = input;
        const days = window(input, project);
        return read(receivedRead, { projectId: project.id, days, sample }, days);
      },
    }),
  ],
});

/**
 * For routes of other features, whose callers may name a field that does not exist: the refusal is thrown again with
 * what the project has to offer: of what GET /properties lists, the names most like the one that was asked for. No read
 * of its own is counted.
 */
export const withAvailableProperties =
  ({ control, store }: Deps) =>
  async <T>(check: () => T, request: Asking, projectId: string, days: Days): Promise<T> => {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "INVALID_FILTER_FIELD") throw error;
      if (request.isNarrowed) throw withNames(error, { events: [], property_keys: [] });
      const { json } = await store.read(
        propertiesRead,
        { projectId, days },
        { ...request, told: control.dataVersions.ofProject(projectId) },
      );
      const asked = error instanceof UnknownFilterField ? error.asked : "";
      const available: Properties = JSON.parse(json);
      throw withNames(suggesting(asked, error, available), suggestions(available, asked));
    }
  };

interface Asking extends ReadRequest {
  /** Names of what filters hide must not show in a refusal either. */
  readonly isNarrowed: boolean;
}

/** A property that the project has is meant before a field of sessions of the same name. */
const suggesting = (
  asked: string,
  error: ApiError,
  { property_keys: keys }: Properties,
): ApiError =>
  keys.includes(asked)
    ? new ApiError(error.code, error.message, {
        ...error.extras,
        suggested_field: `properties.${asked}`,
      })
    : error;

const withNames = (error: ApiError, available: Properties): ApiError =>
  new ApiError(error.code, error.message, { ...error.extras, available_properties: available });

function suggestions({ events, property_keys: keys }: Properties, asked: string): Properties {
  const max = suggestedNamesMax;
  return {
    events: mostSimilar(asked, events, ({ event }) => event, max),
    property_keys: mostSimilar(asked, keys, (key) => key, max),
    ...((events.length > max || keys.length > max) && { truncated: true }),
  };
}

interface Asked {
  readonly since?: string;
  readonly until?: string;
  readonly tz?: string;
}
const window = ({ since, until, tz }: Asked, project: Project): Days =>
  daysOf({ since, until, nowMs: clock.nowMs(), zone: zoneOfRead(tz, project) });

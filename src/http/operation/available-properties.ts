import { ApiError } from "../../domain/errors";
import { UnknownFilterField } from "../../domain/filter";
import type { Days } from "../../domain/period";
import { mostSimilar } from "../../domain/similar";
import { type Properties, propertiesRead } from "../../reads/properties";
import type { ReadRequest } from "../../store/port";
import type { Deps } from "../deps";

/** The number of names of each kind in an error that names what there is. */
const suggestedNamesMax = 50;

/**
 * Throws again what refused a field of a filter, with what the project has to offer: of what GET /properties lists, the
 * names most like the one that was asked for. No read of its own is counted.
 */
export async function withAvailableProperties<T>(
  { control, store }: Deps,
  check: () => T,
  request: ReadRequest,
  projectId: string,
  days: Days,
): Promise<T> {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "INVALID_FILTER_FIELD") throw error;
    const { json } = await store.read(
      propertiesRead,
      { projectId, days },
      { ...request, facts: control.dataVersions.ofProject(projectId) },
    );
    const asked = error instanceof UnknownFilterField ? error.asked : "";
    const available: Properties = JSON.parse(json);
    throw withNames(suggesting(asked, error, available), suggestions(available, asked));
  }
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

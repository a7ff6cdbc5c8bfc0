import type { CountRequest } from "../../domain/counting";

/** The fields whose values a read looks for in the events. */
export type SoughtField = "event" | "properties.device";

/** The question of which values events have, for an engine that answers it by counting them. */
export const seenRequest = (field: SoughtField, values: readonly string[]) =>
  ({
    group_by: [field],
    metrics: ["event_count"],
    filters: [{ field, op: "in", value: values }],
    limit: values.length,
  }) as const satisfies CountRequest;

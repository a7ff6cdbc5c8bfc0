import { invalidField } from "../errors";

export const alertKinds = ["change", "silence", "surge", "goal"] as const;
export type AlertKind = (typeof alertKinds)[number];
export const alertMetrics = ["events", "sessions", "users"] as const;
export const alertDirections = ["any", "up", "down"] as const;
export const alertSensitivities = ["quiet", "normal", "sensitive"] as const;
export const alertPers = ["day", "ever"] as const;

export const alertNameCharsMax = 64;
export const alertsPerProjectMax = 50;

interface Filtered {
  /** The filters as they were sent, once they were checked. */
  readonly filters?: readonly unknown[];
}
export interface ChangeSpec extends Filtered {
  readonly kind: "change";
  readonly metric: (typeof alertMetrics)[number];
  readonly event?: string;
  readonly direction: (typeof alertDirections)[number];
  readonly sensitivity: (typeof alertSensitivities)[number];
  /** The hour of the project's zone at which yesterday is looked at. */
  readonly hour: number;
}
export interface SilenceSpec {
  readonly kind: "silence";
  readonly after_minutes: number;
  readonly fixed: boolean;
}
export interface SurgeSpec {
  readonly kind: "surge";
  readonly at_least: number;
  readonly factor: number;
}
export interface GoalSpec extends Filtered {
  readonly kind: "goal";
  readonly event: string;
  readonly count: number;
  readonly per: (typeof alertPers)[number];
}
/** Tells webhooks of each event, those of a minute together. */
export interface EachSpec extends Filtered {
  readonly kind: "goal";
  readonly event: string;
  readonly each: true;
}
export type AlertSpec = ChangeSpec | SilenceSpec | SurgeSpec | GoalSpec | EachSpec;

export const isEach = (spec: AlertSpec): spec is EachSpec => "each" in spec;

/** The fields of all kinds, as a request has them. */
export interface SpecFields extends Filtered {
  readonly metric?: ChangeSpec["metric"];
  readonly event?: string;
  readonly direction?: ChangeSpec["direction"];
  readonly sensitivity?: ChangeSpec["sensitivity"];
  readonly hour?: number;
  readonly after_minutes?: number;
  readonly fixed?: boolean;
  readonly at_least?: number;
  readonly factor?: number;
  readonly count?: number;
  readonly per?: GoalSpec["per"];
  readonly each?: boolean;
}

const fieldsOf: Readonly<Record<AlertKind, readonly (keyof SpecFields)[]>> = {
  change: ["metric", "event", "filters", "direction", "sensitivity", "hour"],
  silence: ["after_minutes", "fixed"],
  surge: ["at_least", "factor"],
  goal: ["event", "filters", "count", "per", "each"],
};

/** The rule of an alert, with its defaults. Throws MISSING_FIELDS. */
export function alertSpecOf(kind: AlertKind, fields: SpecFields): AlertSpec {
  const names = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  );
  const other = names.find((name) => !fieldsOf[kind].some((one) => one === name));
  if (other !== undefined) {
    const allowed = fieldsOf[kind].map((name) => `"${name}"`).join(", ");
    throw invalidField(other, `An alert of kind ${kind} has no "${other}". It takes ${allowed}.`);
  }
  const filters = fields.filters === undefined ? {} : { filters: fields.filters };
  switch (kind) {
    case "change": {
      const {
        metric = "events",
        direction = "any",
        sensitivity = "normal",
        hour = 6,
        event,
      } = fields;
      const named = event === undefined ? {} : { event };
      return { kind, metric, direction, sensitivity, hour, ...named, ...filters };
    }
    case "silence":
      return { kind, after_minutes: fields.after_minutes ?? 60, fixed: fields.fixed ?? false };
    case "surge":
      return { kind, at_least: fields.at_least ?? 30, factor: fields.factor ?? 3 };
    case "goal": {
      const { event, count = 1, per = "day", each = false } = fields;
      if (event === undefined) {
        throw invalidField("event", 'An alert of kind goal needs "event": the name of the event.');
      }
      if (!each) return { kind, event, count, per, ...filters };
      const beside = fields.count === undefined ? fields.per && "per" : "count";
      if (beside === undefined) return { kind, event, each, ...filters };
      const message = `A goal with "each" has no "${beside}". Make another alert to change between the two.`;
      throw invalidField(beside, message);
    }
  }
}

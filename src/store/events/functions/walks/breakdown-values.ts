import type { BreakdownField } from "../../../../domain/counting";
import { textOf } from "../../../../domain/filter";
import { allTime } from "../../../../domain/period";
import { isVisitorField } from "../../../../domain/visitor-field";
import { SessionFieldKey } from "../../aggregate/keys";
import { rowCodesOf } from "../../aggregate/vector";
import type { Segment } from "../../segment/segment";
import type { Context } from "../context";
import { toldBySessions } from "../sessions/told-by-sessions";
import type { Values } from "./funnel-sums";

/** Returns a function that gives the values of a funnel's breakdown field. */
export function breakdownValues(
  context: Context,
  project: number,
  field: BreakdownField,
  zone: string | undefined,
): (segment: Segment) => Values {
  if (!isVisitorField(field)) {
    return valuesOfColumn(
      field === "country" ? "event.country" : field.replace("properties.", "property."),
    );
  }
  const sessions = context.sessionsWithin(project, allTime);
  const told = sessions && toldBySessions(sessions, field, context.identity(project), zone);
  const key = new SessionFieldKey(told, sessions?.count ?? 0, context);
  return (segment) => {
    const [{ vector }] = key.pieces(segment);
    return {
      codes: rowCodesOf(segment, vector),
      size: vector.size,
      textAt: (code) => key.label(code),
    };
  };
}

const valuesOfColumn =
  (column: string) =>
  (segment: Segment): Values => {
    const codes = segment.codes(column);
    const texts = codes === null ? [] : segment.dictionary(column);
    return {
      codes,
      size: texts.length + 1,
      textAt: (code) => (code === 0 ? null : textOf(texts[code - 1])),
    };
  };

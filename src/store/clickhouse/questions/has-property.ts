import type { Condition } from "../../../domain/filter";
import type { PropertyField } from "../../../domain/property-field";
import type { View } from "../../questions";
import { Bound } from "../sql/bound";
import { Events } from "../sql/events";
import type { OpenRead } from "../sql/open-read";

export async function hasProperty(
  read: OpenRead,
  view: View,
  field: PropertyField,
): Promise<boolean> {
  const bound = new Bound();
  const isThere: Condition = { field, op: "not_null", value: "" };
  const events = new Events(read, bound, view).limitTo([isThere]);
  const found = await read.ask(`select 1 as found from ${events.sql()} limit 1`, bound);
  return found.length > 0;
}

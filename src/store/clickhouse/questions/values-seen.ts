import type { View } from "../../questions";
import { type SoughtField, seenRequest } from "../../shared/values-seen";
import type { OpenRead } from "../sql/open-read";
import { countBy } from "./count-by";

export async function valuesSeen(
  read: OpenRead,
  view: View,
  field: SoughtField,
  values: readonly string[],
): Promise<string[]> {
  const { rows } = await countBy(read, view, seenRequest(field, values));
  return rows.flatMap(({ [field]: value }) => (typeof value === "string" ? [value] : []));
}

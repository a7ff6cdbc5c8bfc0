import type { DataFacts, DataFactsRequest, Read } from "../port";
import type { Snapshot } from "../questions";

/** Returns the ids of the persons of a read's questions, for a receipt, with the masks of its answer. */
export async function personIds<Input>(
  read: Pick<Read<Input, unknown>, "idsOf">,
  snapshot: Snapshot,
  input: Input,
  { window }: DataFactsRequest,
  masked: (json: string) => string,
): Promise<Pick<DataFacts, "ids">> {
  if (window === undefined || read.idsOf === undefined) return {};
  return { ids: JSON.parse(masked(JSON.stringify(await read.idsOf(snapshot, input)))) };
}

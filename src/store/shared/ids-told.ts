import type { Read, Told, ToldRequest } from "../port";
import type { Snapshot } from "../questions";

/** Whom a read's questions are about, for a receipt: with the masks that its answer has. */
export async function idsTold<Input>(
  read: Pick<Read<Input, unknown>, "idsOf">,
  snapshot: Snapshot,
  input: Input,
  { window }: ToldRequest,
  masked: (json: string) => string,
): Promise<Pick<Told, "ids">> {
  if (window === undefined || read.idsOf === undefined) return {};
  return { ids: JSON.parse(masked(JSON.stringify(await read.idsOf(snapshot, input)))) };
}

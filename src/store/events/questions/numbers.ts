import type { Snapshot, View } from "../../questions";
import { type CountOfKind, numbers, textNumbers } from "../functions/text-numbers";
import type { OpenSnapshot } from "./open-snapshot";

type Count = (
  snapshot: OpenSnapshot,
  ...parameters: Parameters<Snapshot["numbers"]>
) => ReturnType<CountOfKind>;

const ofSegments =
  (count: CountOfKind): Count =>
  (snapshot, view: View, conditions, field) =>
    count(snapshot.context, snapshot.segmentsWithin(view), view, conditions, field);

export const numbersOf = ofSegments(numbers);
export const textNumbersOf = ofSegments(textNumbers);

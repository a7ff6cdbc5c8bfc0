import { openClickHouseStore } from "../../../src/store/clickhouse/store";
import type { StoredEvents } from "../../../src/store/port";
import { asksWhatUsersDid, openDriven } from "../../clickhouse/driven";
import { onFatal, placeAt } from "../../clickhouse/place";
import type { Question } from "../world/questions";
import type { Driven } from "./driven";
import { Engine, usualSizes } from "./engine";
import { clickHouseUrl } from "./engine-of-tests";
import { openTestStore, type TestStore } from "./event-store";

/** The engine that a history drives: our own, unless a ClickHouse is named. */
export const openEngine = async (sizes = usualSizes): Promise<Driven> =>
  clickHouseUrl === undefined ? new Engine(sizes) : openDriven(clickHouseUrl);

/** Tells whether the engine refuses a question: ClickHouse does so where a share's own filters ask what users did. */
export const isRefused: (question: Question) => boolean =
  clickHouseUrl === undefined ? () => false : asksWhatUsersDid;

/** Merges as much as an engine has to merge. */
export const everyMerge = Number.POSITIVE_INFINITY;

let stores = 0;
/** A store that tells what it stores; where our own engine is, without threads. */
export async function openTellingStore(
  onStored: (stored: StoredEvents) => void,
): Promise<Pick<TestStore, "store" | "close">> {
  if (clickHouseUrl === undefined) return openTestStore({ workers: [], onStored });
  const place = placeAt(clickHouseUrl, `telling_${process.pid}_${stores++}`);
  const store = await openClickHouseStore({ ...place, onStored, onFatal });
  return { store, close: () => store.close() };
}

/** ClickHouse, which takes a hundred times longer, is asked the same of fewer cases. */
export const onEach = <T>(own: T, onClickHouse: T): T =>
  clickHouseUrl === undefined ? own : onClickHouse;

/** A test that asks ClickHouse some hundred statements, on a busy machine. */
export const engineMsMax = clickHouseUrl === undefined ? 60_000 : 600_000;

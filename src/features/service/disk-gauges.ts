import type { Deps } from "../../http/deps";
import type { Gauge } from "../../http/edge/metrics";
import { minuteMs } from "../../lib/clock";
import { diskParts } from "../../store/used-bytes";

/** Figures of the disk of the data folder. The sizes of its parts are at most a minute old. */
export async function diskGauges({ disk }: Pick<Deps, "disk">): Promise<readonly Gauge[]> {
  const { freeBytes, daysToFull } = disk.figures;
  const used = await disk.usedBytes(minuteMs);
  return [
    {
      ...{ name: "sightline_disk_free_bytes", value: freeBytes },
      help: "Free bytes on the disk of the data folder.",
    },
    ...diskParts.map((part) => ({
      ...{ name: "sightline_disk_used_bytes", value: used[part], labels: { part } },
      help: "Bytes of the files in the data folder, by what they hold.",
    })),
    ...(daysToFull === null
      ? []
      : [
          {
            ...{ name: "sightline_disk_days_to_full", value: daysToFull },
            help: "Days until the reserve of the disk is reached.",
          },
        ]),
  ];
}

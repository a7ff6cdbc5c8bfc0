import type { DiskAnswer } from "../../data/account-answers";
import { useRead } from "../../data/reads";
import { exact } from "../../lib/format";
import { isAdmin, projects as ownProjects } from "../../state/account";
import { Card } from "../../ui/card";
import { Said } from "../../ui/said";
import { When } from "../../ui/states";
import { sizeText } from "../move/size";
import { AdministratorsOnly } from "./administrators-only";

const request = { method: "GET", path: "/admin/disk" } as const;

/** The words of each level, and what it stops. */
const levelTexts: Readonly<Record<DiskAnswer["level"], string>> = {
  ok: "There is enough room.",
  low: "The disk gets full. Nothing is refused yet.",
  tight: "The disk is nearly full: new recordings and imports are refused.",
  full: "The disk is full: no events are stored. Everything else works, so you can make room.",
};

const partNames: Readonly<Record<keyof DiskAnswer["used"], string>> = {
  events: "Events",
  recordings: "Recordings",
  control: "Accounts and settings",
  logs: "Logs of the databases",
  backups_waiting: "Waiting for the backup",
  other: "Uploads and other files",
};

/** The bytes that the server's data takes, and the days until the disk is full. */
export const DiskPage = () => (isAdmin.value ? <Disk /> : <AdministratorsOnly />);

function Disk() {
  const reading = useRead<DiskAnswer>("The disk of the server", request);
  return (
    <div class="halves" id="disk">
      <Card title="Disk">
        <When reading={reading} rows={6}>
          {(disk) => <Room disk={disk} />}
        </When>
      </Card>
      <Card title="Projects by size">
        <When reading={reading} rows={6}>
          {({ projects }) => <Projects projects={projects} />}
        </When>
      </Card>
    </div>
  );
}

function Room({ disk }: { readonly disk: DiskAnswer }) {
  const parts = partsOf(disk);
  const usedBytes = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    <>
      <p class={disk.level === "ok" ? "finding" : "alert"} role="status" id="disk-level">
        {levelTexts[disk.level]}
      </p>
      <p>
        {sizeText(usedBytes)} used, {sizeText(disk.free_bytes)} free. {forecastOf(disk)}
      </p>
      <Bars rows={parts.map(({ name, bytes }) => ({ key: name, name, bytes }))} />
      <p class="fine">
        {sizeText(disk.reserve_bytes)} of the free space are a reserve: below it the server stores
        no events, so that you can always log in and make room.{" "}
        <a href="/docs/operate/disk">How the server uses the disk</a>
      </p>
    </>
  );
}

const partsOf = ({ used }: DiskAnswer) => [
  { name: partNames.events, bytes: used.events },
  { name: partNames.recordings, bytes: used.recordings },
  { name: partNames.control, bytes: used.control },
  { name: partNames.logs, bytes: used.logs },
  { name: partNames.backups_waiting, bytes: used.backups_waiting },
  { name: partNames.other, bytes: used.other },
];

function forecastOf({ per_day_bytes: perDay, days_to_full: days }: DiskAnswer): string {
  if (perDay === null) return "The forecast needs a complete day.";
  if (days === null) return "The data did not grow in the last days.";
  const growth = `The data grows by ${sizeText(perDay)} a day, so the space lasts`;
  return days > 3_650 ? `${growth} for years.` : `${growth} ${exact(Math.floor(days))} days.`;
}

function Projects({ projects }: { readonly projects: DiskAnswer["projects"] }) {
  if (projects.length === 0) return <p>No project has stored anything yet.</p>;
  const nameOf = (id: string) => ownProjects.value.find((own) => own.id === id)?.name ?? id;
  return (
    <Bars
      rows={projects.map(({ id, bytes, events, events_per_day: perDay }) => ({
        ...{ key: id, name: nameOf(id), bytes },
        note: `${exact(events)} events, ${exact(perDay)} a day`,
      }))}
    />
  );
}

interface BarsProps {
  readonly rows: readonly {
    readonly key: string;
    readonly name: string;
    readonly bytes: number;
    readonly note?: string;
  }[];
}

function Bars({ rows }: BarsProps) {
  const largest = Math.max(1, ...rows.map(({ bytes }) => bytes));
  return (
    <ul class="sizes">
      {rows.map(({ key, name, bytes, note }) => (
        <li key={key}>
          <span>
            <Said text={name} />
            {note !== undefined && <small class="fine"> {note}</small>}
          </span>
          <b>{sizeText(bytes)}</b>
          <i style={{ inlineSize: `${(bytes / largest) * 100}%` }} />
        </li>
      ))}
    </ul>
  );
}

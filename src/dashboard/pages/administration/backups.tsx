import { useEffect, useState } from "preact/hooks";
import type { BackupsAnswer } from "../../data/account-answers";
import { call, mayPoll } from "../../data/api";
import { prepare, useRead } from "../../data/reads";
import { duration } from "../../lib/format";
import { countOf, localTime } from "../../lib/words";
import { isAdmin } from "../../state/account";
import { Card } from "../../ui/card";
import { CopyBlock } from "../../ui/copy-block";
import { Outcome } from "../../ui/outcome";
import { Said } from "../../ui/said";
import { When } from "../../ui/states";
import { useAction } from "../../ui/use-action";
import { sizeText } from "../move/size";
import { AdministratorsOnly } from "./administrators-only";

const request = { method: "GET", path: "/admin/backups" } as const;
const pollMs = 2_000;
const pointsShown = 10;
const msPerSecond = 1_000;

/** The state of the continuous backup, and the way back from it. */
export const BackupsPage = () => (isAdmin.value ? <Backups /> : <AdministratorsOnly />);

function Backups() {
  const reading = useRead<BackupsAnswer>("The backups of the server", request);
  const isDrilling = reading.data?.drill.state === "running";
  useEffect(() => {
    if (!isDrilling) return;
    const timer = setInterval(() => mayPoll() && void prepare(request, 0), pollMs);
    return () => clearInterval(timer);
  }, [isDrilling]);
  return (
    <div class="halves" id="backups">
      <div class="stack">
        <Card title="Backup">
          <When reading={reading} rows={5}>
            {(backups) => (backups.configured ? <State backups={backups} /> : <NotSetUp />)}
          </When>
        </Card>
        <Card title="Drill">
          <When reading={reading} rows={2}>
            {(backups) => <Drill backups={backups} />}
          </When>
        </Card>
      </div>
      <div class="stack">
        <Card title="How to restore">
          <When reading={reading} rows={3}>
            {({ target }) => <Restoring target={target ?? "file:///mnt/backups/sightline"} />}
          </When>
        </Card>
        <Card title="Newest points">
          <When reading={reading} rows={5}>
            {({ points }) => <Points points={points} />}
          </When>
        </Card>
      </div>
    </div>
  );
}

const NotSetUp = () => (
  <>
    <p class="alert" role="status">
      This server makes no backups: if its disk breaks, everything is lost.
    </p>
    <p>Set BACKUP_URL to a folder on another machine, or to a bucket, and restart the server:</p>
    <CopyBlock what="the setting" text="BACKUP_URL=file:///mnt/backups/sightline" />
    <p class="fine">
      <a href="/docs/operate/backup">How backups work</a>
    </p>
  </>
);

function State({ backups }: { readonly backups: BackupsAnswer }) {
  const { last_ok_at: lastOk, last_error: error, lag_s: lag, target } = backups;
  const [done, setDone] = useState("");
  const { error: refused, isBusy, run } = useAction();
  const backUp = () =>
    run(async () => {
      setDone("");
      const { answer } = await call<{ bytes: number }>({
        method: "POST",
        path: "/admin/backups/run",
      });
      await prepare(request, 0);
      setDone(`Backed up. The newest point has ${sizeText(answer.bytes)}.`);
    });
  return (
    <>
      {error === null ? (
        <p class="finding" role="status">
          {lastOk === null
            ? "The first backup is being made."
            : `Everything that was stored before ${localTime(lastOk)} is in the backup.`}
        </p>
      ) : (
        <p class="alert" role="status">
          The last backup failed: <Said text={error} /> The server tries again by itself.
        </p>
      )}
      <dl class="facts">
        <dt>Target</dt>
        <dd>
          <Said text={target ?? ""} />
        </dd>
        <dt>Encrypted</dt>
        <dd>{backups.encrypted ? "yes" : "no: set BACKUP_KEY if others can read the target"}</dd>
        <dt>Every</dt>
        <dd>{duration((backups.every_s ?? 0) * msPerSecond)}</dd>
        <dt>Behind by</dt>
        <dd>{lag === null ? "no backup since the start" : duration(lag * msPerSecond)}</dd>
        <dt>Reaches back to</dt>
        <dd>{backups.oldest_at === null ? "nothing yet" : localTime(backups.oldest_at)}</dd>
      </dl>
      <Outcome error={refused} done={done} />
      <button type="button" class="small" id="back-up" disabled={isBusy} onClick={backUp}>
        {isBusy ? "Backing up…" : "Back up now"}
      </button>
    </>
  );
}

function Drill({ backups: { configured, drill } }: { readonly backups: BackupsAnswer }) {
  const { error, isBusy, run } = useAction();
  const start = () =>
    run(async () => {
      await call({ method: "POST", path: "/admin/backups/drill" });
      await prepare(request, 0);
    });
  const isRunning = drill.state === "running";
  return (
    <>
      <p class={drill.state === "failed" ? "alert" : "finding"} role="status" id="drill-state">
        {drillText(drill)}
      </p>
      <p class="fine">
        A drill restores the newest point to a temporary folder and compares it with this server.
      </p>
      <Outcome error={error} done="" />
      <button
        type="button"
        class="small"
        disabled={!configured || isBusy || isRunning}
        onClick={start}
      >
        Try to restore now
      </button>
    </>
  );
}

function drillText({ state, at, seconds, error }: BackupsAnswer["drill"]): string {
  const when = at === null ? "" : ` on ${localTime(at)}`;
  const took = seconds === null ? "" : ` It took ${duration(Math.max(1, seconds) * msPerSecond)}.`;
  switch (state) {
    case "never":
      return "No drill has run yet.";
    case "running":
      return "A drill is running.";
    case "ok":
      return `The backup was restored and compared${when}.${took}`;
    case "failed":
      return `The drill failed${when}. ${error ?? ""}`;
    case "skipped":
      return `The drill was skipped${when}. ${error ?? ""}`;
  }
}

const Restoring = ({ target }: { readonly target: string }) => (
  <>
    <p>On a machine of your choice, with the settings BACKUP_… of this server:</p>
    <CopyBlock what="the command" text={`sightline restore ${target} ./restored`} />
    <p>Then start a server on the folder:</p>
    <CopyBlock what="the start" text="DATA_DIR=./restored sightline serve" />
    <p class="fine">
      --at takes an earlier moment, and --list shows all of them.{" "}
      <a href="/docs/operate/backup">Backup, restore and damage</a>
    </p>
  </>
);

function Points({ points }: { readonly points: BackupsAnswer["points"] }) {
  if (points.length === 0) return <p>No points yet.</p>;
  const more = points.length - pointsShown;
  return (
    <>
      <ul class="sizes">
        {points.slice(0, pointsShown).map(({ at, kind, bytes }) => (
          <li key={at}>
            <span>
              {localTime(at)}{" "}
              <small class="fine">{kind === "full" ? "full copy" : "changes"}</small>
            </span>
            <b>{bytes === null ? "" : sizeText(bytes)}</b>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="fine">And {countOf(more, "older point")}.</p>}
    </>
  );
}

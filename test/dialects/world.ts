import type { SourceKind } from "../../src/domain/source";
import { type Call, type Json, type TestApp, type TestProject, testApp } from "../support/app/app";
import { receivedAtMs } from "./samples";

/** A project with a source of one kind, and clients that send to it. */
export interface SourceWorld {
  readonly app: TestApp;
  readonly project: TestProject;
  readonly source: SourceView;
  /** Sends to a path below the source's prefix, from an address of the internet. */
  send(method: string, path: string, call?: Call): Promise<Response>;
  events(): Promise<readonly EventView[]>;
  counts(): Promise<SourceView>;
}

export interface SourceView {
  readonly id: string;
  readonly url: string;
  readonly key: string | null;
  readonly last24h: Json;
  readonly last_event_at: number | null;
  readonly last_refusal: Json | null;
}

export interface EventView extends Json {
  readonly event: string;
  readonly user_id: string | null;
  readonly session_id: string | null;
  readonly timestamp: number;
  readonly country: string | null;
  readonly properties: Json | null;
}

const visitorsAddress = "8.8.8.8";

/** Opens an app at the time of the samples. */
export async function openApp(environment: Readonly<Record<string, string>> = {}) {
  const app = await testApp(environment);
  app.setTime(receivedAtMs);
  return app;
}

export async function sourceOf(app: TestApp, kind: SourceKind, key?: string): Promise<SourceWorld> {
  const project = await app.makeProject(`site-${crypto.randomUUID().slice(0, 8)}`);
  await app.send("PATCH", `/projects/${project.id}`, {
    key: app.key,
    body: { allowed_origins: "*" },
  });
  const path = `/projects/${project.id}/sources`;
  const made = await app.send("POST", path, { key: app.key, body: { kind, key } });
  const source = (await made.json()) as SourceView;
  return {
    ...{ app, project, source },
    send: (method, below, call = {}) =>
      app.send(method, `/in/${source.id}${below}`, { from: visitorsAddress, ...call }),
    events: async () => {
      const { events } = await app.get(`/events?project=${project.id}&since=30d&limit=1000`);
      return (events as readonly EventView[]).toReversed();
    },
    counts: async () => {
      const { sources } = await app.get(path);
      return (sources as readonly SourceView[])[0] as SourceView;
    },
  };
}

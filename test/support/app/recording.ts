import { type Json, noonMs, type TestApp, type TestProject } from "./app";

/** Recorded events as rrweb makes them, of a small page: a button, a clock, a field, a link and a password. */

export const element = (
  id: number,
  tagName: string,
  attributes: Json = {},
  childNodes: readonly Json[] = [],
): Json => ({ type: 2, id, tagName, attributes, childNodes });
const text = (id: number, textContent: string): Json => ({ type: 3, id, textContent });

export const ids = { button: 4, clock: 7, field: 8, link: 10, select: 12 } as const;

export const pageLoad = (timestamp: number, href = "https://shop.example.com/a"): Json => ({
  type: 4,
  timestamp,
  data: { href, width: 800, height: 600 },
});
export const route = (timestamp: number, href: string): Json => ({
  type: 5,
  timestamp,
  data: { tag: "aa-route", payload: { href } },
});
export const snapshot = (timestamp: number, label = "Save"): Json => ({
  type: 2,
  timestamp,
  data: {
    initialOffset: { top: 0, left: 0 },
    node: {
      type: 0,
      id: 1,
      childNodes: [
        element(2, "html", {}, [
          element(3, "body", {}, [
            element(ids.button, "button", {}, [text(5, label)]),
            element(6, "p", {}, [text(ids.clock, "12:00")]),
            element(ids.field, "input", { type: "text", placeholder: "Name" }),
            element(ids.link, "a", { href: "/next" }, [text(11, "Next")]),
            element(ids.select, "select", { name: "country" }),
          ]),
        ]),
      ],
    },
  },
});
const change = (timestamp: number, data: Json): Json => ({ type: 3, timestamp, data });
export const click = (timestamp: number, id: number = ids.button, x = 10, y = 10): Json =>
  change(timestamp, { source: 2, type: 2, id, x, y });
export const typed = (timestamp: number, value: string, id: number = ids.field): Json =>
  change(timestamp, { source: 5, id, text: value, isChecked: false });
export const scroll = (timestamp: number, y: number): Json =>
  change(timestamp, { source: 3, id: 1, x: 0, y });
export const newText = (timestamp: number, id: number): Json =>
  change(timestamp, {
    source: 0,
    texts: [{ id, value: String(timestamp) }],
    attributes: [],
    removes: [],
    adds: [],
  });

/** What begins every page: enough to be played. */
export const opening = (timestamp = noonMs): Json[] => [
  pageLoad(timestamp),
  snapshot(timestamp + 1),
];

/** A recorder of one session, as far as the server sees it. */
export interface Recorder {
  readonly id: string;
  readonly token: string;
  segment(seq: number, events: readonly Json[]): Promise<Json>;
  finish(reason?: string): Promise<Json>;
}

/** A project whose sessions may be recorded. */
export async function recordedProject(app: TestApp, name = "shop"): Promise<TestProject> {
  const project = await app.makeProject(name);
  await app.post("/replays/enable", { project: name });
  return project;
}

export async function startRecording(
  app: TestApp,
  { token }: Pick<TestProject, "token">,
  sessionId = "s1",
): Promise<Recorder> {
  const started = await app.post("/replays/ingest/start", { token, session_id: sessionId });
  const [id, uploadToken] = [String(started.replay_id), String(started.upload_token)];
  const path = `/replays/ingest/${id}`;
  return {
    id,
    token: uploadToken,
    segment: (seq, events) =>
      app.post(`${path}/segments`, { upload_token: uploadToken, seq, events }),
    finish: (reason) =>
      app.post(`${path}/finish`, {
        upload_token: uploadToken,
        ...(reason === undefined ? {} : { stop_reason: reason }),
      }),
  };
}

/** A whole recording: started, filled, finished, sealed. Returns its id. */
export async function recorded(
  app: TestApp,
  project: TestProject,
  sessionId: string,
  events: readonly Json[] = opening(),
): Promise<string> {
  const recorder = await startRecording(app, project, sessionId);
  await recorder.segment(0, events);
  await recorder.finish("session_end");
  await app.deps.replays.tend();
  return recorder.id;
}

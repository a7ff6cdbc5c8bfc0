import { type Capture, capture } from "./capture";
import { hasStoredConsent, isSilent, scoped, server, sessionId, token } from "./place";
import { holdTab, releaseTab } from "./tab";
import { Upload } from "./upload";

type Status = "idle" | "recording" | "stopped";

interface Config {
  readonly enabled: boolean;
  readonly start_mode: "after_consent" | "immediate" | "manual";
  readonly sample_rate: number;
  readonly mask_selectors: readonly string[];
  readonly block_selectors: readonly string[];
}

declare global {
  interface Window {
    aaReplay?: { start(): void; stop(): void; status(): Status };
  }
  interface Document {
    readonly prerendering?: boolean;
  }
}

interface Running {
  readonly upload: Upload;
  capture: Capture | null;
}

let config: Config | null = null;
let status: Status = "idle";
/** It waits for a session, or for another tab to be left. */
let isStarting = false;
/** The present recording; another one when the session changes. */
let running: Running | null = null;
/** The page has asked for it before its settings had come. */
let isAskedFor = false;
/** The consent that the tracker has announced on this page. */
let consent: "granted" | "revoked" | null = null;

const sessionWaitMs = 50;
const sessionWaitsMax = 100;

/** The tracker begins a session with its first event, which may come after this. */
async function awaitedSession(): Promise<string | null> {
  for (let waits = 0; waits < sessionWaitsMax; waits += 1) {
    const session = sessionId();
    if (session !== null) return session;
    await new Promise((done) => setTimeout(done, sessionWaitMs));
  }
  return null;
}

/** The part of a hundred that a session belongs to, which all of its pages agree on. */
function bucketOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = (31 * hash + text.charCodeAt(at)) | 0;
  return Math.abs(hash) % 100;
}

const mayStart = (): boolean =>
  config !== null &&
  consent !== "revoked" &&
  !isSilent() &&
  (config.start_mode !== "after_consent" || consent === "granted" || hasStoredConsent());

async function start(): Promise<void> {
  if (config === null) isAskedFor = true;
  if (config === null || isStarting || status === "recording" || !mayStart()) return;
  isStarting = true;
  const session = await awaitedSession();
  const isWanted = session !== null && bucketOf(`replay.${session}`) < config.sample_rate * 100;
  // A tab that was opened from another one has its session: the second waits until the first is left.
  const isHeld = isWanted && isStarting && (await holdTab(scoped(`tab.${session}`)));
  const mayBegin = isHeld && isStarting && mayStart();
  isStarting = false;
  if (mayBegin) await begin(session, config);
}

async function begin(session: string, settings: Config): Promise<void> {
  const upload = new Upload(session, stop);
  const mine: Running = { upload, capture: null };
  running = mine;
  status = "recording";
  // Events wait until the server has answered: by then a visitor may already be leaving.
  upload.open().then((isOpen) => {
    if (!isOpen && running === mine) end("stopped");
  });
  await loaded();
  if (running !== mine) return;
  mine.capture = capture(settings.mask_selectors, settings.block_selectors, (event, mirror) => {
    if (sessionId() === session) upload.add(event, mirror);
    else restart(mine);
  });
  // The library emits before it has returned.
  if (running !== mine) mine.capture();
}

const loadMsMax = 3_000;

/** Pictures have their sizes then, and the page's own start is not slowed down. */
const loaded = (): Promise<unknown> =>
  Promise.race([
    new Promise<void>((done) => {
      if (document.readyState === "complete") done();
      else addEventListener("load", () => setTimeout(done, 0), { once: true });
    }),
    new Promise((done) => setTimeout(done, loadMsMax)),
  ]);

function end(then: Status): void {
  status = then;
  isStarting = false;
  running?.capture?.();
  running = null;
  releaseTab();
}

function stop(reason: string): void {
  const upload = running?.upload;
  if (status === "recording" || isStarting) end("stopped");
  upload?.finish(reason);
}

/** The tracker has begun another session. The library is in the middle of an event, so not at once. */
function restart(old: Running): void {
  setTimeout(() => {
    if (running !== old) return;
    stop("session_end");
    start();
  }, 0);
}

function onConsent(event: Event): void {
  const { state } = event instanceof CustomEvent ? event.detail : {};
  if (state === "revoked") {
    consent = state;
    stop("consent_revoked");
  }
  if (state === "granted") {
    consent = state;
    if (config?.start_mode !== "manual") start();
  }
}

/** A page that is left may come back as it was. It begins with a snapshot then, as a new one would. */
function followPage(): void {
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") running?.upload.leave();
  });
  addEventListener("pagehide", () => {
    running?.upload.leave();
    if (status === "recording" || isStarting) end("idle");
  });
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted && status === "idle" && config?.start_mode !== "manual") start();
  });
}

async function main(): Promise<void> {
  if (isSilent()) return;
  if (document.prerendering) {
    await new Promise((done) => document.addEventListener("prerenderingchange", done));
  }
  document.addEventListener("aa:consent", onConsent);
  const url = `${server}replays/config?token=${encodeURIComponent(token)}`;
  const answer: Config = await (await fetch(url, { credentials: "omit" })).json();
  if (!answer.enabled) return;
  config = answer;
  followPage();
  if (config.start_mode !== "manual" || isAskedFor) await start();
}

// Loaded twice, it records once.
if (window.aaReplay === undefined) {
  window.aaReplay = {
    start: () => void start(),
    stop: () => stop("manual"),
    status: () => status,
  };
  main().catch(() => end("stopped"));
}

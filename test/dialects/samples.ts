import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { SourceKind } from "../../src/domain/source";
import type { ForeignRequest } from "../../src/ingest/dialects/dialect";
import { dialects } from "../../src/ingest/dialects/list";
import { endpointAt } from "../../src/ingest/dialects/paths";
import { readParameters } from "../../src/ingest/dialects/reading/parameters";
import { unpackBody } from "../../src/ingest/dialects/reading/unpack";
import { submissionOf } from "../../src/ingest/dialects/steps/steps";
import { isRefusal } from "../../src/ingest/refusal";
import type { Recipient } from "../../src/ingest/submission";
import { pathFromRoot } from "../support/suite/sources";

/** A request as a released client sent it. */
export interface Sample {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The body before it was packed. */
  readonly gzip_of?: string;
}

export const kindsWithSamples = dialects.map(({ kind }) => kind);

export const samplesOf = (kind: SourceKind): readonly Sample[] =>
  readFileSync(pathFromRoot(`test/dialects/samples/${kind}.jsonl`), "utf8")
    .trim()
    .split("\n")
    .map((line): Sample => JSON.parse(line));

export const bodyOf = ({ body, gzip_of }: Sample): string | Uint8Array<ArrayBuffer> | undefined =>
  gzip_of === undefined ? body : new Uint8Array(gzipSync(gzip_of));

/** The samples were sent around here. */
export const receivedAtMs = Date.parse("2026-11-27T00:40:00Z");

const project: Recipient = {
  ...{ id: "proj_1", accountId: "acc_1", allowedOrigins: "*", membership: null },
  identify: "any",
  exclusions: null,
  blocked: null,
};

/** Reads a sample as the server does, up to the submissions that are made of it. */
export function submissionsOf(kind: SourceKind, sample: Sample): unknown {
  const [path = "", query = ""] = sample.path.split("?");
  const found = endpointAt(path, kind);
  const isPreflight = sample.method === "OPTIONS";
  if (found === null || isPreflight || !("read" in found.endpoint)) return "nothing is stored here";
  const request = requestOf(sample, query, found.pathKey);
  const items = found.endpoint.read(request);
  if (isRefusal(items)) return items;
  const context = {
    origin: sample.headers.origin ?? null,
    requestAgent: sample.headers["user-agent"] ?? null,
    judgesServers: found.dialect.judgesServers,
    country: () => "of the address",
    excludedSender: () => null,
    visitorId: (agent: string, host: string) => `visitor of ${host} by ${agent}`,
    receivedAtMs,
  };
  return items.map(({ keys, content }) => {
    if (content.kind === "unsupported" || content.kind === "refused") return { keys, content };
    const submission = submissionOf(content, project, context);
    if (isRefusal(submission)) return { keys, content: submission };
    const { body, automated, country } = submission;
    const session = content.kind === "event" ? { session: content.session } : {};
    return { keys, ...session, body, automated, country };
  });
}

function requestOf(sample: Sample, query: string, pathKey: string): ForeignRequest {
  const sent = bodyOf(sample) ?? "";
  const bytes = typeof sent === "string" ? new TextEncoder().encode(sent) : sent;
  const headers = new Headers(sample.headers);
  const body = unpackBody(bytes.buffer, headers.get("content-encoding"));
  const parameters = readParameters(query);
  if (typeof body !== "string" || isRefusal(parameters)) throw new Error("a sample is whole");
  const base = () => "https://stats.example";
  const { method } = sample;
  return { method, pathKey, base, query: parameters, body, headers, receivedAtMs };
}

import { createHash, createHmac } from "node:crypto";

/** A bucket that speaks as much of S3 as backups use, and checks the signature of each request. */
export interface Bucket {
  readonly url: string;
  readonly objects: Map<string, Uint8Array>;
  /** The next requests are answered with this status in place of their answer. */
  failing: readonly number[];
  /** How many requests had a signature that was wrong. */
  refused: number;
  stop(): Promise<void>;
}

export const bucketKeys = {
  accessKeyId: "AKIATEST",
  secretAccessKey: "secret/of+the=tests",
  region: "eu-central-1",
};

const pageSize = 7;

/** Serves a bucket named `copies`, whose name stands in the path. */
export function startBucket(): Bucket {
  const objects = new Map<string, Uint8Array>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const body = new Uint8Array(await request.arrayBuffer());
      const [status, ...later] = bucket.failing;
      bucket.failing = later;
      if (status !== undefined) return new Response(errorXml("SlowDown"), { status });
      if (!isSigned(request, body)) {
        bucket.refused += 1;
        return new Response(errorXml("SignatureDoesNotMatch"), { status: 403 });
      }
      return answer(request, body, objects);
    },
  });
  const bucket: Bucket = {
    ...{ url: `http://127.0.0.1:${server.port}`, objects, failing: [], refused: 0 },
    stop: () => server.stop(true),
  };
  return bucket;
}

function answer(
  { method, url: address }: Request,
  body: Uint8Array,
  objects: Map<string, Uint8Array>,
): Response {
  const url = new URL(address);
  const [, name, ...rest] = url.pathname.split("/");
  const key = decodeURIComponent(rest.join("/"));
  if (name !== "copies") return new Response(errorXml("NoSuchBucket"), { status: 404 });
  if (method === "PUT") {
    objects.set(key, body);
    return new Response(null);
  }
  if (method === "DELETE") {
    objects.delete(key);
    return new Response(null, { status: 204 });
  }
  if (key === "") return new Response(listXml(url.searchParams, objects));
  const object = objects.get(key);
  if (object === undefined) return new Response(errorXml("NoSuchKey"), { status: 404 });
  return new Response(method === "HEAD" ? null : Buffer.from(object), {
    headers: { "content-length": String(object.byteLength) },
  });
}

/** Pages are short, so that every test meets more than one. */
function listXml(query: URLSearchParams, objects: ReadonlyMap<string, Uint8Array>): string {
  const prefix = query.get("prefix") ?? "";
  const after = query.get("continuation-token") ?? "";
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  const page = keys.slice(0, pageSize);
  const isCut = keys.length > page.length;
  const next = isCut ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : "";
  const contents = page.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`);
  return [
    xmlHead,
    `<ListBucketResult><Name>copies</Name><Prefix>${prefix}</Prefix>`,
    `<KeyCount>${page.length}</KeyCount><MaxKeys>${pageSize}</MaxKeys>`,
    `<IsTruncated>${isCut}</IsTruncated>${next}${contents.join("")}</ListBucketResult>`,
  ].join("");
}

const xmlHead = '<?xml version="1.0" encoding="UTF-8"?>';
const errorXml = (code: string): string =>
  `${xmlHead}<Error><Code>${code}</Code><Message>${code}</Message></Error>`;

/** Signature Version 4: https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html */
function isSigned(request: Request, body: Uint8Array): boolean {
  const form = new RegExp(
    "^AWS4-HMAC-SHA256 Credential=([^/]+)/(\\d{8})/([^/]+)/s3/aws4_request, ?" +
      "SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$",
  );
  const [, id, date = "", region = "", signed = "", signature] =
    form.exec(request.headers.get("authorization") ?? "") ?? [];
  if (id !== bucketKeys.accessKeyId || region !== bucketKeys.region) return false;
  const contentHash = request.headers.get("x-amz-content-sha256") ?? "";
  if (contentHash !== "UNSIGNED-PAYLOAD" && contentHash !== sha256(body)) return false;
  const url = new URL(request.url);
  const query = [...url.searchParams]
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .sort()
    .join("&");
  const headers = signed.split(";").map((name) => `${name}:${request.headers.get(name)?.trim()}\n`);
  const canonical = [request.method, url.pathname, query, headers.join(""), signed, contentHash];
  const scope = `${date}/${region}/s3/aws4_request`;
  const time = request.headers.get("x-amz-date") ?? "";
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical.join("\n"))].join("\n");
  const key = [date, region, "s3", "aws4_request"].reduce<string | Buffer>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    `AWS4${bucketKeys.secretAccessKey}`,
  );
  return createHmac("sha256", key).update(text).digest("hex") === signature;
}

const sha256 = (of: string | Uint8Array): string => createHash("sha256").update(of).digest("hex");

const escaped = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );

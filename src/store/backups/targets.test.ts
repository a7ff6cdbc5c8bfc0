import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Bucket, bucketKeys, startBucket } from "../../../test/support/server/bucket";
import { FolderTarget } from "./folder-target";
import { S3Target } from "./s3-target";
import { type Target, TargetFailed } from "./target";

const folder = mkdtempSync(join(tmpdir(), "targets-"));
const waitMs = 5;
const bucket: Bucket = startBucket();
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await bucket.stop();
});
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  bucket.objects.clear();
  bucket.failing = [];
});

const bucketWith = (secretAccessKey: string): Target =>
  new S3Target(
    {
      ...{ ...bucketKeys, secretAccessKey, bucket: "copies", prefix: "of/shop" },
      ...{ endpoint: bucket.url, isVirtualHosted: false },
    },
    waitMs,
  );
const s3 = bucketWith(bucketKeys.secretAccessKey);

describe.each([
  ["a folder", () => new FolderTarget(folder)],
  ["a bucket", () => s3],
] as const)("%s", (_name, targetOf) => {
  test("has the objects that were put, until they are removed", async () => {
    const target = targetOf();
    const names = Array.from({ length: 20 }, (_, at) => `a/${String(at).padStart(2, "0")}/data`);
    for (const [at, name] of names.entries()) await target.put(name, new Uint8Array([at, 255]));
    await target.put("b", new Uint8Array(100_000));
    expect(await target.list("a/")).toEqual(names);
    expect(await target.list("")).toEqual([...names, "b"]);
    expect([...((await target.get("a/07/data")) ?? [])]).toEqual([7, 255]);
    expect((await target.get("b"))?.byteLength).toBe(100_000);
    await target.remove("a/07/data");
    await target.remove("a/07/data");
    expect(await target.get("a/07/data")).toBeNull();
    expect(await target.list("a/")).toEqual(names.filter((name) => name !== "a/07/data"));
    expect(await target.list("nothing/")).toEqual([]);
  });
});

describe("a bucket that", () => {
  test("fails for a moment is asked again", async () => {
    bucket.failing = [503, 500];
    await s3.put("a", new Uint8Array([1]));
    expect([...bucket.objects.keys()]).toEqual(["of/shop/a"]);
  });

  test("goes on failing is told with its own code", async () => {
    bucket.failing = [503, 503, 503, 503, 503, 503, 503, 503, 503];
    await expect(s3.put("a", new Uint8Array([1]))).rejects.toThrow(TargetFailed);
    bucket.failing = [];
  });

  test("refuses the key is told so, and never the key itself", async () => {
    const wrong = bucketWith("another-secret");
    const failure = await wrong.list("").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TargetFailed);
    expect(String(failure)).toContain("SignatureDoesNotMatch");
    expect(String(failure)).not.toContain("another-secret");
    expect(bucket.refused).toBeGreaterThan(0);
  });
});

import { expect, test } from "bun:test";
import { memoryLimit, thisMachine } from "./config-machine";

const mb = 1024 * 1024;
const limitOf = (files: Readonly<Record<string, string>>): number =>
  memoryLimit((path) => files[path] ?? null);

test("a machine without control groups sets no limit, nor does one whose groups have none", () => {
  expect(limitOf({})).toBe(Number.POSITIVE_INFINITY);
  const unbounded = {
    "/proc/self/cgroup": "0::/system.slice/a.service\n",
    "/sys/fs/cgroup/system.slice/a.service/memory.max": "max\n",
  };
  expect(limitOf(unbounded)).toBe(Number.POSITIVE_INFINITY);
});

test("the limit of a service is that of its group, or a tighter one around it", () => {
  const service = {
    "/proc/self/cgroup": "0::/system.slice/a.service\n",
    "/sys/fs/cgroup/system.slice/a.service/memory.max": `${512 * mb}\n`,
  };
  expect(limitOf(service)).toBe(512 * mb);
  const slice = { "/sys/fs/cgroup/system.slice/memory.max": `${300 * mb}\n` };
  expect(limitOf({ ...service, ...slice })).toBe(300 * mb);
});

test("a container sees its own group at the root, whatever the host calls it", () => {
  const root = { "/sys/fs/cgroup/memory.max": `${1_024 * mb}` };
  expect(limitOf({ ...root, "/proc/self/cgroup": "0::/\n" })).toBe(1_024 * mb);
  expect(limitOf({ ...root, "/proc/self/cgroup": "0::/docker/abc\n" })).toBe(1_024 * mb);
});

test("groups of the first version have a limit of their own for memory", () => {
  const files = {
    "/proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/docker/abc\n0::/\n",
    "/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes": `${256 * mb}\n`,
    "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
  };
  expect(limitOf(files)).toBe(256 * mb);
});

test("this machine has memory", () => {
  const { memoryBytes } = thisMachine();
  expect(memoryBytes).toBeGreaterThan(0);
  expect(Number.isFinite(memoryBytes)).toBe(true);
});

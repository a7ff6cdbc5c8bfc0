import { accessSync, constants, mkdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { removeFolder, type Server, startServer, temporaryFolder } from "./server";

/** A disk of 32 MiB that a server runs on, and that a test can fill and free. */
export interface SmallDisk {
  /** A folder on it, and what a command must begin with to see it. Resolves when the disk is there. */
  place(): Promise<{ readonly folder: string; readonly within: readonly string[] }>;
  start(): Promise<Server>;
  /** Takes all the space that is left. */
  fill(): void;
  /** Gives back what `fill` took. */
  free(): void;
  remove(): void;
}

const diskBytes = 32 * 1024 * 1024;
const smallTmpfsBytesMax = 1024 * 1024 * 1024;

/**
 * Mounts a small disk. Where user namespaces are allowed it is a tmpfs that only the server's namespace sees. Elsewhere
 * it is a small tmpfs of the machine, such as that for shared memory, of which a ballast file leaves 32 MiB. Where
 * neither can be had this throws: a test that skipped the disk would prove nothing.
 */
export function smallDisk(): SmallDisk {
  const namespaces = Bun.spawnSync(["unshare", "--user", "--map-root-user", "--mount", "true"]);
  if (namespaces.success) return namespaceDisk();
  const place = ["/dev/shm", "/run/lock", "/run"].find(isSmallTmpfs);
  if (place !== undefined) return ballastDisk(place);
  throw new Error(
    "No small disk can be had: user namespaces are refused, and there is no small tmpfs.",
  );
}

function namespaceDisk(): SmallDisk {
  const mount = temporaryFolder();
  const ballast = join(mount, "ballast");
  const holder = Bun.spawn(
    [
      ...["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"],
      `mount -t tmpfs -o size=${diskBytes} none "$0" && echo mounted > "$0/mounted" && exec sleep 3600`,
      mount,
    ],
    { stdout: "ignore", stderr: "inherit" },
  );
  const within = [
    "nsenter",
    `--target=${holder.pid}`,
    "--user",
    "--mount",
    "--preserve-credentials",
  ];
  const shell = (command: string): boolean =>
    Bun.spawnSync([...within, "sh", "-c", command, ballast], { stderr: "ignore" }).success;
  const place = async () => {
    while (!shell(`test -e "${mount}/mounted"`)) await Bun.sleep(10);
    return { folder: join(mount, "data"), within };
  };
  return {
    place,
    start: async () => {
      const { folder } = await place();
      return startServer({ dataDir: folder, wrapper: within });
    },
    // Fails by design when the space is used up.
    fill: () => void shell(`head --bytes=${diskBytes} /dev/zero > "$0"`),
    free: () => void shell(`rm --force "$0"`),
    remove: () => {
      holder.kill();
      removeFolder(mount);
    },
  };
}

function isSmallTmpfs(place: string): boolean {
  const tmpfsMagic = 0x01021994;
  try {
    accessSync(place, constants.W_OK);
  } catch {
    return false;
  }
  const { type, bsize, blocks, bavail } = statfsSync(place);
  return type === tmpfsMagic && blocks * bsize <= smallTmpfsBytesMax && bavail * bsize > diskBytes;
}

function ballastDisk(place: string): SmallDisk {
  const folder = join(place, `sightline-e2e-${process.pid}`);
  mkdirSync(folder);
  const write = (name: string, bytes: number): void => {
    Bun.spawnSync(["head", `--bytes=${bytes}`, "/dev/zero"], {
      stdout: Bun.file(join(folder, name)),
    });
  };
  const { bsize, bavail } = statfsSync(place);
  write("base", bavail * bsize - diskBytes);
  return {
    place: async () => ({ folder: join(folder, "data"), within: [] }),
    start: () => startServer({ dataDir: join(folder, "data") }),
    fill: () => write("ballast", diskBytes),
    free: () => rmSync(join(folder, "ballast"), { force: true }),
    remove: () => removeFolder(folder),
  };
}

interface Variables {
  text(name: string): string | null;
  integer(name: string, min: number, max: number, otherwise: number): number;
}

const mebibyte = 1024 * 1024;
const reserveMbMin = 64;
const reserveMbMax = 100_000;

/** Null where the size of the file system decides. */
export const diskReserveOf = ({ text, integer }: Variables): number | null =>
  text("DISK_RESERVE_MB") === null
    ? null
    : integer("DISK_RESERVE_MB", reserveMbMin, reserveMbMax, reserveMbMin) * mebibyte;

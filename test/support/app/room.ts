import type { DiskRoom } from "../../../src/store/free-bytes";

/** The disk of the machine that runs the tests may be nearly full. */
const plenty: DiskRoom = { freeBytes: 100 * 1024 ** 3, totalBytes: 200 * 1024 ** 3 };

/** The room on the disk of a test: plenty, until the test says otherwise. */
export class TestRoom {
  #of: () => DiskRoom = () => plenty;

  readonly read = async (): Promise<DiskRoom> => this.#of();
  set(room: () => DiskRoom): void {
    this.#of = room;
  }
}

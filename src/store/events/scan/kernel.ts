/*
 * Loops over columns are kernels.
 * Decision: a loop over typed arrays that uses nothing but its arguments goes through `kernel`, which keeps a copy of
 * it for each combination of kinds of arrays that it meets.
 * Because: codes take one, two or four bytes. The compiler makes a fast loop where each access meets one kind of array;
 * loops that had met several kinds were up to 3.6 times slower in a process that answered many kinds of reads.
 * Cost: `new Function` makes the copies from the text of the loop, a few hundred in all. test/kernels.test.ts proves
 * that this text is always a constant of the program: no part of a request reaches it.
 * Revisit: if the compiler specializes loops by their arguments.
 */

type Loop = (...args: never[]) => unknown;

const kinds = [Uint8Array, Uint16Array, Uint32Array, Int32Array, Float64Array] as const;

/** Returns the kind of an array; 0 for an argument that is no array. */
const kindOf = (value: unknown): number => 1 + kinds.findIndex((kind) => value instanceof kind);

/** Returns a function that runs the copy of the loop for the kinds of its arguments. */
export function kernel<F extends Loop>(loop: F): F {
  const copies = new Map<number, F>();
  const text = loop.toString();
  const run = (...args: Parameters<F>): unknown => {
    let key = 0;
    for (const arg of args) key = key * (kinds.length + 1) + kindOf(arg);
    let copy = copies.get(key);
    if (copy === undefined) {
      copy = new Function(`return ${text}`)() as F;
      copies.set(key, copy);
    }
    return copy(...args);
  };
  return run as F;
}

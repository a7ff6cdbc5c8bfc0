/** An array with fewer bytes than this costs less to collect than to free by hand. */
const freedBytesMin = 16_384;

/**
 * Gives the memory of an array back at once. The engine collects it when there is as much garbage as there is in use,
 * or when it is asked to, which takes up to some 35 ms. Nothing may look at the array any more: it is empty from now
 * on. A small one stays, and so does a part of something larger. Returns how many bytes are left to be collected.
 */
export function free(array: Uint8Array | Uint16Array | Uint32Array | Float64Array): number {
  const { buffer, byteLength } = array;
  const isAll = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  if (byteLength < freedBytesMin || !isAll) return byteLength;
  buffer.transfer(0);
  return 0;
}

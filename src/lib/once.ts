/** Calls `tell` once only, as after one lost thread the others may be lost soon. */
export function once(tell: (why: string) => void): (why: string) => void {
  let isTold = false;
  return (why) => {
    if (!isTold) tell(why);
    isTold = true;
  };
}

/** Calls `tell` once only, as what it tells of has more than one cause. */
export function once(tell: (why: string) => void): (why: string) => void {
  let isTold = false;
  return (why) => {
    if (!isTold) tell(why);
    isTold = true;
  };
}

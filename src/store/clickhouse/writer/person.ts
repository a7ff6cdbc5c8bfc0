import { type Links, Sender } from "./links";

/** The part of a project's links that an erasure removes or changes. */
export interface LinkedPerson {
  /** The senders whose events belong to the person. */
  readonly senders: readonly Sender[];
  /** The ids of the person, as they were sent. */
  readonly names: readonly string[];
  /**
   * Earlier senders under these ids: what they sent belongs to another user, to whom the id was linked before. The
   * events stay, as those of `heir`, so that the id of the person is in none of them.
   */
  readonly former: readonly { readonly sender: Sender; readonly heir: Sender }[];
}

/** The person whom these ids name, with every id that stands for one of them. */
export function personOf(links: Links, userIds: readonly string[]): LinkedPerson {
  const owners = userIds.map((id) => (links.latest(id) ?? new Sender(id, 0)).owner);
  const senders = new Set([...new Set(owners)].flatMap((owner) => owner.withBelow()));
  const names = new Set(userIds);
  for (const sender of senders) {
    // An id whose latest sender belongs to somebody else is theirs.
    if ((links.latest(sender.name) ?? sender) === sender) names.add(sender.name);
  }
  const former = [...names]
    .flatMap((name) => links.sendersOf(name))
    .filter((sender) => !senders.has(sender));
  return {
    senders: [...senders],
    names: [...names],
    former: former.map((sender) => ({ sender, heir: heirOf(sender, new Set(former)) })),
  };
}

/** An earlier sender always has a parent: the next one of its id began when it was linked again. */
function heirOf(sender: Sender, former: ReadonlySet<Sender>): Sender {
  let heir = sender.parent ?? sender;
  while (former.has(heir) && heir.parent !== null) heir = heir.parent;
  return heir;
}

/** Links the senders below a former one to its heir, and returns those that changed. */
export function handOverLinks({ former }: LinkedPerson): Sender[] {
  const gone = new Set(former.map(({ sender }) => sender));
  return former.flatMap(({ sender, heir }) => {
    const changed = [...sender.children].filter((child) => !gone.has(child));
    for (const child of changed) child.moveTo(heir);
    return changed;
  });
}

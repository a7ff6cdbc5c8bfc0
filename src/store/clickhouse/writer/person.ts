import { type Links, Sender } from "./links";

/** The part of a project's links that an erasure removes or changes. */
export interface LinkedPerson {
  /** The senders whose events belong to the person. */
  readonly senders: readonly Sender[];
  /** The ids of the person, as clients sent them. */
  readonly names: readonly string[];
  /**
   * Earlier senders under these ids: their events belong to another user, to whom the id was linked before. The events
   * stay, as those of `heir`, so that none of them has the id of the person.
   */
  readonly former: readonly { readonly sender: Sender; readonly heir: Sender }[];
}

/** The person with these ids and with every id that is linked to one of them. */
export function personOf(links: Links, userIds: readonly string[]): LinkedPerson {
  const owners = userIds.map((id) => (links.latest(id) ?? new Sender(id, 0)).owner);
  const senders = new Set([...new Set(owners)].flatMap((owner) => owner.withBelow()));
  const names = new Set(userIds);
  for (const sender of senders) {
    // If the latest sender of an id belongs to somebody else, the id is not this person's.
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

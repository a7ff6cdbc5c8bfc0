/*
 * The identities that a project shares end with its membership.
 * Decision: edges and portfolio digests have the id of the membership. control.db ends the membership, and a job
 * removes the rows.
 * Because: leaving, moving and deleting are each one transaction in control.db, and the two files have no common ones.
 * Cost: for a minute there are rows that no lookup finds.
 */

import type { Database, Statement } from "bun:sqlite";
import { emailsPerUserMax } from "../../../domain/limits";
import type { EmailEntry } from "../../port";

const insertEdge = `
  insert into identity_edge (project_id, membership, user, other) values (?1, ?2, ?3, ?4), (?1, ?2, ?4, ?3)
  on conflict do nothing`;
const findEdges = `
  select other from identity_edge where project_id = ? and membership = ? and user = ?`;
const deleteEdge = `
  delete from identity_edge where project_id = ?1 and membership = ?2
    and ((user = ?3 and other = ?4) or (user = ?4 and other = ?3))`;
const countDigests = `
  select count(*) as digests from
    (select 1 from email_digest where project_id = ? and membership = ? and user = ? limit ?)`;
const insertDigest = `
  insert into email_digest (digest, project_id, membership, user) values (?, ?, ?, ?)
  on conflict do nothing`;

/** Stores identities beyond the links of one project: edges of portfolios, and digests of addresses. */
export class Identities {
  private readonly insertEdge: Statement;
  private readonly countDigests: Statement;
  private readonly insertDigest: Statement;

  constructor(private readonly db: Database) {
    this.insertEdge = db.prepare(insertEdge);
    this.countDigests = db.prepare(countDigests);
    this.insertDigest = db.prepare(insertDigest);
  }

  /** Makes two ids one person in the portfolio, independently of their links in the project. */
  connect(projectId: number, membership: string, user: string, other: string): void {
    if (user !== other) this.insertEdge.run(projectId, membership, user, other);
  }

  /** Removes the edges of a user, except those to the ids for which `stays` returns true. */
  part(
    projectId: number,
    membership: string,
    user: string,
    stays: (other: string) => boolean,
  ): void {
    const edges = this.db.query(findEdges).all(projectId, membership, user) as { other: string }[];
    for (const { other } of edges) {
      if (!stays(other)) this.db.query(deleteEdge).run(projectId, membership, user, other);
    }
  }

  /** Stores an address, up to a limit for each user, as anyone with the public token can send new addresses. */
  note(projectId: number, { membership, digest }: EmailEntry, user: string): void {
    const scope = membership ?? "";
    const row = this.countDigests.get(projectId, scope, user, emailsPerUserMax);
    if ((row as { digests: number }).digests >= emailsPerUserMax) return;
    this.insertDigest.run(Buffer.from(digest, "hex"), projectId, scope, user);
  }
}

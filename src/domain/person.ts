/** Whom a lookup asks for (definitions.md, Identity), and where people of the project may be found. */
export interface Person {
  /** The user id as it was sent. */
  readonly userId: string | null;
  /** The digests of the address that was sent: one for each scope in which the project looks. */
  readonly emailDigests: readonly string[];
  /** The members of the project's portfolio, itself among them. Empty when it is in none. */
  readonly members: readonly PortfolioMember[];
}

interface PortfolioMember {
  readonly projectId: string;
  readonly project: string;
  /** The key under which the store keeps people of the project as a member of the portfolio. */
  readonly membership: string;
}

/** The rights of a person in an account, from the least to the most. An account has exactly one owner. */
export const roles = ["viewer", "editor", "admin", "owner"] as const;
export type Role = (typeof roles)[number];

/** The roles that can be given to a member: a transfer alone makes an owner. */
export const grantedRoles = ["viewer", "editor", "admin"] as const;
export type GrantedRole = (typeof grantedRoles)[number];

/** The rights of a person in one account. */
export interface Standing {
  readonly role: Role;
  /** The ids of the projects that the person may see; null for all projects of the account. */
  readonly projects: readonly string[] | null;
  /** Tells whether a viewer or an editor may see single visitors. Administrators and the owner always may. */
  readonly people: boolean;
}

/** The projects that can be listed for a member who may not see all. */
export const memberProjectsMax = 1_000;

export const isAtLeast = (role: Role, needed: Role): boolean =>
  roles.indexOf(role) >= roles.indexOf(needed);

export const seesPeople = ({ role, people }: Standing): boolean =>
  people || isAtLeast(role, "admin");

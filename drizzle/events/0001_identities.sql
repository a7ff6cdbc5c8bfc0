-- Who was told to be whom beyond one project. A membership is a project's time in a portfolio (control.db names it):
-- what was kept under it is found while it lasts, so that leaving a portfolio needs no change here at once.
--
-- The graph of a portfolio: two ids that /identify named together, in both directions.
create table identity_edge (
  project_id integer not null,
  membership text    not null,
  user       text    not null,
  other      text    not null,
  primary key (project_id, membership, user, other)
) strict, without rowid;
--> statement-breakpoint
-- Addresses, of which only a keyed hash is known. The key is that of a scope: the project, or its portfolio.
create table email_digest (
  digest     blob    not null,                          -- HMAC-SHA256
  project_id integer not null,
  membership text    not null,                          -- '' in the project's own scope
  user       text    not null,
  primary key (digest, project_id, membership, user)
) strict, without rowid;
--> statement-breakpoint
create index email_digest_by_user on email_digest (project_id, membership, user);
--> statement-breakpoint
-- Memberships that ended: what is left of them is removed bit by bit.
create table ended_membership (
  project_id integer not null,
  membership text    not null,
  primary key (project_id, membership)
) strict, without rowid;

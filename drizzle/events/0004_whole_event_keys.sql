-- A repeat is told by its event id together with the event's name, user and session. Keys that were stored before are
-- hashes of the event id alone: they go on to be looked for until the last of them has expired.
insert into setting (name, value)
select 'event_id_alone_through', cast(max(accepted_at) as text)
from (
  select max(accepted_at) as accepted_at from accepted_key
  union all
  select max(last_at) from key_run where state <> 'retired'
)
having max(accepted_at) is not null;

-- Whether codes are of visits, one for each, and not of events.
alter table segment_column add column of_visits integer not null default 0;

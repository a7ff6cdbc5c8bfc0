-- Grows with every change of what reads of the project see, so that an answer can say of which data it is.
alter table project add column data_version integer not null default 0;

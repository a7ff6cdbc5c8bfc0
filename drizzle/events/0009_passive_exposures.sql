-- Exposures to experiments are no interaction any more. Segments of before say in visit.interactive that they are: those
-- below this number.
insert into setting (name, value) select 'passive_exposures_from_segment', coalesce(max(id), 0) + 1 from segment;

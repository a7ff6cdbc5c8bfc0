-- Which older segments of its project hold events of the same sessions: a JSON list of ids, '*' for very many, null
-- while nobody has looked. Segments never change, so what was found stays true.
alter table segment add column related text;

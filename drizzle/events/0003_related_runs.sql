-- Of the older segments that hold events of the same sessions is kept which runs of ids they are, a JSON list of
-- [first, last]: very many, as they are while events stream in, need no '*' that stands for any. They are found anew.
update segment set related = null where related is not null;

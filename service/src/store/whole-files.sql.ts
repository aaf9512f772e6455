/**
 * Bytes of all files that are there as a whole: the sum of the rows of `whole_files`. Each change of a file adds
 * a row in its transaction, and so waits for no other; `sumUp` makes one row of many.
 */
export const WHOLE_FILES = `
create table whole_files (n bigint generated always as identity primary key, bytes bigint not null);
insert into whole_files (bytes) select coalesce(sum(size), 0) from attachments where seq is not null;
create function note_whole_file() returns trigger language plpgsql as $$
begin
  insert into whole_files (bytes) values (case when TG_OP = 'DELETE' then -old.size else new.size end);
  return null;
end $$;
create trigger whole_file_inserted after insert on attachments for each row when (new.seq is not null)
  execute function note_whole_file();
create trigger whole_file_uploaded after update of seq on attachments for each row
  when (old.seq is null and new.seq is not null) execute function note_whole_file();
create trigger whole_file_deleted after delete on attachments for each row when (old.seq is not null)
  execute function note_whole_file();
`

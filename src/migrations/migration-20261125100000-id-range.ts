import { Migration } from '@mikro-orm/migrations';
import { restrictToOwner } from './tenant-table.js';

/** The number of IDs in a range. All IDs have at most 15 digits, as the API requires. */
const RANGE_SIZE = 2n ** 40n;
const LAST_RANGE = 908;

/**
 * Each installation takes the IDs of new records from a range of its own, so that the rows of a Clinic can move to another
 * installation with their IDs. The default is range 0, whose sequences have no limit.
 */
export class Migration20261125100000IdRange extends Migration {
  override up(): void {
    this.addSql(`
      create table id_range (
        number integer primary key check (number between 0 and ${LAST_RANGE}),
        set_at timestamptz(3) not null,
        replaced_at timestamptz(3)
      )`);
    this.addSql(`create unique index id_range_current on id_range ((true)) where replaced_at is null`);
    for (const statement of restrictToOwner('id_range')) this.addSql(statement);
    this.createBounds();
    this.createApply();
  }

  private createBounds(): void {
    this.addSql(`
      create function id_range_bounds(number integer, out lower bigint, out upper bigint)
        language sql immutable as $$
        select greatest(number * ${RANGE_SIZE}, 1), (number + 1) * ${RANGE_SIZE} - 1
      $$`);
    this.addSql(`revoke all on function id_range_bounds(integer) from public`);
  }

  /**
   * Limits the sequences to the current range. A sequence outside of it starts at its first ID; one within it goes on.
   * Migrations that create or replace a sequence need no statement of their own, because each upgrade calls this function.
   */
  private createApply(): void {
    this.addSql(`
      create function apply_id_range() returns integer
        language plpgsql set search_path = public, pg_temp as $$
      declare
        bounds record;
        item record;
        changed integer := 0;
      begin
        select b.* into bounds from id_range cross join lateral id_range_bounds(number) b where replaced_at is null;
        if not found then return 0; end if;
        for item in
          select seqrelid::regclass as name, pg_sequence_last_value(seqrelid) between bounds.lower and bounds.upper as goes_on
          from pg_sequence join pg_class on pg_class.oid = seqrelid
          where relnamespace = 'public'::regnamespace and relname <> 'schema_migration_id_seq'
            and (seqmin, seqmax) is distinct from (bounds.lower, bounds.upper)
        loop
          execute format('alter sequence %s minvalue %s maxvalue %s start %s', item.name, bounds.lower, bounds.upper, bounds.lower)
            || case when item.goes_on then '' else ' restart' end;
          changed := changed + 1;
        end loop;
        return changed;
      end $$`);
    this.addSql(`revoke all on function apply_id_range() from public`);
  }

  override down(): void {
    this.addSql(`drop function apply_id_range()`);
    this.addSql(`drop function id_range_bounds(integer)`);
    this.addSql(`drop table id_range`);
    // The IDs that were assigned stay above those of range 0, so the sequences go on, without a limit.
    this.addSql(`
      do $$ declare item record; begin
        for item in
          select seqrelid::regclass as name from pg_sequence join pg_class on pg_class.oid = seqrelid
          where relnamespace = 'public'::regnamespace and (seqmin, seqmax) is distinct from (1, 9223372036854775807)
        loop
          execute format('alter sequence %s no minvalue no maxvalue', item.name);
        end loop;
      end $$`);
  }
}

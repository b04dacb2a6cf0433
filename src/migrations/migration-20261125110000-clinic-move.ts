import { Migration } from '@mikro-orm/migrations';
import { DATABASE_ROLES, OWN_CLINIC, restrictToOwner } from './tenant-table.js';

const { service, admin, reminders, maintenance, audit, system, monitoring } = DATABASE_ROLES;

/** The roles of jobs, which serve all Clinics. */
const JOBS = [reminders, maintenance, audit, system, monitoring];
/** SQLSTATE with which the database refuses to change rows of a Clinic that has moved. */
const REFUSED = 'CM409';
/** The events that change rows, and the transition table that has them. */
const CHANGES = { insert: 'new', update: 'new', delete: 'old' };
/** The tables that a message needs which is being sent when the move begins. Jobs see their rows until it is closed. */
const OF_MESSAGES = `'reminder', 'reminder_preference', 'opt_out_link'`;
const STOPPED = 'array(select clinic_id from clinic_move where closed_at is not null)';
const MOVING = 'array(select clinic_id from clinic_move)';

/** The triggers of the tables that an import fills, which must not change the rows that it copies. */
const NOT_DURING_MOVE = ['audit_unsealed_add', 'audit_seal_times', 'add_opt_out_link'];

/**
 * The Clinics that have left the installation, and those that have arrived and are not open yet. Their rows can be read, but
 * requests cannot change them, and jobs do not see them (docs/adr/0019-moving-a-clinic.md).
 */
export class Migration20261125110000ClinicMove extends Migration {
  override up(): void {
    this.createTable();
    this.createRefusal();
    this.createEnable();
    for (const name of NOT_DURING_MOVE) this.addSql(skipDuringMove(name));
    this.addSql('select enable_clinic_moves()');
  }

  /** A row that is \`IN\` is deleted when the Clinic is opened. One that is \`OUT\` stays, unless the move is cancelled. */
  private createTable(): void {
    this.addSql(`
      create table clinic_move (
        clinic_id bigint primary key references clinic,
        direction text not null check (direction in ('OUT', 'IN')),
        move_id uuid not null,
        secret text not null,
        started_at timestamptz(3) not null,
        closed_at timestamptz(3),
        confirmed_at timestamptz(3)
      )`);
    for (const statement of restrictToOwner('clinic_move')) this.addSql(statement);
    this.addSql(`create policy tenant on clinic_move for select to ${service} using (${OWN_CLINIC})`);
    this.addSql(`create policy other_roles on clinic_move for select to ${[admin, ...JOBS].join(', ')} using (true)`);
    this.addSql(`grant select (clinic_id, closed_at) on clinic_move to ${[service, admin, ...JOBS].join(', ')}`);
  }

  /**
   * The function runs once for each statement. Jobs may still write the outcome of a message that is being sent when the
   * move begins; later the policies hide the rows from them.
   */
  private createRefusal(): void {
    for (const [name, column] of [
      ['refuse_moved_rows', 'clinic_id'],
      ['refuse_moved_clinic', 'id'],
    ]) {
      this.addSql(`
        create function ${name}() returns trigger language plpgsql as $$
        begin
          if not exists (select from clinic_move) then return null; end if;
          if current_user in (${JOBS.map((role) => `'${role}'`).join(', ')})
            or current_setting('app.clinic_move', true) = 'on' then return null; end if;
          if exists (select from clinic_move where clinic_id in (select changed.${column} from changed)) then
            raise exception 'the Clinic has moved' using errcode = '${REFUSED}';
          end if;
          return null;
        end $$`);
    }
  }

  /**
   * Each upgrade calls the function, so that a new table needs no statement of its own. A distributed database has neither
   * triggers nor policies of it, because its Clinics do not move.
   */
  private createEnable(): void {
    this.addSql(`
      create function clinic_move_tables() returns table (oid oid, name text, clinic text)
        language sql stable set search_path = public, pg_temp as $$
        select oid, relname::text, case relname when 'clinic' then 'id' else 'clinic_id' end
        from pg_class
        where relnamespace = 'public'::regnamespace and relkind = 'r' and not relispartition and relname <> 'clinic_move'
          and (relname = 'clinic' or exists (
            select from pg_attribute where attrelid = pg_class.oid and attname = 'clinic_id' and not attisdropped))
      $$`);
    this.addSql(`
      create function enable_clinic_moves() returns void
        language plpgsql set search_path = public, pg_temp as $$
      declare
        item record;
        jobs text;
      begin
        for item in select * from clinic_move_tables() t where not exists (
            select from pg_trigger where tgrelid = t.oid and tgname = 'refuse_moved_insert') loop
          ${Object.entries(CHANGES)
            .map(([event, rows]) => createTrigger(event, rows))
            .join('\n')}
          select string_agg(role, ', ') into jobs from unnest(array[${JOBS.map((role) => `'${role}'`).join(', ')}]) as role
            where has_any_column_privilege(role, item.oid, 'insert, update') or has_table_privilege(role, item.oid, 'delete')
              or (role = '${monitoring}' and item.name = 'reminder');
          if item.name in (${OF_MESSAGES}) then
            execute format('create policy not_closed on %I as restrictive to ${reminders} using (clinic_id <> all (${STOPPED}))',
              item.name);
            jobs := array_to_string(array_remove(string_to_array(jobs, ', '), '${reminders}'), ', ');
          end if;
          if jobs <> '' then
            execute format('create policy not_moved on %I as restrictive to %s using (coalesce(%I, 0) <> all (${MOVING}))',
              item.name, jobs, item.clinic);
          end if;
        end loop;
      end $$`);
    this.addSql(`
      create function disable_clinic_moves() returns void
        language plpgsql set search_path = public, pg_temp as $$
      declare
        item record;
      begin
        for item in select * from clinic_move_tables() loop
          ${Object.keys(CHANGES)
            .map((event) => `execute format('drop trigger if exists refuse_moved_${event} on %I', item.name);`)
            .join('\n')}
          execute format('drop policy if exists not_moved on %I', item.name);
          execute format('drop policy if exists not_closed on %I', item.name);
        end loop;
      end $$`);
    for (const name of ['enable_clinic_moves()', 'disable_clinic_moves()', 'clinic_move_tables()'])
      this.addSql(`revoke all on function ${name} from public`);
  }

  override down(): void {
    this.addSql('select disable_clinic_moves()');
    for (const name of NOT_DURING_MOVE) this.addSql(restoreAfterMove(name));
    this.addSql('drop function enable_clinic_moves(), disable_clinic_moves(), clinic_move_tables()');
    this.addSql('drop function refuse_moved_rows(), refuse_moved_clinic()');
    this.addSql('drop table clinic_move');
  }
}

function createTrigger(event: string, rows: string): string {
  return `execute format('create trigger refuse_moved_${event} after ${event} on %I referencing ${rows} table as changed
            for each statement execute function %s()', item.name,
            case item.name when 'clinic' then 'refuse_moved_clinic' else 'refuse_moved_rows' end);`;
}

const SKIP = `begin
        if current_setting('app.clinic_move', true) = 'on' then return new; end if;`;

/** Adds a first statement to the body of a trigger function, whose other statements stay as they are. */
function skipDuringMove(name: string): string {
  return replaceInFunction(name, 'begin', SKIP);
}

function restoreAfterMove(name: string): string {
  return replaceInFunction(name, SKIP, 'begin');
}

function replaceInFunction(name: string, from: string, to: string): string {
  return `
    do $do$ declare
      definition text := pg_get_functiondef('${name}()'::regprocedure);
      place integer := strpos(definition, $text$${from}$text$);
    begin
      if place = 0 then raise exception '${name}() cannot be changed'; end if;
      execute overlay(definition placing $text$${to}$text$ from place for length($text$${from}$text$));
    end $do$`;
}

import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import type { ClientPrincipal, StaffPrincipal } from '../../shared/access/index.js';
import { ForbiddenError } from '../../shared/errors/index.js';
import { findTransactionClinicId, inClinicSql, TenantEntityManager } from '../../shared/persistence/index.js';
import { chooseTimeZone } from '../domain/time-zone-choice.js';
import { toPersonKey, type PersonKind, type PersonRef } from '../domain/person.entity.js';
import { INACTIVE_CALLER_DETAIL } from './inactive-caller.js';

type Row = { kind: PersonKind; id: string; time_zone: string | null; clinic_time_zone: string };

/** The caller's Clinic, and the time zone in which the caller reads local times. */
type CallerTimeZone = { clinicId: number; timeZone: string };

/** Reads the time zones of people in one Clinic, and of the caller. */
@Injectable()
export class TimeZoneReader {
  constructor(private readonly em: TenantEntityManager) {}

  /**
   * Finds the caller's Clinic and time zone in one statement: the Clinic's zone, or a Client's own if they have one.
   *
   * @throws ForbiddenError if the caller's record or Clinic does not exist or is deactivated
   */
  async requireCallerZone(caller: StaffPrincipal | ClientPrincipal): Promise<CallerTimeZone> {
    const { rows } = await sql<Omit<Row, 'kind'>>`
      select clinic.id, ${caller.role === 'CLIENT' ? sql`person.time_zone` : sql`null::text`} as time_zone,
        clinic.time_zone as clinic_time_zone
      from clinic ${callerSql(caller, findTransactionClinicId(this.em))} and clinic.active`.execute(
      this.em.getKysely(),
    );
    const [found] = rows;
    if (found === undefined) throw new ForbiddenError(INACTIVE_CALLER_DETAIL);
    return { clinicId: Number(found.id), timeZone: toTimeZone(found) };
  }

  /**
   * Returns IANA time zones keyed by `toPersonKey`: the person's own time zone, or the Clinic's if the person has none
   * or if Node does not know it. Falls back to UTC if Node knows neither. Requires a transaction.
   */
  async findTimeZones(clinicId: number, people: readonly PersonRef[]): Promise<Map<string, string>> {
    const idsOfKind = (kind: PersonKind) => people.filter((person) => person.kind === kind).map(({ id }) => id);
    const { rows } = await sql<Row>`
      select person.kind, person.id, person.time_zone, clinic.time_zone as clinic_time_zone
      from clinic join (
        select 'CLIENT' as kind, id, clinic_id, time_zone from client
        where clinic_id = ${clinicId} and id = any(${idsOfKind('CLIENT')}::bigint[])
        union all
        select 'CARE_PROVIDER', id, clinic_id, time_zone from care_provider
        where clinic_id = ${clinicId} and id = any(${idsOfKind('CARE_PROVIDER')}::bigint[])
      ) as person on person.clinic_id = clinic.id
      where clinic.id = ${clinicId}`.execute(this.em.getKysely());
    return new Map(rows.map((row) => [toPersonKey({ kind: row.kind, id: Number(row.id) }), toTimeZone(row)]));
  }
}

/** @param clinicId the Clinic of the caller, if it is known */
function callerSql(caller: StaffPrincipal | ClientPrincipal, clinicId: number | undefined) {
  if (caller.role === 'CLINIC') return sql`where clinic.id = ${caller.clinicId}`;
  const [table, id] = caller.role === 'CLIENT' ? ['client', caller.clientId] : ['care_provider', caller.caregiverId];
  return sql`
    join ${sql.table(table)} person on person.clinic_id = clinic.id
    where person.id = ${id} and person.active and ${inClinicSql(clinicId, 'person.clinic_id')}`;
}

function toTimeZone({ time_zone: timeZone, clinic_time_zone: clinicTimeZone }: Omit<Row, 'kind'>): string {
  return chooseTimeZone({ timeZone }, { timeZone: clinicTimeZone });
}

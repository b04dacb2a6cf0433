import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { isTimeZone } from '../../shared/time/index.js';
import { personKey, type PersonKind, type PersonRef } from '../domain/person.entity.js';

type Row = { kind: PersonKind; id: string; time_zone: string | null; clinic_time_zone: string };

/** Reads the time zones of people in one Clinic. */
@Injectable()
export class TimeZoneReader {
  constructor(private readonly em: TenantEntityManager) {}

  /**
   * Returns IANA time zones keyed by `personKey`: the person's own time zone, or the Clinic's if the person has none or
   * if Node does not know it. Falls back to UTC if Node knows neither. Requires a transaction.
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
    return new Map(rows.map((row) => [personKey({ kind: row.kind, id: Number(row.id) }), chooseTimeZone(row)]));
  }
}

function chooseTimeZone({ time_zone: personal, clinic_time_zone: clinic }: Row): string {
  return [personal, clinic].find((zone) => zone !== null && isTimeZone(zone)) ?? 'UTC';
}

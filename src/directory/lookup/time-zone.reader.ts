import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { isTimeZone } from '../../shared/time/index.js';
import type { PersonKind } from './cross-clinic.reader.js';

type Row = { kind: PersonKind; id: string; time_zone: string | null; clinic_time_zone: string };

/** The time zones of people of one Clinic. */
@Injectable()
export class TimeZoneReader {
  constructor(private readonly em: TenantEntityManager) {}

  /**
   * By `<kind> <id>`: their own zone, or the Clinic's where they have none or one that this release does not know.
   * Within the caller's transaction.
   */
  async findTimeZones(
    clinicId: number,
    people: readonly { kind: PersonKind; id: number }[],
  ): Promise<Map<string, string>> {
    const idsOf = (kind: PersonKind) => people.filter((person) => person.kind === kind).map(({ id }) => id);
    const { rows } = await sql<Row>`
      select person.kind, person.id, person.time_zone, clinic.time_zone as clinic_time_zone
      from clinic join (
        select 'CLIENT' as kind, id, clinic_id, time_zone from client
        where clinic_id = ${clinicId} and id = any(${idsOf('CLIENT')}::bigint[])
        union all
        select 'CARE_PROVIDER', id, clinic_id, time_zone from care_provider
        where clinic_id = ${clinicId} and id = any(${idsOf('CARE_PROVIDER')}::bigint[])
      ) as person on person.clinic_id = clinic.id
      where clinic.id = ${clinicId}`.execute(this.em.getKysely());
    return new Map(rows.map((row) => [`${row.kind} ${row.id}`, zoneOf(row)]));
  }
}

function zoneOf({ time_zone: own, clinic_time_zone: clinic }: Row): string {
  return [own, clinic].find((zone) => zone !== null && isTimeZone(zone)) ?? 'UTC';
}

import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { decryptRows, TenantEntityManager } from '../../shared/persistence/index.js';
import { CareProvider, Client, type PersonKind } from '../domain/person.entity.js';

/** A person as included in the responses of other modules. */
export type NamedPerson = { id: number; name: string };

/** IDs of the people whose names are to be read. Repeated IDs are ignored. */
type PersonIds = { clientIds: Iterable<number>; careProviderIds: Iterable<number> };

/** The names that were found, keyed by ID. People of other Clinics are not included. */
export type PersonNamesById = {
  clients: ReadonlyMap<number, NamedPerson>;
  careProviders: ReadonlyMap<number, NamedPerson>;
};

type Row = { kind: PersonKind; id: string; name: string };

/**
 * Reads the names of people for other modules. It is the only reader of names by ID, so that names are decrypted in one
 * place only.
 */
@Injectable()
export class PersonNameReader {
  constructor(private readonly em: TenantEntityManager) {}

  /** Reads the names of Clients and Care Providers of one Clinic in one statement, including deactivated people. */
  async findByIds(clinicId: number, { clientIds, careProviderIds }: PersonIds): Promise<PersonNamesById> {
    const [clients, careProviders] = [[...new Set(clientIds)], [...new Set(careProviderIds)]];
    if (clients.length === 0 && careProviders.length === 0) return { clients: new Map(), careProviders: new Map() };
    const { rows } = await sql<Row>`
      select 'CLIENT' as kind, id, name from client where clinic_id = ${clinicId} and id = any(${clients}::bigint[])
      union all
      select 'CARE_PROVIDER', id, name from care_provider
      where clinic_id = ${clinicId} and id = any(${careProviders}::bigint[])`.execute(this.em.getKysely());
    const [clientRows, careProviderRows] = [selectRows(rows, 'CLIENT'), selectRows(rows, 'CARE_PROVIDER')];
    await decryptRows(this.em, Client, clientRows);
    await decryptRows(this.em, CareProvider, careProviderRows);
    return { clients: indexNames(clientRows), careProviders: indexNames(careProviderRows) };
  }
}

function selectRows(rows: readonly Row[], kind: PersonKind): Row[] {
  return rows.filter((row) => row.kind === kind);
}

function indexNames(rows: readonly Row[]): Map<number, NamedPerson> {
  const names = rows.map(({ id, name }) => ({ id: Number(id), name }));
  return new Map(names.map((person) => [person.id, person]));
}

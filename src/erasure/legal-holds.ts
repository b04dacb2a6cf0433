import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import type { ErasureSubject } from '../shared/erasure/index.js';
import { ConflictError } from '../shared/errors/index.js';
import { TenantEntityManager } from '../shared/persistence/index.js';
import { LegalHold } from './domain/legal-hold.entity.js';

/**
 * Finds legal holds. Requires a transaction. If the result decides about a change, the record of the subject must be
 * locked.
 */
@Injectable()
export class LegalHolds {
  constructor(private readonly em: TenantEntityManager) {}

  /** Returns the hold of a Client that is not lifted, or null. */
  findLive(clinicId: number, clientId: number): Promise<LegalHold | null> {
    return this.em.findOne(LegalHold, { clinicId, clientId, liftedAt: null });
  }

  /** @throws ConflictError if there is a hold for the Client, or for any Client of the Clinic that is to be erased */
  async requireNone({ clinicId, kind, id }: ErasureSubject): Promise<void> {
    if (kind === 'CLIENT' && (await this.findLive(clinicId, id)) !== null)
      throw new ConflictError('There is a legal hold for the Client: the data cannot be erased until it is lifted.');
    if (kind === 'CLINIC' && (await this.clinicHasHold(clinicId)))
      throw new ConflictError(
        'There are legal holds for Clients of the Clinic: it cannot be erased until they are lifted.',
      );
  }

  /** Administrators cannot read holds, so a database function looks for them. */
  private async clinicHasHold(clinicId: number): Promise<boolean> {
    const { rows } = await sql<{ found: boolean }>`select clinic_has_legal_hold(${clinicId}) as found`.execute(
      this.em.getKysely(),
    );
    return rows[0]!.found;
  }
}

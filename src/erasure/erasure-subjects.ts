import { Injectable } from '@nestjs/common';
import { TokenHolderRevocations } from '../auth/index.js';
import { CareProvider, Client, Clinic, Directory, DirectoryErasureService } from '../directory/index.js';
import type { AdminPrincipal, ClinicPrincipal } from '../shared/access/index.js';
import type { ErasureSubject, SubjectKind } from '../shared/erasure/index.js';

/** The callers of erasures: a Clinic for its Clients and Care Providers, and an administrator for a Clinic. */
export type ErasingCaller = ClinicPrincipal | AdminPrincipal;
export type SubjectReference = { kind: SubjectKind; id: number };

/** A locked record whose data is to be erased. */
export type LockedSubject = ErasureSubject & { record: Clinic | CareProvider | Client };

/** Finds, locks and erases the records of subjects. Requires a transaction. */
@Injectable()
export class ErasureSubjects {
  constructor(
    private readonly directory: Directory,
    private readonly erasure: DirectoryErasureService,
    private readonly revocations: TokenHolderRevocations,
  ) {}

  /**
   * Returns the Clinic that an erasure belongs to.
   *
   * @throws ForbiddenError if the caller's Clinic is inactive
   */
  private async findClinicId(caller: ErasingCaller, { id }: SubjectReference): Promise<number> {
    return caller.role === 'ADMIN' ? id : (await this.directory.requireClinic(caller)).id;
  }

  /**
   * Returns the Clinic of a record.
   *
   * @throws NotFoundError if the caller has no such record
   */
  async requireClinicId(caller: ErasingCaller, { kind, id }: SubjectReference): Promise<number> {
    const clinicId = await this.findClinicId(caller, { kind, id });
    await (kind === 'CLINIC' ? this.erasure.findClinic(id) : this.erasure.findPerson(clinicId, { kind, id }));
    return clinicId;
  }

  /** @throws NotFoundError if the caller has no such record */
  async lock(caller: ErasingCaller, { kind, id }: SubjectReference): Promise<LockedSubject> {
    const clinicId = await this.findClinicId(caller, { kind, id });
    const record =
      kind === 'CLINIC' ? await this.erasure.lockClinic(id) : await this.erasure.lockPerson(clinicId, { kind, id });
    return { clinicId, kind, id, record };
  }

  /**
   * Removes the contents of the record immediately, cancels the upcoming Sessions of a person, and revokes the tokens of
   * the record. The job removes everything else.
   */
  async erase(caller: ErasingCaller, { kind, id, record }: LockedSubject, now: Temporal.Instant): Promise<void> {
    if (record instanceof Clinic) record.erase(now);
    else await this.erasure.erasePerson(record, now);
    const revokedBy = caller.role === 'CLINIC' ? caller.clinicId : null;
    await this.revocations.revoke({ subject: null, role: kind, recordId: id }, revokedBy);
  }
}

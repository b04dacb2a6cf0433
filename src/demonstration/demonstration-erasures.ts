import { Injectable } from '@nestjs/common';
import { ErasureService } from '../erasure/index.js';
import type { AdminPrincipal, ClinicPrincipal } from '../shared/access/index.js';
import type { SubjectKind } from '../shared/erasure/index.js';
import { ADMIN_CALLER, createClinicCaller, type DemonstrationStep } from './demonstration-step.js';

const CLINIC_PATH = '/gateway/profile/clinic';
const SEGMENTS = { CLIENT: 'client', CARE_PROVIDER: 'care-provider', CLINIC: 'clinic' } as const;

/**
 * Creates the steps that request erasures. The requests are old enough to be confirmed as soon as the service has
 * started.
 */
@Injectable()
export class DemonstrationErasures {
  constructor(private readonly erasures: ErasureService) {}

  /** The erasures have the IDs 1, 2 and 3, as in the examples of the OpenAPI document. */
  listSteps(now: Temporal.Instant): DemonstrationStep[] {
    const clinic = createClinicCaller(1);
    return [
      this.request(now.subtract({ hours: 4 }), clinic, { kind: 'CLIENT', id: 3 }),
      this.request(now.subtract({ hours: 3 }), clinic, { kind: 'CARE_PROVIDER', id: 2 }),
      this.request(now.subtract({ hours: 2 }), ADMIN_CALLER, { kind: 'CLINIC', id: 2 }),
    ];
  }

  private request(
    at: Temporal.Instant,
    caller: ClinicPrincipal | AdminPrincipal,
    subject: { kind: SubjectKind; id: number },
  ): DemonstrationStep {
    const segment = SEGMENTS[subject.kind];
    const path = caller.role === 'ADMIN' ? '/gateway/admin' : CLINIC_PATH;
    const run = async () => {
      const { id } = await this.erasures.request(caller, subject, {
        reason: 'SUBJECT_REQUEST',
        caseReference: 'DSR-42',
      });
      return [`${segment}/${subject.id}`, `erasure/${id}`];
    };
    return { at, caller, operation: `POST ${path}/${segment}/{id}/erasure`, run };
  }
}

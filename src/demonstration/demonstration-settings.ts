import { Injectable } from '@nestjs/common';
import { RevokedTokenService } from '../auth/index.js';
import { CalendarLinkService } from '../calendar/index.js';
import { PreferenceService, type PutPreference } from '../reminder/index.js';
import type {
  AdminPrincipal,
  CareProviderPrincipal,
  ClientPrincipal,
  ClinicPrincipal,
} from '../shared/access/index.js';
import { AdministratorAccessService } from '../administrator-access/index.js';
import { TokenHolderService } from '../token-holder/index.js';
import {
  ADMIN_CALLER,
  createCareProviderCaller,
  createClientCaller,
  createClinicCaller,
  DemonstrationCalendar,
  type DemonstrationStep,
} from './demonstration-step.js';

const CLINIC = '/gateway/profile/clinic';
/**
 * The administrator whose subject is in the tokens that the demonstration issues. Another subject's access would not be
 * visible, because an administrator can list only their own accesses.
 */
const SIGNED_IN_ADMINISTRATOR: AdminPrincipal = { ...ADMIN_CALLER, subject: 'admin-0' };
const CLIENT = '/gateway/profile/client';
const CARE_PROVIDER = '/gateway/profile/caregiver';

const NO_PREFERENCE = { channels: null, quietHours: null, noQuietHours: false, optedOut: [] };

/** Creates the steps of the demonstration that set preferences, create calendar links and revoke tokens. */
@Injectable()
export class DemonstrationSettings {
  constructor(
    private readonly preferences: PreferenceService,
    private readonly calendarLinks: CalendarLinkService,
    private readonly revokedTokens: RevokedTokenService,
    private readonly tokenHolders: TokenHolderService,
    private readonly accesses: AdministratorAccessService,
  ) {}

  listSteps(now: Temporal.Instant): DemonstrationStep[] {
    const london = new DemonstrationCalendar('Europe/London', now);
    // Clinic 1 and Client 1 have no quiet hours, so that the README's walkthrough shows a delivery at any time of day.
    return [
      ...this.listPreferences(london),
      // Each person has one calendar link. Link 1 belongs to Care Provider 1, link 2 to Client 1.
      ...[
        createCareProviderCaller(1),
        createClientCaller(1),
        createCareProviderCaller(2),
        createCareProviderCaller(3),
        createClientCaller(2),
        createClientCaller(3),
        createClientCaller(4),
      ].map((caller, index) => this.createCalendarLink(london.toInstant(-9, `12:${10 + index}`), caller, index + 1)),
      {
        // Shortly before the service starts, because a revoked token is listed only until it would have expired.
        at: now.subtract({ minutes: 5 }),
        caller: ADMIN_CALLER,
        operation: 'POST /gateway/admin/revoked-token',
        run: async () => {
          await this.revokedTokens.revoke({ jti: '0b7e5a52-2f0c-4a7e-9d0b-8a0e3c1d4f61' });
          return [];
        },
      },
      this.openAccess(now.subtract({ minutes: 50 })),
      this.revokeHolder(now.subtract({ minutes: 4 }), ADMIN_CALLER, 'POST /gateway/admin/revoked-token-holder'),
      this.revokeHolder(now.subtract({ minutes: 3 }), createClinicCaller(1), `POST ${CLINIC}/revoked-token-holder`),
    ];
  }

  /** Creates a step that opens an access of an administrator in the past, which has expired by now. */
  private openAccess(at: Temporal.Instant): DemonstrationStep {
    return {
      at,
      caller: SIGNED_IN_ADMINISTRATOR,
      operation: 'POST /gateway/admin/administrator-access',
      run: async () => {
        const reason = 'Support: a reminder was not delivered.';
        const { id } = await this.accesses.open(SIGNED_IN_ADMINISTRATOR, { clinicId: 1, reason, minutes: 30 });
        return [`administrator-access/${id}`, 'clinic/1'];
      },
    };
  }

  /** Creates a step that revokes the tokens of an account which the demonstration does not use. */
  private revokeHolder(
    at: Temporal.Instant,
    caller: ClinicPrincipal | AdminPrincipal,
    operation: string,
  ): DemonstrationStep {
    return {
      at,
      caller,
      operation,
      run: async () => {
        const record = { role: 'CLINIC', recordId: 1 } as const;
        const request = { subject: 'former-assistant', record };
        await (caller.role === 'ADMIN'
          ? this.tokenHolders.revokeAny(request)
          : this.tokenHolders.revokeOwn(caller, request));
        return ['clinic/1'];
      },
    };
  }

  private listPreferences(london: DemonstrationCalendar): DemonstrationStep[] {
    const quietNights = { ...NO_PREFERENCE, quietHours: { from: '20:00', to: '09:00' } };
    return [
      this.setPreference(london.toInstant(-35, '09:00'), createClinicCaller(2), CLINIC, {
        ...NO_PREFERENCE,
        quietHours: { from: '21:00', to: '07:00' },
        revealing: false,
      }),
      this.setPreference(london.toInstant(-35, '09:20'), createCareProviderCaller(2), CARE_PROVIDER, {
        ...NO_PREFERENCE,
        noQuietHours: true,
      }),
      this.setPreference(london.toInstant(-35, '09:30'), createClientCaller(2), CLIENT, quietNights),
      this.setPreference(london.toInstant(-35, '09:40'), createClientCaller(3), CLIENT, {
        ...NO_PREFERENCE,
        optedOut: ['SESSION'],
      }),
    ];
  }

  private setPreference(
    at: Temporal.Instant,
    caller: Parameters<PreferenceService['put']>[0],
    path: string,
    preference: PutPreference,
  ): DemonstrationStep {
    const run = async () => {
      await this.preferences.put(caller, preference);
      return [];
    };
    return { at, caller, operation: `PUT ${path}/reminder-preference`, run };
  }

  private createCalendarLink(
    at: Temporal.Instant,
    caller: CareProviderPrincipal | ClientPrincipal,
    id: number,
  ): DemonstrationStep {
    const path = caller.role === 'CLIENT' ? CLIENT : CARE_PROVIDER;
    const run = async () => {
      await this.calendarLinks.createLink(caller, { titles: 'DISCREET' });
      return [`calendar-link/${id}`];
    };
    return { at, caller, operation: `POST ${path}/calendar-link`, run };
  }
}

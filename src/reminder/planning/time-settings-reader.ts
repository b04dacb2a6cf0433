import { Injectable } from '@nestjs/common';
import { TimeZoneReader } from '../../directory/index.js';
import { UNTRACKED, TenantEntityManager } from '../../shared/persistence/index.js';
import {
  indexPreferencesByOwner,
  ReminderPreference,
  resolveQuietHours,
  toPreferenceOwnerFilter,
} from '../domain/preference/reminder-preference.entity.js';
import { RECIPIENT_KINDS, toRecipientKey, type Recipient, type RecipientKind } from '../domain/reminder-kinds.js';
import { getRecipientId } from '../domain/reminder-rule.js';
import type { SessionSnapshot } from '../domain/session-data.js';
import { UNREAD_TIME_SETTINGS, type RecipientTimeSettings } from '../domain/timing/quiet-hours.js';

/** The quiet hours and time zones of recipients. `get` returns `UNREAD_TIME_SETTINGS` if the settings were not read. */
export class TimeSettingsByRecipient {
  constructor(private readonly settings: ReadonlyMap<string, RecipientTimeSettings>) {}

  get(kind: RecipientKind, id: number): RecipientTimeSettings {
    return this.settings.get(toRecipientKey({ kind, id })) ?? UNREAD_TIME_SETTINGS;
  }
}

/** Reads the recipient settings that affect when reminders are sent. Runs in the caller's transaction. */
@Injectable()
export class TimeSettingsReader {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly timeZones: TimeZoneReader,
  ) {}

  /**
   * Reads the settings of the Clients and Care Providers of Sessions.
   *
   * @param sessions Sessions of a single Clinic
   * @param withZones whether to read time zones even if no recipient has quiet hours, as homework reminders require
   */
  findForSessions(sessions: readonly SessionSnapshot[], withZones: boolean): Promise<TimeSettingsByRecipient> {
    const [first] = sessions;
    const recipients = sessions.flatMap((session) =>
      RECIPIENT_KINDS.map((kind) => ({ kind, id: getRecipientId(session, kind) })),
    );
    return first === undefined
      ? Promise.resolve(new TimeSettingsByRecipient(new Map()))
      : this.findForRecipients(first.clinicId, recipients, withZones);
  }

  async findForRecipients(
    clinicId: number,
    recipients: readonly Recipient[],
    withZones: boolean,
  ): Promise<TimeSettingsByRecipient> {
    const distinct = [...new Map(recipients.map((recipient) => [toRecipientKey(recipient), recipient])).values()];
    const owners = toPreferenceOwnerFilter(distinct, [clinicId]);
    const rows = await this.em.find(ReminderPreference, { clinicId, $or: owners }, UNTRACKED);
    const preferences = indexPreferencesByOwner(rows);
    if (!withZones && rows.every(({ quietHours }) => quietHours === null))
      return new TimeSettingsByRecipient(new Map());
    const zones = await this.timeZones.findTimeZones(clinicId, distinct);
    const clinicDefaults = preferences.get(`CLINIC ${clinicId}`);
    const settings = [...zones].map(([key, timeZone]): [string, RecipientTimeSettings] => {
      return [key, { quietHours: resolveQuietHours(preferences.get(key), clinicDefaults), timeZone }];
    });
    return new TimeSettingsByRecipient(new Map(settings));
  }
}

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
import type { Reminder } from '../domain/reminder.entity.js';
import type { SessionRecipients } from '../domain/session-data.js';
import { UNREAD_TIME_SETTINGS, type RecipientTimeSettings } from '../domain/timing/quiet-hours.js';

/** The quiet hours and time zones of recipients, and the kinds of reminders that they have opted out of. */
export class TimeSettingsByRecipient {
  constructor(
    private readonly settings: ReadonlyMap<string, RecipientTimeSettings>,
    private readonly preferences: RecipientPreferences['preferences'] = new Map(),
  ) {}

  /** Returns `UNREAD_TIME_SETTINGS` if the settings were not read. */
  get(kind: RecipientKind, id: number): RecipientTimeSettings {
    return this.settings.get(toRecipientKey({ kind, id })) ?? UNREAD_TIME_SETTINGS;
  }

  hasOptedOut(reminder: Reminder): boolean {
    return this.preferences.get(reminder.recipientKey)?.excludes(reminder) ?? false;
  }
}

/** The preferences of distinct recipients of a Clinic and of the Clinic itself, by their owner. */
type RecipientPreferences = {
  clinicId: number;
  recipients: readonly Recipient[];
  preferences: ReturnType<typeof indexPreferencesByOwner>;
};

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
  findForSessions(sessions: readonly SessionRecipients[], withZones: boolean): Promise<TimeSettingsByRecipient> {
    const [first] = sessions;
    return first === undefined
      ? Promise.resolve(new TimeSettingsByRecipient(new Map()))
      : this.findForRecipients(first.clinicId, toRecipients(sessions), withZones);
  }

  async findForRecipients(
    clinicId: number,
    recipients: readonly Recipient[],
    withZones: boolean,
  ): Promise<TimeSettingsByRecipient> {
    return this.resolve(await this.findPreferences(clinicId, recipients), withZones);
  }

  /** Reads the preferences of recipients and of their Clinic, from which `resolve` determines their settings. */
  async findPreferences(clinicId: number, recipients: readonly Recipient[]): Promise<RecipientPreferences> {
    const distinct = [...new Map(recipients.map((recipient) => [toRecipientKey(recipient), recipient])).values()];
    const owners = toPreferenceOwnerFilter(distinct, [clinicId]);
    const rows = await this.em.find(ReminderPreference, { clinicId, $or: owners }, UNTRACKED);
    return { clinicId, recipients: distinct, preferences: indexPreferencesByOwner(rows) };
  }

  /** @param withZones whether to read time zones even if no recipient has quiet hours, as homework reminders require */
  async resolve(
    { clinicId, recipients, preferences }: RecipientPreferences,
    withZones: boolean,
  ): Promise<TimeSettingsByRecipient> {
    if (!withZones && [...preferences.values()].every(({ quietHours }) => quietHours === null))
      return new TimeSettingsByRecipient(new Map(), preferences);
    const zones = await this.timeZones.findTimeZones(clinicId, recipients);
    const clinicDefaults = preferences.get(`CLINIC ${clinicId}`);
    const settings = [...zones].map(([key, timeZone]): [string, RecipientTimeSettings] => {
      return [key, { quietHours: resolveQuietHours(preferences.get(key), clinicDefaults), timeZone }];
    });
    return new TimeSettingsByRecipient(new Map(settings), preferences);
  }
}

/** Returns the Client and the Care Provider of each Session. */
export function toRecipients(sessions: readonly SessionRecipients[]): Recipient[] {
  return sessions.flatMap((session) => RECIPIENT_KINDS.map((kind) => ({ kind, id: getRecipientId(session, kind) })));
}

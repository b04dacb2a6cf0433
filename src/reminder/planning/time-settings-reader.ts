import { Injectable } from '@nestjs/common';
import { TimeZoneReader } from '../../directory/index.js';
import { UNTRACKED, TenantEntityManager } from '../../shared/persistence/index.js';
import { ANY_TIME, type RecipientHours } from '../domain/timing/send-time.js';
import {
  byOwner,
  ownersOf,
  quietHoursOf,
  ReminderPreference,
} from '../domain/preference/reminder-preference.entity.js';
import { recipientOf, type Recipient, type RecipientKind, type ReminderSubject } from '../domain/reminder-rule.js';

const KINDS = ['CLIENT', 'CARE_PROVIDER'] as const;

/** The quiet hours and time zones of recipients, as far as they were looked up. */
export class HoursByRecipient {
  constructor(private readonly hours: ReadonlyMap<string, RecipientHours>) {}

  of(kind: RecipientKind, id: number): RecipientHours {
    return this.hours.get(`${kind} ${id}`) ?? ANY_TIME;
  }
}

/** What recipients have set that decides when reminders are sent. */
@Injectable()
export class RecipientSettings {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly timeZones: TimeZoneReader,
  ) {}

  /**
   * Of those whom Sessions of one Clinic are with. Within the caller's transaction.
   *
   * @param withZones also where nobody has quiet hours, as homework reminders stand in the Client's zone
   */
  ofSubjects(subjects: readonly ReminderSubject[], withZones: boolean): Promise<HoursByRecipient> {
    const [first] = subjects;
    const recipients = subjects.flatMap((subject) => KINDS.map((kind) => ({ kind, id: recipientOf(subject, kind) })));
    return first === undefined
      ? Promise.resolve(new HoursByRecipient(new Map()))
      : this.of(first.clinicId, recipients, withZones);
  }

  async of(clinicId: number, recipients: readonly Recipient[], withZones: boolean): Promise<HoursByRecipient> {
    const distinct = [...new Map(recipients.map((one) => [`${one.kind} ${one.id}`, one])).values()];
    const owners = ownersOf(distinct, [clinicId]);
    const rows = await this.em.find(ReminderPreference, { clinicId, $or: owners }, UNTRACKED);
    const preferences = byOwner(rows);
    if (!withZones && rows.every(({ quietHours }) => quietHours === null)) return new HoursByRecipient(new Map());
    const zones = await this.timeZones.findTimeZones(clinicId, distinct);
    const clinic = preferences.get(`CLINIC ${clinicId}`);
    const hours = [...zones].map(([key, timeZone]): [string, RecipientHours] => {
      return [key, { quietHours: quietHoursOf(preferences.get(key), clinic), timeZone }];
    });
    return new HoursByRecipient(new Map(hours));
  }
}

import { defineEntity, p } from '@mikro-orm/core';
import { randomBytes } from 'node:crypto';
import { columns } from '../../../shared/persistence/index.js';
import type { QuietHours } from '../timing/quiet-hours.js';
import type { ReminderKind, Wishes } from '../delivery-decision.js';

/** Whose preferences: a recipient's own, or the defaults of a Clinic. */
export type PreferenceOwnerKind = 'CLIENT' | 'CARE_PROVIDER' | 'CLINIC';

/** As `randomBytes(24).toString('base64url')` is: what is not is nobody's, and not looked for. */
export const OPT_OUT_TOKEN = /^[\w-]{32}$/;

const ReminderPreferenceSchema = defineEntity({
  name: 'ReminderPreference',
  tableName: 'reminder_preference',
  properties: {
    ownerKind: p.text().$type<PreferenceOwnerKind>().primary(),
    ownerId: columns.reference().primary(),
    clinicId: columns.reference(),
    /** Names of channels in order of preference; null: as the Clinic, and there: all that are configured. */
    channels: p.json<string[]>().nullable().strictNullable(),
    quietHours: p.json<QuietHours>().nullable().strictNullable(),
    /** true: nobody is to be quiet, whatever the Clinic's default. */
    noQuietHours: p.boolean(),
    optedOut: p.json<ReminderKind[]>(),
    /** Of a Clinic: whether messages may say what they are about. */
    revealing: p.boolean(),
    /** What the opt-out link of an e-mail carries. */
    optOutToken: p.text(),
    updatedAt: columns.instant(),
  },
});

export type PreferenceData = {
  channels: readonly string[] | null;
  /** null: as the Clinic. */
  quietHours: QuietHours | null;
  noQuietHours: boolean;
  optedOut: readonly ReminderKind[];
  revealing?: boolean;
};

/** How somebody wants to be reminded, or what a Clinic sets for those who have not said. */
export class ReminderPreference extends ReminderPreferenceSchema.class {
  constructor(clinicId: number, owner: { kind: PreferenceOwnerKind; id: number }, now: Temporal.Instant) {
    super();
    this.clinicId = clinicId;
    this.ownerKind = owner.kind;
    this.ownerId = owner.id;
    this.optOutToken = randomBytes(24).toString('base64url');
    this.revealing = false;
    this.write({ channels: null, quietHours: null, noQuietHours: false, optedOut: [] }, now);
  }

  write(data: PreferenceData, now: Temporal.Instant): void {
    this.channels = data.channels && [...data.channels];
    this.noQuietHours = data.noQuietHours;
    this.quietHours = data.quietHours;
    this.optedOut = [...data.optedOut];
    this.revealing = data.revealing ?? this.revealing;
    this.updatedAt = now;
  }

  /** Ends the reminders of one kind. Again changes nothing. */
  optOut(kind: ReminderKind, now: Temporal.Instant): void {
    if (this.optedOut.includes(kind)) return;
    this.optedOut = [...this.optedOut, kind];
    this.updatedAt = now;
  }
}
ReminderPreferenceSchema.setClass(ReminderPreference);

/** Which preferences hold for recipients: their own, and the defaults of their Clinics. */
export function ownersOf(
  recipients: readonly { kind: Exclude<PreferenceOwnerKind, 'CLINIC'>; id: number }[],
  clinicIds: readonly number[],
): { ownerKind: PreferenceOwnerKind; ownerId: { $in: number[] } }[] {
  const idsOf = (kind: PreferenceOwnerKind) => recipients.filter((one) => one.kind === kind).map(({ id }) => id);
  return [
    { ownerKind: 'CLINIC', ownerId: { $in: [...clinicIds] } },
    { ownerKind: 'CLIENT', ownerId: { $in: idsOf('CLIENT') } },
    { ownerKind: 'CARE_PROVIDER', ownerId: { $in: idsOf('CARE_PROVIDER') } },
  ];
}

/** By `<kind> <id>` of their owners. */
export function byOwner(preferences: readonly ReminderPreference[]): Map<string, ReminderPreference> {
  return new Map(preferences.map((one) => [`${one.ownerKind} ${one.ownerId}`, one]));
}

/** What holds for one recipient: their own preference over the Clinic's over the service's. */
export type EffectivePreference = Wishes & { channels: readonly string[]; revealing: boolean };

/** The quiet hours that hold for a recipient. */
export function quietHoursOf(own?: ReminderPreference, clinic?: ReminderPreference): QuietHours | null {
  return own?.noQuietHours ? null : (own?.quietHours ?? clinic?.quietHours ?? null);
}

export function effectivePreference(
  own: ReminderPreference | undefined,
  clinic: ReminderPreference | undefined,
  configured: readonly string[],
  timeZone: string,
): EffectivePreference {
  const chosen = own?.channels ?? clinic?.channels ?? configured;
  return {
    // What was configured when it was chosen may not be any more.
    channels: chosen.filter((name) => configured.includes(name)),
    quietHours: quietHoursOf(own, clinic),
    optedOut: new Set(own?.optedOut ?? []),
    revealing: clinic?.revealing ?? false,
    timeZone,
  };
}

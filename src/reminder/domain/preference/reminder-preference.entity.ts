import { defineEntity, p } from '@mikro-orm/core';
import { columnTypes } from '../../../shared/persistence/index.js';
import type { DeliveryPreference } from '../delivery-decision.js';
import type { Recipient, RecipientKind, ReminderKind } from '../reminder-kinds.js';
import type { QuietHours } from '../timing/quiet-hours.js';
import { generateOptOutSecret } from './opt-out-link.entity.js';

/** A preference belongs to a recipient, or holds the defaults of a Clinic. */
export type PreferenceOwnerKind = RecipientKind | 'CLINIC';
export type PreferenceOwner = { kind: PreferenceOwnerKind; id: number };

const ReminderPreferenceSchema = defineEntity({
  name: 'ReminderPreference',
  tableName: 'reminder_preference',
  properties: {
    ownerKind: p.text().$type<PreferenceOwnerKind>().primary(),
    ownerId: columnTypes.reference().primary(),
    clinicId: columnTypes.reference(),
    /**
     * Channel names in order of preference. Null means the Clinic's channels or, for a Clinic, all configured channels.
     */
    channels: p.json<string[]>().nullable().strictNullable(),
    /** Null means the Clinic's quiet hours. */
    quietHours: p.json<QuietHours>().nullable().strictNullable(),
    /** If true, there are no quiet hours, even if the Clinic has set some. */
    noQuietHours: p.boolean(),
    optedOut: p.json<ReminderKind[]>(),
    /** Only set by Clinics: whether messages may contain the titles of Sessions and Books. */
    revealing: p.boolean(),
    /**
     * Used only by instances of the previous release, which send this token in links. `OptOutLinkMaintenance` replaces
     * it. See `OptOutLink`.
     */
    optOutToken: p.text(),
    updatedAt: columnTypes.instant(),
  },
});

/** The fields that a caller can set. */
export type ReminderPreferenceValues = {
  channels: readonly string[] | null;
  /** Null means the Clinic's quiet hours. */
  quietHours: QuietHours | null;
  noQuietHours: boolean;
  optedOut: readonly ReminderKind[];
  revealing?: boolean;
};

/** The reminder settings of a recipient, or the defaults of a Clinic for recipients without settings. */
export class ReminderPreference extends ReminderPreferenceSchema.class {
  constructor(clinicId: number, owner: PreferenceOwner, now: Temporal.Instant) {
    super();
    this.clinicId = clinicId;
    this.ownerKind = owner.kind;
    this.ownerId = owner.id;
    this.optOutToken = generateOptOutSecret();
    this.revealing = false;
    this.update({ channels: null, quietHours: null, noQuietHours: false, optedOut: [] }, now);
  }

  update(data: ReminderPreferenceValues, now: Temporal.Instant): void {
    this.channels = data.channels && [...data.channels];
    this.noQuietHours = data.noQuietHours;
    this.quietHours = data.quietHours;
    this.optedOut = [...data.optedOut];
    this.revealing = data.revealing ?? this.revealing;
    this.updatedAt = now;
  }

  /** Whether the owner has opted out of a reminder. Opt-outs do not apply to notices. */
  excludes({ kind, isNotice }: { kind: ReminderKind; isNotice: boolean }): boolean {
    return !isNotice && this.optedOut.includes(kind);
  }

  /** Opts out of one kind of reminder. Does nothing if the owner has already opted out. */
  optOut(kind: ReminderKind, now: Temporal.Instant): void {
    if (this.optedOut.includes(kind)) return;
    this.optedOut = [...this.optedOut, kind];
    this.updatedAt = now;
  }
}
ReminderPreferenceSchema.setClass(ReminderPreference);

/** The `$or` conditions for the preferences of the given recipients and the defaults of the given Clinics. */
export function toPreferenceOwnerFilter(
  recipients: readonly Recipient[],
  clinicIds: readonly number[],
): { ownerKind: PreferenceOwnerKind; ownerId: { $in: number[] } }[] {
  const idsOfKind = (kind: RecipientKind) =>
    recipients.filter((recipient) => recipient.kind === kind).map(({ id }) => id);
  return [
    { ownerKind: 'CLINIC', ownerId: { $in: [...clinicIds] } },
    { ownerKind: 'CLIENT', ownerId: { $in: idsOfKind('CLIENT') } },
    { ownerKind: 'CARE_PROVIDER', ownerId: { $in: idsOfKind('CARE_PROVIDER') } },
  ];
}

/** Preferences by owner kind and ID, for example `CLINIC 1`. The keys for recipients are those of `toRecipientKey`. */
export function indexPreferencesByOwner(preferences: readonly ReminderPreference[]): Map<string, ReminderPreference> {
  return new Map(preferences.map((preference) => [`${preference.ownerKind} ${preference.ownerId}`, preference]));
}

/** The settings that apply to a recipient once the defaults are filled in. */
export type EffectivePreference = DeliveryPreference & { channels: readonly string[]; revealing: boolean };

/** The recipient's own quiet hours or, by default, the Clinic's; null if there are none. */
export function resolveQuietHours(own?: ReminderPreference, clinic?: ReminderPreference): QuietHours | null {
  return own?.noQuietHours ? null : (own?.quietHours ?? clinic?.quietHours ?? null);
}

/**
 * Resolves the settings of a recipient. For channels and quiet hours, the recipient's own choice comes before the
 * Clinic's, and that before the service's default. Only recipients opt out, and only Clinics reveal titles.
 *
 * @param configuredChannels names of the channels that the service can use
 * @param timeZone the recipient's time zone
 */
export function resolvePreference(
  own: ReminderPreference | undefined,
  clinic: ReminderPreference | undefined,
  configuredChannels: readonly string[],
  timeZone: string,
): EffectivePreference {
  const channels = own?.channels ?? clinic?.channels ?? configuredChannels;
  return {
    // A channel that was configured when it was chosen may no longer be configured.
    channels: channels.filter((name) => configuredChannels.includes(name)),
    quietHours: resolveQuietHours(own, clinic),
    optedOut: new Set(own?.optedOut ?? []),
    revealing: clinic?.revealing ?? false,
    timeZone,
  };
}

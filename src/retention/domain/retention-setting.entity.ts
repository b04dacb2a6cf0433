import { defineEntity, p, PrimaryKeyProp } from '@mikro-orm/core';
import { columnTypes } from '../../shared/persistence/index.js';
import { formatRetentionPeriod, parseRetentionPeriod, RETENTION_KINDS } from './retention-period.js';
import type { ChosenRetentionPeriods } from './retention-policy.js';

const RetentionSettingSchema = defineEntity({
  name: 'RetentionSetting',
  tableName: 'retention_setting',
  properties: {
    clinicId: columnTypes.reference().primary(),
    /** Version number, starting at 1. Each change by the Clinic adds a row, and the newest one applies. */
    version: p.integer().primary(),
    /** An ISO 8601 duration or `UNLIMITED`; null means the operator's default. */
    sessions: p.text().nullable().strictNullable(),
    homework: p.text().nullable().strictNullable(),
    reminders: p.text().nullable().strictNullable(),
    audit: p.text().nullable().strictNullable(),
    changedAt: columnTypes.instant(),
  },
});

/** One version of the retention periods that a Clinic has chosen. */
export class RetentionSetting extends RetentionSettingSchema.class {
  declare [PrimaryKeyProp]: ['clinicId', 'version'];

  constructor(
    clinicId: number,
    previous: RetentionSetting | null,
    chosen: ChosenRetentionPeriods,
    now: Temporal.Instant,
  ) {
    super();
    this.clinicId = clinicId;
    this.version = (previous?.version ?? 0) + 1;
    this.changedAt = now;
    for (const kind of RETENTION_KINDS) {
      const period = chosen[kind];
      this[kind] = period === undefined ? null : formatRetentionPeriod(period);
    }
  }

  get chosen(): ChosenRetentionPeriods {
    return Object.fromEntries(
      RETENTION_KINDS.flatMap((kind) => {
        const text = this[kind];
        return text === null ? [] : [[kind, parseRetentionPeriod(text)]];
      }),
    );
  }

  hasSameChoice(other: RetentionSetting): boolean {
    return RETENTION_KINDS.every((kind) => this[kind] === other[kind]);
  }
}

RetentionSettingSchema.setClass(RetentionSetting);

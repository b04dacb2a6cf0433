import { defineEntity, p, raw } from '@mikro-orm/core';
import type { CountedRecordKind, ErasureSubject, SubjectKind } from '../../shared/erasure/index.js';
import { ConflictError } from '../../shared/errors/index.js';
import { columnTypes } from '../../shared/persistence/index.js';
import { isBefore } from '../../shared/time/index.js';
import type { ErasureReason, ErasureStatus } from './erasure-codes.js';

/** Numbers of rows by kind. A kind without rows is absent. */
export type RowCountsByKind = Partial<Record<CountedRecordKind, number>>;

const ErasureSchema = defineEntity({
  name: 'Erasure',
  tableName: 'erasure',
  properties: {
    id: columnTypes.id(),
    clinicId: columnTypes.reference(),
    subjectKind: p.text().$type<SubjectKind>(),
    subjectId: columnTypes.reference(),
    reason: p.text().$type<ErasureReason>(),
    caseReference: p.text().nullable().strictNullable(),
    requestedAt: columnTypes.instant(),
    /** The request can be confirmed from this time on, until `expiresAt`. */
    confirmableAt: columnTypes.instant(),
    expiresAt: columnTypes.instant(),
    /** When a legal hold ended the request. */
    refusedAt: columnTypes.instant().nullable().strictNullable(),
    confirmedAt: columnTypes.instant().nullable().strictNullable(),
    /**
     * When all backups that contain erased data have expired. Counted from the confirmation, and again from the removal
     * of the last row.
     */
    completesAt: columnTypes.instant().nullable().strictNullable(),
    /** When the last row was removed. */
    erasedAt: columnTypes.instant().nullable().strictNullable(),
    /** The numbers of rows when the erasure was requested. */
    counts: p.json<RowCountsByKind>(),
    /** The numbers of rows that have been removed so far. */
    erased: p.json<RowCountsByKind>(),
  },
});

/** How long a request waits before it can be confirmed, and for how long it can then be confirmed. */
export type ErasurePeriods = { delay: Temporal.Duration; validity: Temporal.Duration };
/** Longer than a request or a batch of messages can take, with all of its timeouts. */
const LONGEST_REQUEST = { minutes: 5 };

/** For how long an erasure can be repeated. Those that earlier releases have carried out are left as they are. */
const REPEATABLE = { hours: 24 };

type ErasureData = { reason: ErasureReason; caseReference: string | null; counts: RowCountsByKind };

/** The erasure of a Client, a Care Provider or a Clinic: requested, then confirmed, then carried out by a job. */
export class Erasure extends ErasureSchema.class {
  constructor(subject: ErasureSubject, data: ErasureData, periods: ErasurePeriods, now: Temporal.Instant) {
    super();
    this.clinicId = subject.clinicId;
    this.subjectKind = subject.kind;
    this.subjectId = subject.id;
    this.reason = data.reason;
    this.caseReference = data.caseReference;
    this.requestedAt = now;
    this.confirmableAt = now.add(periods.delay);
    this.expiresAt = this.confirmableAt.add(periods.validity);
    [this.refusedAt, this.confirmedAt, this.completesAt, this.erasedAt] = [null, null, null, null];
    this.counts = data.counts;
    this.erased = {};
  }

  getStatus(now: Temporal.Instant): ErasureStatus {
    if (this.refusedAt !== null) return 'REFUSED';
    if (this.confirmedAt === null) return isBefore(now, this.expiresAt) ? 'REQUESTED' : 'EXPIRED';
    const isComplete = this.erasedAt !== null && this.completesAt !== null && !isBefore(now, this.completesAt);
    return isComplete ? 'COMPLETED' : 'CONFIRMED';
  }

  /**
   * @param backupLifetime how long backups that were taken before the erasure are kept
   * @throws ConflictError if the request is refused or expired, or cannot be confirmed yet
   */
  confirm(backupLifetime: Temporal.Duration, now: Temporal.Instant): void {
    const status = this.getStatus(now);
    if (status !== 'REQUESTED') throw new ConflictError(`The request is ${status}: request the erasure again.`);
    if (isBefore(now, this.confirmableAt)) {
      throw new ConflictError(`The erasure can be confirmed from ${this.confirmableAt.toString()} on.`);
    }
    this.confirmedAt = now;
    this.completesAt = now.add(backupLifetime);
  }

  /** Ends an open request because of a legal hold. */
  refuse(now: Temporal.Instant): void {
    this.refusedAt = now;
  }

  /**
   * Whether requests that began before the confirmation may still create rows, such as Books and Design Plans of a
   * Clinic. Requests that create rows of a Client or a Care Provider lock the record, so the confirmation waits for them.
   */
  canGetRows(now: Temporal.Instant): boolean {
    return this.subjectKind === 'CLINIC' && isBefore(now, this.confirmedAt!.add(LONGEST_REQUEST));
  }

  /** Whether the job has not removed any rows yet. */
  get hasErasedNothing(): boolean {
    return Object.keys(this.erased).length === 0;
  }

  /** Adds the numbers of rows that one transaction of the job has removed. */
  addErased(removed: RowCountsByKind): void {
    const total = { ...this.erased };
    for (const [kind, count] of Object.entries(removed) as [CountedRecordKind, number][])
      total[kind] = (total[kind] ?? 0) + count;
    this.erased = total;
  }

  /**
   * Records that all rows have been removed.
   *
   * @param backupLifetime how long backups of the database and of the key store are kept
   */
  finish(backupLifetime: Temporal.Duration, now: Temporal.Instant): void {
    this.erasedAt = now;
    // A backup taken shortly before may contain rows or keys that were removed after the confirmation.
    this.completesAt = now.add(backupLifetime);
  }
}
ErasureSchema.setClass(Erasure);

/**
 * Matches the confirmed erasures that the job has to carry out. One that ended soon after its confirmation is carried out
 * once more: a message that was being prepared for the person then stores an opt-out link. It does not lock the record, so
 * that no message waits for a lock.
 */
export function toDueFilter(now: Temporal.Instant) {
  return {
    $or: [
      { confirmedAt: { $ne: null }, erasedAt: null },
      {
        confirmedAt: { $gt: now.subtract(REPEATABLE), $lte: now.subtract(LONGEST_REQUEST) },
        erasedAt: { $lt: raw(`confirmed_at + interval '${LONGEST_REQUEST.minutes} minutes'`) },
      },
    ],
  };
}

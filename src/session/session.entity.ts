import { defineEntity, p } from '@mikro-orm/core';
import { columns } from '../shared/persistence/index.js';
import type { SessionSlot } from './series.js';

export const SESSION_STATUSES = ['SCHEDULED'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

const SessionSchema = defineEntity({
  name: 'Session',
  tableName: 'session',
  properties: {
    id: columns.id(),
    clinicId: columns.reference(),
    seriesId: p.uuid(),
    caregiverId: columns.reference(),
    clientId: columns.reference(),
    designPlanId: columns.reference().nullable().strictNullable(),
    title: p.text(),
    description: p.text().nullable().strictNullable(),
    /** As planned, on the wall clock of `timeZone`: yyyy-MM-dd and HH:mm. */
    plannedDate: p.text(),
    plannedTime: p.text(),
    timeZone: p.text(),
    startsAt: columns.instant(),
    status: p.text().$type<SessionStatus>(),
    remindDays: p.integer().nullable().strictNullable(),
    createdAt: columns.instant(),
  },
});

/** What all Sessions of one series share. */
export type SeriesData = {
  seriesId: string;
  clinicId: number;
  caregiverId: number;
  clientId: number;
  designPlanId?: number;
  title: string;
  description?: string;
  remindDays?: number;
};

/** One appointment of a Client with a Care Provider. */
export class Session extends SessionSchema.class {
  constructor(series: SeriesData, slot: SessionSlot, now: Temporal.Instant) {
    super();
    this.clinicId = series.clinicId;
    this.seriesId = series.seriesId;
    this.caregiverId = series.caregiverId;
    this.clientId = series.clientId;
    this.designPlanId = series.designPlanId ?? null;
    this.title = series.title;
    this.description = series.description ?? null;
    this.plannedDate = slot.planned.toPlainDate().toString();
    this.plannedTime = slot.planned.toPlainTime().toString({ smallestUnit: 'minute' });
    this.timeZone = slot.timeZone;
    this.startsAt = slot.startsAt;
    this.status = 'SCHEDULED';
    this.remindDays = series.remindDays ?? null;
    this.createdAt = now;
  }
}
SessionSchema.setClass(Session);

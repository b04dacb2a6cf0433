import { defineEntity, p } from '@mikro-orm/core';
import { columnTypes } from '../../shared/persistence/index.js';
import type { CancelReason, SessionStatus } from './session-status.js';

/** The columns of the table `session`; the class `Session` adds the behaviour. */
export const SessionSchema = defineEntity({
  name: 'Session',
  tableName: 'session',
  properties: {
    id: columnTypes.id(),
    clinicId: columnTypes.reference(),
    seriesId: p.uuid(),
    /**
     * Position in the series, from 1, by start. Assigned at creation and again when a revision adds or removes weeks.
     */
    position: p.integer(),
    caregiverId: columnTypes.reference(),
    clientId: columnTypes.reference(),
    designPlanId: columnTypes.reference().nullable().strictNullable(),
    /** `ordering` of the plan week that this Session belongs to. */
    planWeek: p.integer().nullable().strictNullable(),
    title: columnTypes.encrypted('CLIENT', 'clientId'),
    description: columnTypes.encrypted('CLIENT', 'clientId').nullable().strictNullable(),
    /** Planned local date (yyyy-MM-dd) and time (HH:mm) in `timeZone`. */
    plannedDate: p.text(),
    plannedTime: p.text(),
    timeZone: p.text(),
    durationMinutes: p.integer(),
    startsAt: columnTypes.instant(),
    endsAt: columnTypes.instant(),
    status: p.text().$type<SessionStatus>(),
    statusChangedAt: columnTypes.instant().nullable().strictNullable(),
    cancelReason: p.text().$type<CancelReason>().nullable().strictNullable(),
    cancelNote: columnTypes.encrypted('CLIENT', 'clientId').nullable().strictNullable(),
    /** Incremented with each change. Used as the entity tag; the SEQUENCE of the calendar event is one less. */
    version: p.integer(),
    createdAt: columnTypes.instant(),
    updatedAt: columnTypes.instant(),
  },
});

import type { Options } from 'ajv';
import { isReminderOffset } from '../../../src/reminder/domain/timing/due-time.js';
import { parseClockTime, parseSlashDate, parseDateTime } from '../../../src/shared/time/index.js';
import { ALL_INCLUDED } from './list.js';

/* The same rules as the product's zod schemas, for Ajv. Unknown fields are ignored; values are not coerced. */

const longId = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
const optionalLongId = { type: ['integer', 'null'], minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const optionalText = (maxLength: number) => ({ type: ['string', 'null'], maxLength, storable: true });
const clock = { type: 'string', format: 'clock' };
const slashDate = { type: 'string', format: 'slash-date' };
const optionalInteger = (minimum: number, maximum: number) => ({ type: ['integer', 'null'], minimum, maximum });
const listOf = (items: object, maxItems: number) => ({ type: ['array', 'null'], items, maxItems });
const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required });

const assignRemind = object({ reminderDay: { type: 'integer', minimum: 0, maximum: 7 }, time: clock }, [
  'reminderDay',
  'time',
]);
const assignment = object({ bookId: longId, assignReminds: listOf(assignRemind, 20) }, ['bookId']);
const week = object({
  name: optionalText(200),
  ordering: optionalInteger(0, Number.MAX_SAFE_INTEGER),
  assignments: listOf(assignment, 50),
});

export const createPlanBodySchema = object(
  {
    planName: { type: 'string', minLength: 1, maxLength: 200, pattern: '\\S', storable: true },
    createdDate: { type: ['string', 'null'], maxLength: 64, format: 'moment' },
    appointmentTitle: optionalText(200),
    appointmentDesc: optionalText(4000),
    caregiverId: optionalLongId,
    clinicId: optionalLongId,
    template: { type: ['boolean', 'null'] },
    weeks: listOf(week, 104),
  },
  ['planName'],
);

const series = {
  clientId: longId,
  date: slashDate,
  time: clock,
  caregiverId: optionalLongId,
  intervalDays: optionalInteger(1, 365),
  remindDays: optionalInteger(0, 3650),
  reminders: listOf({ type: 'string', maxLength: 32, format: 'reminder-offset' }, 10),
  durationMinutes: optionalInteger(1, 720),
};

export const createSessionsBodySchema = object(
  {
    ...series,
    title: optionalText(200),
    description: optionalText(4000),
    clinicId: optionalLongId,
    sessionCount: optionalInteger(0, 100),
    bookIdList: listOf(longId, 100),
    designPlanId: optionalLongId,
  },
  ['clientId', 'date', 'time'],
);

export const applyPlanBodySchema = object(
  { ...series, fromWeek: optionalInteger(0, 1_000_000), toWeek: optionalInteger(0, 1_000_000) },
  ['clientId', 'date', 'time'],
);

export const changeSessionBodySchema = {
  ...object({
    title: { type: 'string', minLength: 1, maxLength: 200, pattern: '\\S', storable: true },
    description: optionalText(4000),
    date: slashDate,
    time: clock,
    durationMinutes: { type: 'integer', minimum: 1, maximum: 720 },
  }),
  anyOf: ['title', 'description', 'date', 'time', 'durationMinutes'].map((name) => ({ required: [name] })),
};

export const idParamSchema = object({ id: { type: 'string', pattern: '^[1-9]\\d{0,15}$' } }, ['id']);

export const listQuerySchema = object({
  limit: { type: 'string', pattern: '^(\\d|[1-9]\\d|1\\d\\d|200)$' },
  from: { type: 'string', format: 'instant' },
  to: { type: 'string', format: 'instant' },
  include: { type: 'string', const: ALL_INCLUDED },
});

export const weekQuerySchema = object({
  from: { type: 'string', format: 'date' },
  timeZone: { type: 'string', maxLength: 64 },
});

export const offsetHeaderSchema = object({ offset: { type: 'string', format: 'offset' } });

export const AJV_OPTIONS: Options = {
  coerceTypes: false,
  removeAdditional: false,
  allErrors: true,
  allowUnionTypes: true,
  keywords: [
    {
      keyword: 'storable',
      type: 'string',
      validate: (_: unknown, value: string) => !value.includes('\0') && value.isWellFormed(),
    },
  ],
  formats: {
    clock: (value: string) => parseClockTime(value) !== undefined,
    'slash-date': (value: string) => parseSlashDate(value) !== undefined,
    moment: (value: string) => parseDateTime(value) !== undefined,
    'reminder-offset': isReminderOffset,
    date: (value: string) => /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)),
    instant: (value: string) => !Number.isNaN(Date.parse(value)),
    offset: (value: string) => /^[+-]?\d{1,4}$/.test(value) && Math.abs(Number(value)) <= 840,
  },
};

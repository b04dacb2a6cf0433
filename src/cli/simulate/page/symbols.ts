import type { ReminderResult } from '../report/reminder-result.js';
import type { ReminderType } from '../report/weekly-events.js';
import { markup, type Markup } from './markup.js';

/* The symbols in the chart. The shape of a reminder shows its type, and the fill shows its result. */

type Point = { x: number; y: number };

export const REMINDER_TYPE_NAMES: Readonly<Record<ReminderType, string>> = {
  CLIENT_SESSION: 'Client, of the Session',
  CLIENT_HOMEWORK: 'Client, of homework',
  CARE_PROVIDER: 'Care Provider, of the Session',
};

export const REMINDER_RESULT_NAMES: Readonly<Record<ReminderResult['kind'], string>> = {
  SENT: 'Sent',
  DEFERRED: 'Deferred, then sent',
  WITHDRAWN: 'Withdrawn',
  NOT_SENT: 'Not sent',
};

/** Renders a reminder at the time when it was sent or was due. */
export function renderReminderSymbol(type: ReminderType, result: ReminderResult['kind'], { x, y }: Point): Markup {
  const place = `translate(${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10})`;
  return markup`<g class="mark ${result.toLowerCase()}" transform="${place}">${renderShape(type)}${renderStrikeThrough(result)}</g>`;
}

/** Renders the hollow symbol that marks when a deferred reminder was due. */
export function renderDueTimeSymbol(type: ReminderType, { x, y }: Point): Markup {
  return markup`<g class="mark due" transform="translate(${x} ${y})">${renderShape(type)}</g>`;
}

export function renderCompletionSymbol({ x, y }: Point): Markup {
  return markup`<path class="done" d="M${x - 5} ${y}l3.5 4l6.5 -8"/>`;
}

export function renderSessionSymbol(x: number, y: number, width: number, height: number, isCancelled: boolean): Markup {
  const name = isCancelled ? 'session cancelled' : 'session';
  return markup`<rect class="${name}" x="${x}" y="${y}" width="${width}" height="${height}" rx="3"/>`;
}

function renderShape(type: ReminderType): Markup {
  if (type === 'CLIENT_SESSION') return markup`<circle r="5"/>`;
  if (type === 'CLIENT_HOMEWORK') return markup`<path d="M0 -6.2L6.2 0L0 6.2L-6.2 0Z"/>`;
  return markup`<path d="M0 -5.8L5.8 4.6L-5.8 4.6Z"/>`;
}

function renderStrikeThrough(result: ReminderResult['kind']): Markup {
  if (result === 'WITHDRAWN') return markup`<path d="M-6.5 6.5L6.5 -6.5"/>`;
  if (result === 'NOT_SENT') return markup`<path d="M-6.5 6.5L6.5 -6.5M-6.5 -6.5L6.5 6.5"/>`;
  return markup``;
}

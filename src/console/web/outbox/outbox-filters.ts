import type { Reminder } from '@care-scheduling/client';

type Status = Reminder['status'];

/**
 * The tabs, with the states that each one lists. Upcoming reminders are sorted soonest first, all others latest first.
 */
export const OUTBOX_TABS = {
  due: { status: ['PENDING', 'QUEUED'], sort: 'dueAt' },
  sent: { status: ['SENT'], sort: '-dueAt' },
  failed: { status: ['DEAD'], sort: '-dueAt' },
  skipped: { status: ['SKIPPED'], sort: '-dueAt' },
  withdrawn: { status: ['WITHDRAWN'], sort: '-dueAt' },
} as const satisfies Record<string, { status: readonly Status[]; sort: 'dueAt' | '-dueAt' }>;

export type OutboxTab = keyof typeof OUTBOX_TABS;

export type OutboxFilterValues = {
  tab: OutboxTab;
  kind: '' | Reminder['kind'];
  recipientKind: '' | Reminder['recipientKind'];
  /** Inclusive range of days, `yyyy-MM-dd`. An empty string means no limit. */
  from: string;
  to: string;
  /** ID of a Session. An empty string means all Sessions. */
  session: string;
};

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Reads the filters from a URL. Invalid values are ignored. */
export function readOutboxFilters(query: URLSearchParams): OutboxFilterValues {
  const read = (name: string) => query.get(name) ?? '';
  const choose = <T extends string>(name: string, known: readonly T[]) => known.find((one) => one === read(name)) ?? '';
  const day = (name: string) => (DATE.test(read(name)) ? read(name) : '');
  return {
    tab: choose('tab', Object.keys(OUTBOX_TABS) as OutboxTab[]) || 'due',
    kind: choose('kind', ['SESSION', 'HOMEWORK']),
    recipientKind: choose('recipient', ['CLIENT', 'CARE_PROVIDER']),
    from: day('from'),
    to: day('to'),
    session: /^[1-9]\d{0,14}$/.test(read('session')) ? read('session') : '',
  };
}

/** Returns the path of the list. @param reminder ID of the reminder whose history is open */
export function toOutboxPath(filters: OutboxFilterValues, reminder?: number): string {
  const { tab, kind, recipientKind, from, to, session } = filters;
  const values = { tab: tab === 'due' ? '' : tab, kind, recipient: recipientKind, from, to, session };
  const given = Object.entries({ ...values, reminder: reminder === undefined ? '' : String(reminder) });
  const query = new URLSearchParams(given.filter(([, value]) => value !== '')).toString();
  return query === '' ? '/outbox' : `/outbox?${query}`;
}

/** Returns the number of filters that narrow the list of a tab. */
export function countOutboxFilters({ kind, recipientKind, from, to, session }: OutboxFilterValues): number {
  return [kind, recipientKind, from, to, session].filter((value) => value !== '').length;
}

/** Whether the service allows sending the reminder again. */
export function isRedrivable({ status, reason }: Pick<Reminder, 'status' | 'reason'>): boolean {
  return status === 'DEAD' || (status === 'SKIPPED' && reason === 'TOO_LATE');
}

import type { AuditEntry } from '@care-scheduling/client';

export const AUDIT_ROLES = [
  ...(['CLINIC', 'CARE_PROVIDER', 'CLIENT', 'ADMIN', 'CALENDAR_LINK', 'OPT_OUT_LINK'] as const),
  ...(['NOBODY', 'COMMAND', 'SYSTEM'] as const),
] satisfies readonly AuditEntry['actorRole'][];

export type AuditFilterValues = {
  role: '' | AuditEntry['actorRole'];
  access: '' | AuditEntry['access'];
  outcome: '' | 'OK' | 'DENIED';
  /** Kind and ID of a record, such as `client/1`. */
  record: string;
  /** Inclusive range of days, `yyyy-MM-dd`. An empty string means no limit. */
  from: string;
  to: string;
};

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Reads the filters from a URL. Invalid values are ignored. */
export function readAuditFilters(query: URLSearchParams): AuditFilterValues {
  const read = (name: string) => query.get(name) ?? '';
  const choose = <T extends string>(name: string, known: readonly T[]) => known.find((one) => one === read(name)) ?? '';
  const day = (name: string) => (DATE.test(read(name)) ? read(name) : '');
  return {
    role: choose('role', AUDIT_ROLES),
    access: choose('access', ['READ', 'WRITE']),
    outcome: choose('outcome', ['OK', 'DENIED']),
    record: isRecordReference(read('record')) ? read('record') : '',
    from: day('from'),
    to: day('to'),
  };
}

/** Whether a text names a record, such as `care-provider/2`. The service refuses longer kinds and IDs. */
export function isRecordReference(text: string): boolean {
  return /^(?=[a-z-]{1,40}\/)[a-z]+(-[a-z]+)*\/[\w-]{1,40}$/.test(text);
}

export function toAuditPath(filters: AuditFilterValues): string {
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== '')).toString();
  return query === '' ? '/audit' : `/audit?${query}`;
}

export function countAuditFilters(filters: AuditFilterValues): number {
  return Object.values(filters).filter((value) => value !== '').length;
}

/** Returns the cursor of the next part of an export. @param link the `Link` header */
export function readNextCursor(link: string | null): string | undefined {
  const url = /<([^>]+)>;\s*rel="next"/.exec(link ?? '')?.[1];
  return (url === undefined ? undefined : new URLSearchParams(url.split('?')[1]).get('cursor')) ?? undefined;
}

export function toNdjsonLines(entries: readonly AuditEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

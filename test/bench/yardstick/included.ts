/* Related data of Sessions: names, homework with titles, upcoming reminders and overlaps. */

const MAX_REMINDERS = 20;
const MAX_CONFLICTS = 10;

/** JSON columns for each Session `s`, which has a column `earliest`, of the Clinic `c`. */
export const INCLUDED_COLUMNS = `
  client.name as client_name, provider.name as provider_name, homework.items as homework, reminders.items as reminders,
  conflicts.items as conflicts`;

export const INCLUDED_JOINS = `
  left join client on client.clinic_id = c.id and client.id = s.client_id
  left join care_provider provider on provider.clinic_id = c.id and provider.id = s.caregiver_id
  left join lateral (
    select coalesce(json_agg(json_build_array(h.id, h.book_id, b.title, (extract(epoch from h.completed_at) * 1000)::int8)
      order by h.id), '[]') as items
    from homework h left join book b on b.id = h.book_id and (b.clinic_id = c.id or b.clinic_id is null)
    where h.clinic_id = c.id and h.session_id = s.session_id
  ) homework on true
  left join lateral (
    select coalesce(json_agg(json_build_array(r.id, r.homework_id, r.recipient_kind,
      (extract(epoch from r.due_at) * 1000)::int8, (extract(epoch from r.send_at) * 1000)::int8) order by r.due_at, r.id),
      '[]') as items
    from (
      select * from reminder where clinic_id = c.id and session_id = s.session_id and status in ('PENDING', 'QUEUED')
      order by due_at, id limit ${MAX_REMINDERS}
    ) r
  ) reminders on true
  left join lateral (
    select coalesce(json_agg(json_build_array(o.id, o.caregiver_id, o.client_id,
      (extract(epoch from o.starts_at) * 1000)::int8, (extract(epoch from o.ends_at) * 1000)::int8)
      order by o.starts_at, o.id), '[]') as items
    from (${overlapsBy('caregiver_id')} union ${overlapsBy('client_id')}) o
    where s.status = 'SCHEDULED'
  ) conflicts on true`;

function overlapsBy(column: string): string {
  return `(
    select id, caregiver_id, client_id, starts_at, ends_at from session
    where clinic_id = c.id and ${column} = s.${column} and status = 'SCHEDULED' and starts_at < s.ends_at
      and starts_at > s.earliest and ends_at > s.starts_at and id <> s.session_id
    order by starts_at, id limit ${MAX_CONFLICTS})`;
}

export type IncludedRow = {
  client_id: string;
  caregiver_id: string;
  client_name: string;
  provider_name: string;
  position: number;
  starts_at: Date;
  ends_at: Date;
  homework: [number, number, string | null, number | null][];
  reminders: [number, number | null, string, number, number][];
  conflicts: [number, number, number, number, number][];
};

const instant = (milliseconds: number) => new Date(milliseconds).toISOString();

export function toHomework({ homework }: IncludedRow) {
  return homework.map(([id, bookId, title, completedAt]) => ({
    ...{ id, bookId, bookTitle: title ?? '' },
    completedAt: completedAt === null ? null : instant(completedAt),
  }));
}

export const toProgress = ({ homework }: IncludedRow) => ({
  done: homework.filter(([, , , completedAt]) => completedAt !== null).length,
  total: homework.length,
});

export function toPeople(row: IncludedRow) {
  return {
    client: { id: Number(row.client_id), name: row.client_name },
    careProvider: { id: Number(row.caregiver_id), name: row.provider_name },
  };
}

export function toBooks({ homework }: IncludedRow) {
  const titles = new Map(homework.map(([, id, title]) => [id, title ?? '']));
  return [...titles].map(([id, title]) => ({ id, title }));
}

export function toReminders({ reminders }: IncludedRow) {
  return reminders.map(([id, homeworkId, recipientKind, dueAt, sendAt]) => {
    return { id, homeworkId, recipientKind, dueAt: instant(dueAt), sendAt: instant(sendAt) };
  });
}

export function toConflicts(row: IncludedRow) {
  const [careProvider, client] = [Number(row.caregiver_id), Number(row.client_id)];
  const own = {
    position: row.position,
    startsAt: row.starts_at.toISOString(),
    endsAt: row.ends_at.toISOString(),
  };
  return row.conflicts.slice(0, MAX_CONFLICTS).map(([id, otherProvider, otherClient, startsAt, endsAt]) => {
    const isProvider = otherProvider === careProvider;
    const participant = isProvider && otherClient === client ? 'BOTH' : isProvider ? 'CARE_PROVIDER' : 'CLIENT';
    const other = { otherSessionId: id, otherStartsAt: instant(startsAt), otherEndsAt: instant(endsAt) };
    return { ...own, with: participant, ...other };
  });
}

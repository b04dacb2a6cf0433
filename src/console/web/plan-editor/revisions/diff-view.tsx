import type { DesignPlanDiff } from '@care-scheduling/client';
import { useText } from '../../text/text.js';
import { Badge, EmptyState, type Tone } from '../../ui/index.js';
import { toBookTitle } from '../book-title.js';
import { toDefaultWeekName } from '../draft/orderings.js';
import type { BookLookup, RevisionSummary } from '../plan-editor-data.js';
import { planEditorText } from '../plan-editor.text.js';
import {
  toWeekChanges,
  type BookChange,
  type ChangeKind,
  type ReminderChange,
  type WeekChange,
  type WeekNameChange,
} from './diff-weeks.js';

type Texts = (typeof planEditorText)['en'];

const TONES: Readonly<Record<ChangeKind, Tone>> = {
  added: 'good',
  removed: 'danger',
  changed: 'neutral',
  movedIn: 'accent',
  movedOut: 'accent',
};

type DiffViewProps = {
  diff: DesignPlanDiff;
  before: RevisionSummary;
  after: RevisionSummary;
  bookLookup: BookLookup;
  names: ReadonlyMap<number, string>;
};

/**
 * Shows the added, removed and moved Books and reminders of each week. They are marked with words and symbols, not only
 * with colours.
 */
export function DiffView({ diff, before, after, bookLookup, names }: DiffViewProps) {
  const text = useText(planEditorText);
  const weeks = toWeekChanges(diff);
  const fields = listFieldChanges(before, after, text, names);
  if (weeks.length === 0 && fields.length === 0) return <EmptyState icon="check" title={text.noChanges} />;
  return (
    <>
      {fields.length > 0 && (
        <dl class="plan-editor-diff-fields">
          {fields.map(({ label, from, to }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <del>{from}</del> <ins>{to}</ins>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {weeks.length === 0 && <p class="quiet">{text.noChanges}</p>}
      <ol class="plan-editor-diff">
        {weeks.map((week) => (
          <WeekDiff key={week.ordering} week={week} bookLookup={bookLookup} />
        ))}
      </ol>
    </>
  );
}

function WeekDiff({ week, bookLookup }: { week: WeekChange; bookLookup: BookLookup }) {
  const text = useText(planEditorText);
  const { ordering, names, books } = week;
  const [only = 'changed', ...others] = names.map(({ kind }) => kind);
  return (
    <li class={`plan-editor-diff-week tone-${TONES[others.length === 0 ? only : 'changed']}`}>
      <h3>{text.week(ordering)}</h3>
      {names.map((change) => (
        <WeekNameDiff key={change.kind} change={change} ordering={ordering} />
      ))}
      <ul class="plan-editor-diff-books">
        {books.map((book) => (
          <BookDiff key={book.bookId} book={book} title={toBookTitle(book.bookId, bookLookup, text)} />
        ))}
      </ul>
    </li>
  );
}

function WeekNameDiff({ change, ordering }: { change: WeekNameChange; ordering: number }) {
  const text = useText(planEditorText);
  const { kind, name, formerName, otherWeek } = change;
  return (
    <p class="small plan-editor-diff-name">
      {kind !== 'changed' && <Badge tone={TONES[kind]}>{toLabel(kind, otherWeek, text)}</Badge>}
      {formerName === undefined ? (
        name !== toDefaultWeekName(ordering) && <span>{name}</span>
      ) : (
        <>
          <del>{formerName}</del> <ins>{name}</ins>
        </>
      )}
    </p>
  );
}

function BookDiff({ book: { kind, otherWeek, reminders }, title }: { book: BookChange; title: string }) {
  const text = useText(planEditorText);
  return (
    <li class={`plan-editor-diff-book tone-${TONES[kind]}`}>
      <span class="plan-editor-diff-sign" aria-hidden="true">
        {SIGNS[kind]}
      </span>
      <div class="plan-editor-diff-text">
        <p class="plan-editor-book-title">{kind === 'removed' ? <del>{title}</del> : title}</p>
        <p class="small plan-editor-diff-kind">{toLabel(kind, otherWeek, text)}</p>
        {reminders.length > 0 && (
          <ul class="plan-editor-diff-reminders small">
            {reminders.map((reminder, index) => (
              <li key={index}>{toReminderText(reminder, text)}</li>
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}

const SIGNS: Readonly<Record<ChangeKind, string>> = {
  added: '+',
  removed: '−',
  changed: '~',
  movedIn: '→',
  movedOut: '←',
};

function toLabel(kind: ChangeKind, otherWeek: number | undefined, text: Texts): string {
  if (kind === 'movedIn') return `${text.relocated} ${text.movedFrom(otherWeek!)}`;
  if (kind === 'movedOut') return `${text.relocated} ${text.movedTo(otherWeek!)}`;
  return text[kind];
}

function toReminderText({ kind, day, time, from }: ReminderChange, text: Texts) {
  const place = text.dayTime(day, time);
  if (kind === 'removed')
    return (
      <>
        − <del>{place}</del> <span class="visually-hidden">{text.removed}</span>
      </>
    );
  if (kind === 'added')
    return (
      <>
        + <ins>{place}</ins> <span class="visually-hidden">{text.added}</span>
      </>
    );
  return (
    <>
      → <del>{text.dayTime(from!.day, from!.time)}</del> <ins>{place}</ins>
    </>
  );
}

function listFieldChanges(
  before: RevisionSummary,
  after: RevisionSummary,
  text: Texts,
  names: ReadonlyMap<number, string>,
) {
  const toName = (id: number | null) =>
    id === null ? text.noCareProvider : (names.get(id) ?? text.careProviderNumber(id));
  const rows = [
    { label: text.fields.planName, from: before.planName, to: after.planName },
    { label: text.fields.appointmentTitle, from: before.appointmentTitle ?? '–', to: after.appointmentTitle ?? '–' },
    { label: text.fields.appointmentDesc, from: before.appointmentDesc ?? '–', to: after.appointmentDesc ?? '–' },
    { label: text.fields.caregiverId, from: toName(before.caregiverId), to: toName(after.caregiverId) },
  ];
  return rows.filter(({ from, to }) => from !== to);
}

import { Injectable } from '@nestjs/common';
import { PersonNameReader, type PersonNamesById, type IncludedBook } from '../../directory/index.js';
import type { ReminderViewer } from '../../reminder/index.js';
import { sendTogether } from '../../shared/persistence/index.js';
import type { Session } from '../domain/session.entity.js';
import type { IncludeName } from './include-names.js';
import type { IncludedSessionFields } from './included-fields.js';
import { SessionDetailsLoader, type LoadedSessionDetails } from './session-details.loader.js';

/** Homework keyed by Session ID. Only the Book ID of each homework is needed here. */
type HomeworkBySession = ReadonlyMap<number, readonly { bookId: number }[]>;

type IncludeOptions = {
  /** The names of the data that the request asks for; undefined if it asks for none. */
  include: ReadonlySet<IncludeName> | undefined;
  /** Homework of the Sessions, whose Books `include=books` adds. */
  homework: HomeworkBySession;
  /** Book titles that have already been read, keyed by Book ID. */
  bookTitles?: ReadonlyMap<number, string>;
  /** The caller, who determines which reminders are included. If absent, reminders are not included. */
  remindersFor?: ReminderViewer;
  /** ID of a further Care Provider whose name is needed, in addition to those of the Sessions. */
  careProviderId?: number;
};

/**
 * Loads the data that a request selects with `include`: names with one statement, everything else with another. Access
 * is not checked here, because a caller who may see a Session may also see the names of its participants.
 */
@Injectable()
export class IncludeLoader {
  constructor(
    private readonly details: SessionDetailsLoader,
    private readonly names: PersonNameReader,
  ) {}

  /** @param sessions Sessions of one Clinic, all of which the caller may see */
  async load(sessions: readonly Readonly<Session>[], options: IncludeOptions): Promise<IncludedData> {
    const { include = new Set(), homework, bookTitles, remindersFor } = options;
    const wanted = {
      conflicts: include.has('conflicts'),
      ...(include.has('reminders') && remindersFor && { remindersFor }),
      ...(include.has('books') &&
        !bookTitles && { bookIds: [...homework.values()].flat().map(({ bookId }) => bookId) }),
    };
    const [details, names] = await sendTogether([
      () => this.details.load(sessions, wanted),
      () => this.findNames(sessions, include, options),
    ]);
    return new IncludedData(include, homework, bookTitles ? { ...details, bookTitles } : details, names);
  }

  private findNames(
    sessions: readonly Readonly<Session>[],
    include: ReadonlySet<IncludeName>,
    { careProviderId }: IncludeOptions,
  ): Promise<PersonNamesById> {
    const careProviderIds = [...sessions.map(({ caregiverId }) => caregiverId), careProviderId ?? []].flat();
    return this.names.findByIds(sessions[0]?.clinicId ?? 0, {
      clientIds: include.has('client') ? sessions.map(({ clientId }) => clientId) : [],
      careProviderIds: include.has('careProvider') && sessions.length > 0 ? careProviderIds : [],
    });
  }
}

/** The loaded data, from which the included fields of each item are taken. */
export class IncludedData {
  constructor(
    private readonly include: ReadonlySet<IncludeName>,
    private readonly homework: HomeworkBySession,
    private readonly details: LoadedSessionDetails,
    private readonly names: PersonNamesById,
  ) {}

  /** Returns the fields of a Session that the request selects with `include`. */
  getFields(session: Readonly<Session>): IncludedSessionFields {
    return { ...this.getPeople(session.clientId, session.caregiverId), ...this.getDetails(session) };
  }

  getPeople(clientId: number, careProviderId: number): Pick<IncludedSessionFields, 'client' | 'careProvider'> {
    const { clients, careProviders } = this.names;
    const missing = '';
    return {
      ...(this.include.has('client') && { client: clients.get(clientId) ?? { id: clientId, name: missing } }),
      ...(this.include.has('careProvider') && {
        careProvider: careProviders.get(careProviderId) ?? { id: careProviderId, name: missing },
      }),
    };
  }

  getDetails({ id }: Readonly<Session>): Pick<IncludedSessionFields, 'books' | 'remindersAhead' | 'conflicts'> {
    const { remindersAhead, conflicts } = this.details;
    return {
      ...(this.include.has('books') && { books: this.getBooks(this.homework.get(id) ?? []) }),
      ...(this.include.has('reminders') && { remindersAhead: remindersAhead.get(id) ?? [] }),
      ...(this.include.has('conflicts') && { conflicts: conflicts.get(id) ?? [] }),
    };
  }

  /** Returns the Books of the homework, each Book once. */
  getBooks(homework: readonly { bookId: number }[]): IncludedBook[] {
    const ids = [...new Set(homework.map(({ bookId }) => bookId))];
    return ids.map((id) => ({ id, title: this.details.bookTitles.get(id) ?? '' }));
  }
}

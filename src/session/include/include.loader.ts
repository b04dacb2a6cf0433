import { Injectable } from '@nestjs/common';
import { PersonNames, type FoundNames, type IncludedBook } from '../../directory/index.js';
import type { RecipientKind } from '../../reminder/index.js';
import type { Session } from '../domain/session.entity.js';
import type { IncludeName } from './include-names.js';
import type { IncludedMembers } from './included-members.js';
import { SessionDetailsLoader, type IncludedDetails } from './session-details.loader.js';

/** Homework by Session ID, as far as an item needs it. */
type HomeworkBySession = ReadonlyMap<number, readonly { bookId: number }[]>;

type IncludeOptions = {
  /** undefined: nothing is included, and nothing is read. */
  include: ReadonlySet<IncludeName> | undefined;
  /** Homework of the Sessions, whose Books `books` shows. */
  homework: HomeworkBySession;
  /** The recipients whose reminders the caller may see. */
  remindersOf: readonly RecipientKind[];
  /** A Care Provider whose name is needed in addition to those of the Sessions. */
  careProviderId?: number;
};

export const ALL_RECIPIENTS: readonly RecipientKind[] = ['CLIENT', 'CARE_PROVIDER'];

/**
 * Reads what `include` adds to Sessions: names in one statement, all else in another. The caller may see the Sessions,
 * and therefore the names of their participants.
 */
@Injectable()
export class IncludeLoader {
  constructor(
    private readonly details: SessionDetailsLoader,
    private readonly names: PersonNames,
  ) {}

  /** @param sessions Sessions of one Clinic that the caller may see */
  async load(sessions: readonly Session[], options: IncludeOptions): Promise<IncludedData> {
    const { include = new Set(), homework, remindersOf } = options;
    const details = await this.details.load(sessions, {
      conflicts: include.has('conflicts'),
      ...(include.has('reminders') && { remindersOf }),
      ...(include.has('books') && { bookIds: [...homework.values()].flat().map(({ bookId }) => bookId) }),
    });
    return new IncludedData(include, homework, details, await this.findNames(sessions, include, options));
  }

  private findNames(
    sessions: readonly Session[],
    include: ReadonlySet<IncludeName>,
    { careProviderId }: IncludeOptions,
  ): Promise<FoundNames> {
    const careProviderIds = [...sessions.map(({ caregiverId }) => caregiverId), careProviderId ?? []].flat();
    return this.names.findByIds(sessions[0]?.clinicId ?? 0, {
      clientIds: include.has('client') ? sessions.map(({ clientId }) => clientId) : [],
      careProviderIds: include.has('careProvider') && sessions.length > 0 ? careProviderIds : [],
    });
  }
}

/** What `include` adds to items. */
export class IncludedData {
  constructor(
    private readonly include: ReadonlySet<IncludeName>,
    private readonly homework: HomeworkBySession,
    private readonly details: IncludedDetails,
    private readonly names: FoundNames,
  ) {}

  /** The members of a Session: only those that `include` names. */
  membersOf(session: Session): IncludedMembers {
    return { ...this.peopleOf(session.clientId, session.caregiverId), ...this.detailsOf(session) };
  }

  peopleOf(clientId: number, careProviderId: number): Pick<IncludedMembers, 'client' | 'careProvider'> {
    const { clients, careProviders } = this.names;
    const missing = '';
    return {
      ...(this.include.has('client') && { client: clients.get(clientId) ?? { id: clientId, name: missing } }),
      ...(this.include.has('careProvider') && {
        careProvider: careProviders.get(careProviderId) ?? { id: careProviderId, name: missing },
      }),
    };
  }

  detailsOf({ id }: Session): Pick<IncludedMembers, 'books' | 'remindersAhead' | 'conflicts'> {
    const { remindersAhead, conflicts } = this.details;
    return {
      ...(this.include.has('books') && { books: this.booksOf(this.homework.get(id) ?? []) }),
      ...(this.include.has('reminders') && { remindersAhead: remindersAhead.get(id) ?? [] }),
      ...(this.include.has('conflicts') && { conflicts: conflicts.get(id) ?? [] }),
    };
  }

  /** The Books of homework, each once. */
  booksOf(homework: readonly { bookId: number }[]): IncludedBook[] {
    const ids = [...new Set(homework.map(({ bookId }) => bookId))];
    return ids.map((id) => ({ id, title: this.details.bookTitles.get(id) ?? '' }));
  }
}

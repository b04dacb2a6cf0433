import { Injectable } from '@nestjs/common';
import { chooseLocale, Client, Directory, ParticipantLocks, type CareProvider } from '../directory/index.js';
import type { CareProviderPrincipal, ClientPrincipal, StaffPrincipal } from '../shared/access/index.js';
import { ForbiddenError } from '../shared/errors/index.js';
import type { CalendarOwner } from './calendar-link.entity.js';

/** Callers that have a calendar. */
export type CallerWithCalendar = CareProviderPrincipal | ClientPrincipal;

/** The locale of a person, or of the Clinic if the person has none. Null means English. */
type WithLocale = { locale: string | null };

/** Resolves the owner of a calendar, within the caller's transaction. */
@Injectable()
export class CalendarOwnerResolver {
  constructor(
    private readonly directory: Directory,
    private readonly locks: ParticipantLocks,
  ) {}

  /** @throws ForbiddenError when the record that the token names, or its Clinic, does not exist or is not active */
  async requireOwner(caller: CallerWithCalendar): Promise<CalendarOwner> {
    return toCalendarOwner((await this.requirePerson(caller)).person);
  }

  /** Like `requireOwner`, but also locks the owner until the transaction ends. */
  async lockOwner(caller: CallerWithCalendar): Promise<CalendarOwner> {
    const { person } = await this.requirePerson(caller);
    await this.locks.lockCaller(person.clinicId, { kind: caller.role, id: person.id });
    return toCalendarOwner(person);
  }

  /** Returns undefined if the owner or their Clinic is deactivated. */
  async findActiveOwner(owner: CalendarOwner): Promise<WithLocale | undefined> {
    try {
      const { locale } = await this.requirePerson(toPrincipal(owner));
      return { locale };
    } catch (error) {
      if (error instanceof ForbiddenError) return undefined;
      throw error;
    }
  }

  /** @throws ForbiddenError when the record that the token names, or its Clinic, does not exist or is not active */
  async requireLocale(caller: StaffPrincipal | ClientPrincipal): Promise<string | null> {
    if (caller.role === 'CLINIC') return (await this.directory.requireClinic(caller)).locale;
    return (await this.requirePerson(caller)).locale;
  }

  private async requirePerson(caller: CallerWithCalendar): Promise<{ person: CareProvider | Client } & WithLocale> {
    if (caller.role === 'CLIENT') {
      const { client, clinic } = await this.directory.requireClient(caller);
      return { person: client, locale: chooseLocale(client, clinic) };
    }
    const { careProvider, clinic } = await this.directory.requireCareProvider(caller);
    return { person: careProvider, locale: chooseLocale(careProvider, clinic) };
  }
}

function toCalendarOwner(person: CareProvider | Client): CalendarOwner {
  const { clinicId, id } = person;
  return person instanceof Client ? { clinicId, clientId: id } : { clinicId, caregiverId: id };
}

/** Returns the principal on whose behalf a request with the link acts. */
function toPrincipal(owner: CalendarOwner): CallerWithCalendar {
  const subject = 'calendar-link';
  return 'clientId' in owner
    ? { role: 'CLIENT', subject, clientId: owner.clientId }
    : { role: 'CARE_PROVIDER', subject, caregiverId: owner.caregiverId };
}

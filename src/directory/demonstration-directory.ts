// eslint-disable-next-line no-restricted-imports -- Creates records in several Clinics.
import { EntityManager } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Clock } from '../shared/time/index.js';
import { Book } from './domain/book.entity.js';
import { ClientAssignment } from './domain/client-assignment.entity.js';
import { Clinic } from './domain/clinic.entity.js';
import { CareProvider, Client } from './domain/person.entity.js';

const NORTH = 1;
const WEST = 2;
const SHARED_BOOK_TITLES = [
  'Sleep diary',
  'Breathing exercises',
  'Thought record',
  'Activity plan',
  'Worry time',
  'Gratitude journal',
];

/**
 * Seeds an empty embedded database with demonstration records (docs/decisions.md, "Demonstration directory"). The
 * documented IDs depend on the order in which the records are created.
 */
@Injectable()
export class DemonstrationDirectory {
  constructor(
    private readonly em: EntityManager,
    private readonly clock: Clock,
  ) {}

  /** Whether the database contains no Clinics. */
  async isEmpty(): Promise<boolean> {
    return (await this.em.count(Clinic)) === 0;
  }

  /** Creates the records if the database contains no Clinics. */
  async seedIfEmpty(): Promise<void> {
    await this.em.transactional(async (em) => {
      if (!(await this.isEmpty())) return;
      const now = this.clock.now();
      const batches = [
        [
          new Clinic({ name: 'Demo Clinic North', timeZone: 'Europe/London' }, now),
          new Clinic({ name: 'Demo Clinic West', timeZone: 'America/Los_Angeles' }, now),
        ],
        [NORTH, NORTH, WEST].map(
          (clinicId, index) => new CareProvider(clinicId, person('Care Provider', index + 1), now),
        ),
        [NORTH, NORTH, NORTH, WEST].map((clinicId, index) => new Client(clinicId, person('Client', index + 1), now)),
        [
          ...SHARED_BOOK_TITLES.map((title) => new Book(null, { title }, now)),
          new Book(NORTH, { title: 'North walking group' }, now),
          new Book(WEST, { title: 'West art group' }, now),
        ],
        [
          new ClientAssignment(NORTH, 1, 1, now),
          new ClientAssignment(NORTH, 2, 1, now),
          new ClientAssignment(NORTH, 3, 2, now),
          new ClientAssignment(WEST, 4, 3, now),
        ],
      ];
      for (const batch of batches) await em.persist<object>(batch).flush();
    });
  }
}

function person(kind: string, ordinal: number): { name: string; email: string } {
  const mailbox = `${kind} ${ordinal}`.toLowerCase().replaceAll(' ', '-');
  return { name: `Demo ${kind} ${ordinal}`, email: `${mailbox}@example.org` };
}

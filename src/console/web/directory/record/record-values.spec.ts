import type { Client } from '@care-scheduling/client';
import { canChangeRecord, toListQuery, type DirectoryRecord } from './record-kinds.js';
import { findRecordChanges, findConflictingFields, toCreateRecordBody, toFormValues } from './record-values.js';

const client = (change: Partial<Client> = {}): Client => ({
  ...{ id: 1, externalId: null, active: true, version: 1, createdAt: '2027-03-20T10:00:00.000Z', clinicId: 1 },
  ...{ name: 'Alex', email: 'alex@example.org', timeZone: null, locale: null, careProviderIds: [] },
  ...change,
});

it('begins with the texts of the record, and with none for a new one', () => {
  expect(toFormValues(['name', 'email', 'timeZone'], client())).toEqual({
    ...{ name: 'Alex', email: 'alex@example.org', timeZone: '' },
  });
  expect(toFormValues(['name'])).toEqual({ name: '' });
});

it('sends what is filled in', () => {
  expect(toCreateRecordBody({ name: ' Alex ', email: ' ' })).toEqual({ name: 'Alex' });
});

it('sends only what has changed, and clears what was emptied', () => {
  expect(findRecordChanges({ name: 'Alex ', email: '', timeZone: 'Europe/Madrid' }, client())).toEqual({
    ...{ email: null, timeZone: 'Europe/Madrid' },
  });
});

it('finds a conflict only where both have changed a field to different values', () => {
  const saved = client({ name: 'Alexa', email: 'new@example.org' });
  expect(findConflictingFields({ name: 'Alexander' }, client(), saved)).toEqual(['name']);
  expect(findConflictingFields({ name: 'Alexa', locale: 'de' }, client(), saved)).toEqual([]);
});

it('asks the service in its words', () => {
  const query = { search: ' sleep ', active: true, sort: '-label', cursor: 'x', limit: 25 };
  expect(toListQuery('books', query)).toEqual({
    ...{ limit: 25, count: 'estimated', title: 'sleep', active: true, sort: '-title', cursor: 'x' },
  });
  expect(toListQuery('clinics', { ...query, active: undefined, cursor: undefined })).toEqual({
    ...{ limit: 25, count: 'estimated' },
  });
});

it('knows the Books of the shared catalogue', () => {
  const book = { title: 'Sleep diary', clinicId: null } as DirectoryRecord;
  expect(canChangeRecord('books', book)).toBe(false);
  expect(canChangeRecord('catalogue', book)).toBe(true);
  expect(canChangeRecord('clients', client())).toBe(true);
});

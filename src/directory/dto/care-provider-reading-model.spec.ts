import { Client } from '../domain/person.entity.js';
import { toAssignedClientView } from './care-provider-reading-model.js';

const NOW = Temporal.Instant.from('2026-11-21T09:00:00Z');
const CLINIC = { timeZone: 'Europe/London', locale: null };

it.each([
  ['their own', 'America/New_York', 'America/New_York'],
  ["the Clinic's if they have none", null, 'Europe/London'],
  ["the Clinic's if only another release knows their own", 'Europe/Unknown', 'Europe/London'],
])('shows the time zone of a Client that the service uses: %s', (_, timeZone, expected) => {
  const client = new Client(1, { name: 'Alex Example', timeZone }, NOW);
  expect(toAssignedClientView(client, NOW, CLINIC).timeZone).toBe(expected);
});

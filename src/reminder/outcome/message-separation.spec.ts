import { toDeadLetterOutcome, toDeferredOutcome } from './delivery-outcome.js';
import { separateFromSentMessages } from './message-separation.js';

const UNTIL = Temporal.Instant.from('2026-11-21T10:00:00Z');
const MESSAGES = new Map([
  [1, 'sent'],
  [2, 'waiting'],
]);
const separate = (outcome: Parameters<typeof separateFromSentMessages>[0][number]) =>
  separateFromSentMessages([outcome], MESSAGES, new Set(['sent']))[0]!;

it('gives a reminder that waits a new message if its message is sent without it', () => {
  const outcome = toDeferredOutcome(1, UNTIL, 'CHANNEL_BUSY');
  const { messageId, ...rest } = separate(outcome);
  expect(rest).toEqual(outcome);
  expect(messageId).toMatch(/^[\da-f-]{36}$/);
});

it.each([
  ['waits together with its message', toDeferredOutcome(2, UNTIL, 'CHANNEL_BUSY')],
  ['is a dead letter', toDeadLetterOutcome(1, 'UNDELIVERABLE')],
])('does not change a reminder that %s', (_, outcome) => {
  expect(separate(outcome)).toEqual(outcome);
});

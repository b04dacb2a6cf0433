import { jest } from '@jest/globals';
import { ChannelCircuitBreaker, type FailureScope } from './channel-circuit-breaker.js';

class Refusal extends Error {
  constructor(readonly blame: FailureScope) {
    super(blame);
  }
}

/** The server's response for each recipient. */
let answer: (recipient: string) => FailureScope | 'OK';
let asked: string[];
let circuit: ChannelCircuitBreaker<string, string>;
beforeEach(() => {
  jest.useFakeTimers();
  asked = [];
  const send = async (recipient: string) => {
    asked.push(recipient);
    const said = answer(recipient);
    if (said !== 'OK') throw new Refusal(said);
    return 'taken';
  };
  circuit = new ChannelCircuitBreaker(send, {
    minimumMessages: 5,
    failurePercentage: 50,
    classifyFailure: (error) => (error as Refusal).blame,
  });
});
afterEach(() => {
  circuit.shutdown();
  jest.useRealTimers();
});

const fire = (recipient: string) => circuit.send(recipient, recipient).catch((error: unknown) => (error as Error).name);
const fireAll = async (recipients: string[]) => {
  const said: string[] = [];
  for (const recipient of recipients) said.push(await fire(recipient));
  return said;
};
const names = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `k${from + index}`);

it('opens after refusals of five different recipients, and tries five more after the reset time', async () => {
  answer = () => 'RECIPIENT';
  expect(await fireAll(names(1, 7))).toEqual([...Array<string>(5).fill('Error'), 'RetryLaterError', 'RetryLaterError']);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(await fireAll(names(6, 11))).toEqual([...Array<string>(5).fill('Error'), 'RetryLaterError']);
});

it('ignores repeated refusals of the same recipients', async () => {
  answer = () => 'RECIPIENT';
  await fireAll([...names(1, 4), ...names(1, 4), ...names(1, 4)]);
  expect(asked).toHaveLength(12);
});

it('ignores refusals with successes between them', async () => {
  answer = (recipient) => (/[05]$/.test(recipient) ? 'OK' : 'RECIPIENT');
  await fireAll(names(1, 100));
  expect(asked).toHaveLength(100);
});

it('ignores permanent refusals', async () => {
  answer = () => 'MESSAGE';
  await fireAll(names(1, 100));
  expect(asked).toHaveLength(100);
});

it('opens for a failing server, and tries one message after the reset time', async () => {
  answer = () => 'SERVER';
  await fireAll(names(1, 10));
  expect(asked).toHaveLength(5);
  await jest.advanceTimersByTimeAsync(5_000);
  await fireAll(names(1, 10));
  expect(asked).toHaveLength(6);
  await jest.advanceTimersByTimeAsync(5_000);
  answer = () => 'OK';
  expect(await fireAll(names(1, 10))).toEqual(Array<string>(10).fill('taken'));
});

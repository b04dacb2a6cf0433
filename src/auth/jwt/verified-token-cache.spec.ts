import { jest } from '@jest/globals';
import { freezeSystemClock } from '../../../test/support/app/system-clock.js';
import { VerifiedTokenCache, type VerifiedToken } from './verified-token-cache.js';

const FAR_AWAY = 4_000_000_000;
const verified = (subject: string, exp = FAR_AWAY): VerifiedToken => ({
  principal: { role: 'ADMIN', subject },
  jti: undefined,
  issuedAt: undefined,
  holderKeys: [],
  exp,
});
const MOST = 10_000;

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

it('finds a token by its full text', () => {
  const tokens = new VerifiedTokenCache();
  tokens.add('one', 1, verified('one'));
  tokens.add('other', 1, verified('other'));
  expect(tokens.get('one', 1)).toMatchObject(verified('one'));
  expect(tokens.get('other', 1)).toMatchObject(verified('other'));
  expect(tokens.get('on', 1)).toBeUndefined();
});

it.each([2, undefined])('removes an entry of another key version: %s', (keys) => {
  const tokens = new VerifiedTokenCache();
  tokens.add('one', 1, verified('one'));
  expect([tokens.get('one', keys), tokens.get('one', 1)]).toEqual([undefined, undefined]);
});

it('finds a token until it expires', () => {
  const [tokens, end] = [new VerifiedTokenCache(), 1_800_000_000];
  tokens.add('one', 1, verified('one', end));
  freezeSystemClock(end * 1000 - 1);
  expect(tokens.get('one', 1)).toBeDefined();
  freezeSystemClock(end * 1000);
  expect(tokens.get('one', 1)).toBeUndefined();
});

it('removes the oldest entry beyond ten thousand', () => {
  const tokens = new VerifiedTokenCache();
  const keep = (index: number) => tokens.add(`token ${index}`, 1, verified(`${index}`));
  const isKept = (index: number) => tokens.get(`token ${index}`, 1) !== undefined;
  for (let index = 0; index < MOST; index += 1) keep(index);
  expect(isKept(0)).toBe(true);
  keep(MOST);
  expect([isKept(0), isKept(1), isKept(MOST - 1), isKept(MOST)]).toEqual([false, true, true, true]);
});

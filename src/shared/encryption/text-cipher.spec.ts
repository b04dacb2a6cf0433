import fc from 'fast-check';
import { createSecretKey, randomBytes } from 'node:crypto';
import {
  computeTextDigest,
  decryptText,
  encryptText,
  escapeEncryptionMark,
  findKeyOwnerKind,
  isEncryptedText,
  unescapeEncryptionMark,
} from './text-cipher.js';

const key = createSecretKey(randomBytes(32));
const PLACE = 'session.title/12';
/** Texts that PostgreSQL can store, many of which begin with the mark of encrypted texts. */
const texts = fc
  .tuple(fc.constantFrom('', '\u0001', '\u0001\u0001', '\u00011c', '\u00011'), fc.string({ unit: 'grapheme' }))
  .map((parts) => parts.join(''));

it('decrypts each text that it has encrypted', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const encrypted = encryptText(key, 'CLIENT', text, PLACE);
      expect(isEncryptedText(encrypted)).toBe(true);
      expect(findKeyOwnerKind(encrypted)).toBe('CLIENT');
      expect(decryptText(key, encrypted, PLACE)).toBe(text);
    }),
  );
});

it('never takes a plain text for an encrypted one', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const stored = escapeEncryptionMark(text);
      expect(isEncryptedText(stored)).toBe(false);
      expect(unescapeEncryptionMark(stored)).toBe(text);
    }),
  );
});

it('reads plain texts of earlier releases as they are, unless they look encrypted', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      fc.pre(!text.startsWith('\u0001'));
      expect(unescapeEncryptionMark(text)).toBe(text);
    }),
  );
});

it('refuses a text at another place, with another key, or with any changed character', () => {
  fc.assert(
    fc.property(texts, fc.nat(), (text, position) => {
      const encrypted = encryptText(key, 'CLIENT', text, PLACE);
      expect(decryptText(key, encrypted, 'session.title/13')).toBeUndefined();
      expect(decryptText(key, encrypted, 'session.description/12')).toBeUndefined();
      expect(decryptText(createSecretKey(randomBytes(32)), encrypted, PLACE)).toBeUndefined();
      const bytes = Buffer.from(encrypted.slice(3), 'base64');
      bytes[position % bytes.length]! ^= 1;
      expect(decryptText(key, encrypted.slice(0, 3) + bytes.toString('base64'), PLACE)).toBeUndefined();
      expect(decryptText(key, encrypted.slice(0, 10), PLACE)).toBeUndefined();
      for (const added of ['x', 'AAAA', '=']) expect(decryptText(key, encrypted + added, PLACE)).toBeUndefined();
    }),
  );
});

it('encrypts equal texts differently', () => {
  const encrypted = Array.from({ length: 1_000 }, () => encryptText(key, 'CLIENT', 'Sleep', PLACE));
  expect(new Set(encrypted).size).toBe(1_000);
});

it('computes equal digests only of equal texts with the same key and purpose', () => {
  const digest = computeTextDigest(key, 'ehr-1', 'client.externalId');
  expect(computeTextDigest(key, 'ehr-1', 'client.externalId')).toBe(digest);
  expect(computeTextDigest(key, 'ehr-2', 'client.externalId')).not.toBe(digest);
  expect(computeTextDigest(key, 'ehr-1', 'care_provider.externalId')).not.toBe(digest);
  expect(computeTextDigest(createSecretKey(randomBytes(32)), 'ehr-1', 'client.externalId')).not.toBe(digest);
});

import { expect } from '@jest/globals';

/*
 * Makes Jest compare Temporal values by their text. They have no properties of their own, so without this, `toEqual` and
 * similar matchers take two different instants for equal.
 */

const textOf = (value: unknown): string | undefined => {
  const tag = Object.prototype.toString.call(value);
  return tag.startsWith('[object Temporal.') ? `${tag} ${String(value)}` : undefined;
};

expect.addEqualityTesters([
  (one: unknown, other: unknown) => {
    const [text, otherText] = [textOf(one), textOf(other)];
    return text === undefined || otherText === undefined ? undefined : text === otherText;
  },
]);

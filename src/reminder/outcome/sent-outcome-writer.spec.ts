import type { EntityManager } from '@mikro-orm/core';
import type { OutcomeWriter } from './outcome-writer.js';
import { SentOutcomeWriter } from './sent-outcome-writer.js';

const CLINIC_ID = 1;

/** Creates a writer whose writes succeed at once. */
function createWriter(): SentOutcomeWriter {
  const transactional = (work: () => Promise<void>) => work();
  const em = { config: {}, fork: () => ({ transactional }) } as unknown as EntityManager;
  return new SentOutcomeWriter(em, { writeSent: () => Promise.resolve() } as unknown as OutcomeWriter);
}

// One of these moments is that at which the queue of the first message becomes empty.
it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])(
  'writes the outcomes of a message that is sent %i microtasks after another one',
  async (count) => {
    const writer = createWriter();
    const first = writer.write({ messageId: 'first', clinicId: CLINIC_ID }, []);
    for (let microtask = 0; microtask < count; microtask += 1) await Promise.resolve();
    const second = writer.write({ messageId: 'second', clinicId: CLINIC_ID }, []);
    await Promise.all([first, second]);
    expect([writer.isPending('first'), writer.isPending('second')]).toEqual([false, false]);
  },
  1_000,
);

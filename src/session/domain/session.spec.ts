import { createSessionSlot } from './series-slots.js';
import { Session } from './session.entity.js';

const EARLIER = Temporal.Instant.from('2027-01-01T00:00:00Z');
const START = Temporal.PlainDateTime.from('2027-01-04T09:30');
const BEFORE_START = Temporal.Instant.from('2027-01-04T09:00:00Z');
const AFTER_START = Temporal.Instant.from('2027-01-04T10:00:00Z');

/** A Session of Care Provider 1. */
function newSession(): Session {
  const data = { seriesId: 'S', clinicId: 1, caregiverId: 1, clientId: 1, title: 'T' };
  return new Session(data, { position: 1 }, createSessionSlot(START, 'UTC'), EARLIER);
}
const paused = () => {
  const session = newSession();
  session.pause(EARLIER);
  return session;
};
const cancelled = () => {
  const session = newSession();
  session.cancel({ reason: 'ILLNESS' }, EARLIER);
  return session;
};

describe('Session.rejoin', () => {
  const SAME = { careProviderId: 1, isPaused: false };
  const PAUSED = { careProviderId: 1, isPaused: true };
  const REASSIGNED = { careProviderId: 2, isPaused: false };
  const BOTH = { careProviderId: 2, isPaused: true };

  it.each<
    [
      what: string,
      session: () => Session,
      series: { careProviderId: number; isPaused: boolean },
      now: Temporal.Instant,
      after: { caregiverId: number; status: string; changes: number },
    ]
  >([
    [
      'changes nothing if the Session fits its series',
      newSession,
      SAME,
      BEFORE_START,
      { caregiverId: 1, status: 'SCHEDULED', changes: 0 },
    ],
    [
      'pauses a Session of a paused series',
      newSession,
      PAUSED,
      BEFORE_START,
      { caregiverId: 1, status: 'PAUSED', changes: 1 },
    ],
    ['does not pause a Session again', paused, PAUSED, BEFORE_START, { caregiverId: 1, status: 'PAUSED', changes: 0 }],
    [
      'reassigns a Session of a reassigned series',
      newSession,
      REASSIGNED,
      BEFORE_START,
      { caregiverId: 2, status: 'SCHEDULED', changes: 1 },
    ],
    [
      'reassigns a paused Session whose time has passed',
      paused,
      REASSIGNED,
      AFTER_START,
      { caregiverId: 2, status: 'PAUSED', changes: 1 },
    ],
    ['does both', newSession, BOTH, BEFORE_START, { caregiverId: 2, status: 'PAUSED', changes: 2 }],
    [
      'does not change a Session that has started',
      newSession,
      BOTH,
      AFTER_START,
      { caregiverId: 1, status: 'SCHEDULED', changes: 0 },
    ],
    [
      'does not change a cancelled Session',
      cancelled,
      BOTH,
      BEFORE_START,
      { caregiverId: 1, status: 'CANCELLED', changes: 0 },
    ],
  ])('%s', (_what, create, series, now, { changes, ...after }) => {
    const session = create();
    const { version } = session;
    session.rejoin(series, now);
    expect(session).toMatchObject({ ...after, version: version + changes });
  });
});

describe('Session.undo', () => {
  const MONTHS_LATER = Temporal.Instant.from('2027-06-01T00:00:00Z');
  const undone = () => {
    const session = cancelled();
    session.undo(null, EARLIER);
    return session;
  };

  it.each([
    ['was restored long ago', undone, 'A Session that is SCHEDULED does not allow undo. It allows: complete, no-show'],
    ['was paused long ago', paused, 'A Session that is PAUSED does not allow undo. It allows: cancel.'],
    ['was cancelled long ago', cancelled, 'The status CANCELLED cannot be undone after 30 days.'],
  ])('refuses a Session that %s, and says why', (_, create, detail) => {
    expect(() => create().undo(null, MONTHS_LATER)).toThrow(detail);
  });

  const completed = () => {
    const session = newSession();
    session.complete(AFTER_START);
    return session;
  };

  it.each([
    ['before it has started', undone, 'undo', BEFORE_START, 'does not allow undo. It allows: cancel.'],
    ['after it has started', undone, 'undo', AFTER_START, 'does not allow undo. It allows: complete, no-show, cancel.'],
    ['that can be undone', completed, 'pause', AFTER_START, 'does not allow pause. It allows: undo.'],
    ['that was completed long ago', completed, 'pause', MONTHS_LATER, 'does not allow pause. It allows no step.'],
  ] as const)('names only steps that a Session %s allows', (_, create, step, now, detail) => {
    const session = create();
    expect(() => (step === 'undo' ? session.undo(null, now) : session.pause(now))).toThrow(detail);
  });

  it('removes the reason and the note of a cancellation', () => {
    const session = newSession();
    session.cancel({ reason: 'ILLNESS', note: 'flu' }, EARLIER);
    session.undo(null, EARLIER);
    expect(session).toMatchObject({ cancelReason: null, cancelNote: null });
  });
});

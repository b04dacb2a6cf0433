import { LogPosition } from './log-position.js';
import { ReplicaProgress } from './replica-progress.js';

const at = (lsn: number, timeline = 1) => new LogPosition(timeline, BigInt(lsn));

it.each([
  [1, '0/3000148', '000000010000000003000148'],
  [16, 'A/FFFFFFFF', '000000100000000AFFFFFFFF'],
  [1, 'FFFFFFFF/0', '00000001FFFFFFFF00000000'],
])('writes timeline %i and LSN %s as %s, and reads it back', (timeline, lsn, token) => {
  const position = LogPosition.fromServer(timeline, lsn);
  expect(String(position)).toBe(token);
  expect(String(LogPosition.parse(token))).toBe(token);
});

it.each(['', '0/3000148', '00000001000000000300014', '00000001000000000300014g', '000000010000000003000148 '])(
  'refuses the token %p',
  (token) => expect(LogPosition.parse(token)).toBeUndefined(),
);

it('writes tokens that sort like positions', () => {
  const positions = [at(9), at(16), at(2 ** 40), at(1, 2), at(1, 17)];
  expect(positions.map(String).toSorted()).toEqual(positions.map(String));
});

it('covers a position only with its timeline and its LSN', () => {
  expect(at(5).covers(at(5))).toBe(true);
  expect(at(4).covers(at(5))).toBe(false);
  // After a failover, a replica of the old primary has different changes at the same LSN.
  expect(at(9, 1).covers(at(5, 2))).toBe(false);
  expect(at(4, 2).covers(at(5, 1))).toBe(false);
  expect(at(9, 1).max(at(5, 2))).toEqual(at(9, 2));
});

it('measures the age by the newest position of the primary that the replica has reached', () => {
  const progress = new ReplicaProgress();
  expect(progress.getAge(0)).toBeUndefined();
  progress.recordPrimary({ at: 1_000, position: at(10) });
  progress.recordReplica(at(9));
  expect(progress.findFloor(1_000, 5_000)).toBeUndefined();
  progress.recordReplica(at(10));
  expect(progress.getAge(1_010)).toBe(10);
  progress.recordPrimary({ at: 2_000, position: at(20) });
  progress.recordPrimary({ at: 3_000, position: at(30) });
  progress.recordReplica(at(25));
  expect(progress.getAge(3_000)).toBe(1_000);
  expect(progress.findFloor(6_000, 4_000)).toEqual(at(20));
  expect(progress.findFloor(6_001, 4_000)).toBeUndefined();
  expect(progress.hasReached(at(25))).toBe(true);
  expect(progress.hasReached(at(26))).toBe(false);
});

it('ages while the primary does not answer, although the replica has all that it has received', () => {
  const progress = new ReplicaProgress();
  progress.recordPrimary({ at: 0, position: at(10) });
  for (let now = 1_000; now <= 6_000; now += 1_000) progress.recordReplica(at(10));
  expect(progress.findFloor(6_000, 5_000)).toBeUndefined();
});

it('bounds the samples while replay is paused, and ignores late answers', () => {
  const progress = new ReplicaProgress();
  for (let second = 0; second < 10_000; second += 1)
    progress.recordPrimary({ at: second * 1_000, position: at(second) });
  expect((progress as unknown as { samples: unknown[] }).samples.length).toBeLessThanOrEqual(900);
  progress.recordPrimary({ at: 5_000, position: at(5) });
  progress.recordReplica(at(9_999));
  expect(progress.getAge(9_999_000)).toBe(0);
});

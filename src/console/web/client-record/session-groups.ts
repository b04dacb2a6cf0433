import type { SeriesSummary, Session } from '@care-scheduling/client';

/** A series with those of its Sessions that the caller may see. */
export type SeriesWithSessions = {
  id: string;
  title: string;
  /** undefined if the caller may see only some Sessions of the series, and therefore cannot change it as a whole. */
  series: SeriesSummary | undefined;
  /** The Sessions, sorted by start. */
  sessions: readonly Session[];
  /** The homework progress, without cancelled Sessions. */
  progress: { done: number; total: number };
};

/** Groups Sessions by series. Series with upcoming Sessions come first, in the order of their next Session. */
export function groupSessionsBySeries(
  sessions: readonly Session[],
  series: readonly SeriesSummary[],
): readonly SeriesWithSessions[] {
  const known = new Map(series.map((one) => [one.id, one]));
  const groups = Map.groupBy(sessions, ({ seriesId }) => seriesId);
  return [...groups]
    .map(([id, members]): SeriesWithSessions => {
      const sorted = members.toSorted((a, b) => (a.startsAt < b.startsAt ? -1 : 1));
      return { id, title: sorted[0]!.title, series: known.get(id), sessions: sorted, progress: sumProgress(sorted) };
    })
    .toSorted((a, b) => toRank(a).localeCompare(toRank(b)));
}

function sumProgress(sessions: readonly Session[]): SeriesWithSessions['progress'] {
  const counted = sessions.filter(({ status }) => status !== 'CANCELLED').map(({ progress }) => progress);
  return {
    done: counted.reduce((sum, { done }) => sum + done, 0),
    total: counted.reduce((sum, { total }) => sum + total, 0),
  };
}

/** Returns the sort key of a series: first those with an upcoming Session by its start, then all others, latest first. */
function toRank({ series, sessions }: SeriesWithSessions): string {
  const next = series?.nextSession?.startsAt ?? sessions.find(isOpen)?.startsAt;
  if (next !== undefined) return `0 ${next}`;
  const last = sessions.at(-1)!.startsAt;
  // Each digit is replaced by its complement, so that the latest series comes first.
  return `1 ${last.replaceAll(/\d/g, (digit) => String(9 - Number(digit)))}`;
}

function isOpen({ status }: Session): boolean {
  return status === 'SCHEDULED' || status === 'PAUSED';
}

/** Returns the next scheduled Session. @param at the current time, ISO 8601 in UTC */
export function findNextSession(sessions: readonly Session[], at: string): Session | undefined {
  return sessions
    .filter(({ status, endsAt }) => status === 'SCHEDULED' && endsAt > at)
    .toSorted((a, b) => (a.startsAt < b.startsAt ? -1 : 1))[0];
}

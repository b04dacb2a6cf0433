import type { CallOptions, CareSchedulingClient, SeriesChange, SeriesSummary } from '@care-scheduling/client';
import { SESSION_QUERY_KEYS } from '../../data/session-query-keys.js';
import { useApiMutation } from '../../data/use-api-mutation.js';
import { useApiQuery } from '../../data/use-api-query.js';
import { CLIENT_RECORD_QUERY_AREA } from '../client-record-data.js';
import { getStaffApi } from '../../data/staff-api.js';

export type SeriesActionKind = 'pause' | 'resume' | 'shift' | 'skip' | 'revise';

/** An action on a series, and the first Session that it affects. */
export type SeriesAction = { kind: SeriesActionKind; sessionId?: number };

/** The input of an action. `days` is the number of days by which `shift` moves the series. */
export type SeriesActionRequest = SeriesAction & { seriesId: string; days: number };

type Mode = { dryRun: boolean; conflicts: 'report' | 'reject' };

export const MAX_SHIFT_DAYS = 365;

export function listAvailableSeriesActions({
  pausedAt,
  upcomingCount,
  designPlanId,
  revision,
}: SeriesSummary): readonly SeriesActionKind[] {
  if (upcomingCount === 0) return [];
  const revise = designPlanId !== null && revision !== null ? (['revise'] as const) : [];
  return pausedAt === null ? ['shift', 'skip', 'pause', ...revise] : ['resume', 'shift', ...revise];
}

/** Loads the dry run of a change. */
export function useSeriesChangeDryRun(request: SeriesActionRequest, enabled: boolean) {
  return useApiQuery<SeriesChange>({
    key: [CLIENT_RECORD_QUERY_AREA, 'dry-run', request],
    enabled,
    keepsPrevious: true,
    read: (api, signal) => send(api, request, { dryRun: true, conflicts: 'report' }, { signal }),
  });
}

/** Applies an action to a series. @param showsError returns true for errors that the dialog shows itself */
export function useSeriesChange(options: {
  done: (change: SeriesChange) => string;
  onDone: () => void;
  showsError: (error: Error) => boolean;
}) {
  return useApiMutation<{ request: SeriesActionRequest; conflicts: Mode['conflicts'] }, SeriesChange>({
    ...options,
    change: (api, { request, conflicts }, options) => send(api, request, { dryRun: false, conflicts }, options),
    refreshes: SESSION_QUERY_KEYS,
  });
}

function send(
  api: CareSchedulingClient,
  { kind, seriesId, sessionId, days }: SeriesActionRequest,
  mode: Mode,
  options: CallOptions,
): Promise<SeriesChange> {
  const staff = getStaffApi(api);
  const input = { seriesId, ...mode };
  switch (kind) {
    case 'pause':
      return staff.pauseSeries(input, options);
    case 'resume':
      return staff.resumeSeries(input, options);
    case 'revise':
      return staff.reviseSeries({ ...input, body: {} }, options);
    case 'skip':
      return staff.skipSeriesWeek({ ...input, body: sessionId === undefined ? {} : { sessionId } }, options);
    case 'shift': {
      const from = sessionId === undefined ? {} : { fromSessionId: sessionId };
      return staff.shiftSeries({ ...input, body: { days, ...from } }, options);
    }
  }
}

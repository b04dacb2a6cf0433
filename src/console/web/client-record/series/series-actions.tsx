import type { SeriesSummary } from '@care-scheduling/client';
import { useText } from '../../text/text.js';
import { Button, type IconName } from '../../ui/index.js';
import { clientRecordText } from '../client-record.text.js';
import { listAvailableSeriesActions, type SeriesActionKind, type SeriesAction } from './series-change.js';

const ICONS: Readonly<Record<SeriesActionKind, IconName>> = {
  pause: 'pause',
  resume: 'arrow',
  shift: 'calendar',
  skip: 'arrow',
  revise: 'refresh',
};

/** Buttons for the changes to a series with upcoming Sessions. Each one opens a dialog with the dry run. */
export function SeriesActions(props: { series: SeriesSummary; onChoose: (action: SeriesAction) => void }) {
  const text = useText(clientRecordText);
  const actions = listAvailableSeriesActions(props.series);
  if (actions.length === 0) return null;
  return (
    <div class="client-actions no-print">
      {actions.map((kind) => (
        <Button
          key={kind}
          size="small"
          icon={ICONS[kind]}
          variant={kind === 'resume' ? 'primary' : 'secondary'}
          onClick={() => props.onChoose({ kind })}
        >
          {text[kind]}
        </Button>
      ))}
    </div>
  );
}

import type { Week } from '@care-scheduling/client';
import { useMemo } from 'preact/hooks';
import { useText } from '../text/text.js';
import { Button } from '../ui/index.js';
import { findCareProviderColour, toInitials } from './session-marks.js';
import { MAX_CHOSEN_PEOPLE, useActiveCareProviders } from './week-data.js';
import { weekText } from './week.text.js';

/** Returns a function that finds the colour of a Care Provider. */
export function useCareProviderColours(week: Week): (id: number) => number {
  const { data } = useActiveCareProviders();
  return useMemo(() => {
    const ids = [...(data ?? []), ...week.sessions.map(({ careProvider }) => careProvider)].map(({ id }) => id);
    const sorted = [...new Set(ids)].sort((one, other) => one - other);
    return (id) => findCareProviderColour(sorted, id);
  }, [data, week.sessions]);
}

/** Returns the names of the chosen Care Providers, for the print, which does not contain the filter. */
export function useChosenNames(chosen: readonly number[]): string {
  const { data: people = [] } = useActiveCareProviders();
  return people
    .filter(({ id }) => chosen.includes(id))
    .map(({ name }) => name)
    .join(', ');
}

type FilterProps = { chosen: readonly number[]; onChoose: (ids: readonly number[]) => void };

/** Lists the Care Providers with their colours and initials. The list is both a legend and a filter. */
export function CareProviderFilter({ chosen, onChoose }: FilterProps) {
  const text = useText(weekText);
  const { data: people = [], isPending } = useActiveCareProviders();
  const sorted = useMemo(() => people.map(({ id }) => id).sort((one, other) => one - other), [people]);
  // An empty element reserves the space of the filter, so that the week does not move when the filter appears.
  if (isPending) return <div class="week-people" />;
  if (people.length < 2) return null;
  const toggle = (id: number) => onChoose(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  const isFull = chosen.length >= MAX_CHOSEN_PEOPLE;
  return (
    <div class="no-print">
      <div class="week-people" role="group" aria-label={text.people}>
        {people.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            class={`week-person week-colour-${findCareProviderColour(sorted, id)}`}
            aria-pressed={chosen.includes(id)}
            disabled={isFull && !chosen.includes(id)}
            onClick={() => toggle(id)}
          >
            <span class="week-initials" aria-hidden="true">
              {toInitials(name)}
            </span>
            <span>{name}</span>
          </button>
        ))}
        {chosen.length > 0 && (
          <Button variant="quiet" size="small" onClick={() => onChoose([])}>
            {text.everyone}
          </Button>
        )}
      </div>
      <p class="small quiet" role="status">
        {isFull && text.atMost(MAX_CHOSEN_PEOPLE)}
      </p>
    </div>
  );
}

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Badge } from './surface.js';
import { useIsNarrowScreen } from './use-is-narrow-screen.js';

type FilterFormProps = {
  label: string;
  /** The number of filters that are set. */
  count: number;
  /** Whether the fields are collapsed at first on wide screens too, unless a filter is set. */
  startsFolded?: boolean;
  children: ComponentChildren;
};

/** The filters of a list. They are collapsed on narrow screens, where they would leave no room for the list. */
export function FilterForm({ label, count, startsFolded = false, children }: FilterFormProps) {
  const isNarrow = useIsNarrowScreen();
  const [isOpenAtFirst] = useState(!isNarrow && (count > 0 || !startsFolded));
  return (
    <details class="fold no-print" open={isOpenAtFirst}>
      <summary>
        {label} {count > 0 && <Badge tone="accent">{count}</Badge>}
      </summary>
      <form class="filters" aria-label={label} onSubmit={(event) => event.preventDefault()}>
        {children}
      </form>
    </details>
  );
}

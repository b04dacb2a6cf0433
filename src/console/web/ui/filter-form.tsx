import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Badge } from './surface.js';
import { useNarrow } from './use-narrow.js';

type FilterFormProps = {
  label: string;
  /** The number of filters that narrow the list. */
  count: number;
  /** Whether the fields are folded on wide screens too, as long as no filter is set. */
  startsFolded?: boolean;
  children: ComponentChildren;
};

/** The filters of a list. On a narrow screen they are folded, because they would fill it. */
export function FilterForm({ label, count, startsFolded = false, children }: FilterFormProps) {
  const isNarrow = useNarrow();
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

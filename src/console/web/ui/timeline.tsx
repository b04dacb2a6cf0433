import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.js';
import type { Tone } from './surface.js';

export type TimelineItem = {
  key: string | number;
  icon: IconName;
  tone?: Tone;
  /** The time of the item, for example `<Time … />`. */
  when: ComponentChildren;
  title: ComponentChildren;
  detail?: ComponentChildren;
};

/** A list of events in chronological order, from top to bottom. */
export function Timeline({ label, items }: { label: string; items: readonly TimelineItem[] }) {
  return (
    <ol class="timeline" aria-label={label}>
      {items.map(({ key, icon, tone = 'neutral', when, title, detail }) => (
        <li key={key} class="timeline-item">
          <span class={`timeline-mark tone-${tone}`}>
            <Icon name={icon} size={16} />
          </span>
          <div class="timeline-text">
            <p class="small quiet">{when}</p>
            <p class="timeline-title">{title}</p>
            {detail !== undefined && <div class="small quiet">{detail}</div>}
          </div>
        </li>
      ))}
    </ol>
  );
}

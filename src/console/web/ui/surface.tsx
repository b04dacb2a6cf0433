import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { shouldFocusHeading } from '../app/router.js';
import { Icon } from './icon.js';

type PageProps = {
  title: string;
  /** The title of the browser's tab, which stays in its history. Required if `title` is the name of a person. */
  tabTitle?: string;
  /** One sentence that is shown below the title. */
  intro?: ComponentChildren;
  actions?: ComponentChildren;
  width?: 'narrow' | 'normal' | 'full';
  children: ComponentChildren;
};

/** A page. Its heading gets the focus after navigation, so that screen readers start there. */
export function Page({ title, tabTitle = title, intro, actions, width = 'normal', children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (shouldFocusHeading()) heading.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, []);
  useEffect(() => {
    document.title = `${tabTitle} · Care scheduling`;
  }, [tabTitle]);
  return (
    <div class={`page page-${width}`}>
      <div class="page-head">
        <div class="page-titles">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {intro !== undefined && <p class="page-intro quiet">{intro}</p>}
        </div>
        {actions !== undefined && <div class="row no-print">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

type CardProps = { title?: string; actions?: ComponentChildren; children: ComponentChildren };

export function Card({ title, actions, children }: CardProps) {
  return (
    <section class="card">
      {title !== undefined && (
        <div class="card-head">
          <h2>{title}</h2>
          {actions}
        </div>
      )}
      {children}
    </section>
  );
}

export type Tone = 'neutral' | 'accent' | 'good' | 'attention' | 'danger';

/** Shows a state in one or two words. The colour only repeats the meaning of the words. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge tone-${tone}`}>{children}</span>;
}

type NoticeProps = { tone?: Tone; title?: string; children: ComponentChildren; actions?: ComponentChildren };

/** A message that the user should read before continuing. */
export function Notice({ tone = 'neutral', title, children, actions }: NoticeProps) {
  return (
    <div class={`notice tone-${tone}`} role={tone === 'danger' ? 'alert' : undefined}>
      <Icon name={tone === 'danger' || tone === 'attention' ? 'warning' : 'info'} />
      <div class="notice-text">
        {title !== undefined && <p class="notice-title">{title}</p>}
        {children}
      </div>
      {actions}
    </div>
  );
}

/** Shows how many of `total` items are done, as a bar with a label. */
export function Progress({ done, total, label }: { done: number; total: number; label: string }) {
  return (
    <div class="progress">
      <progress value={done} max={Math.max(total, 1)} aria-label={label} />
      <span class="small quiet numeric">{label}</span>
    </div>
  );
}

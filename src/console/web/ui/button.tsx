import type { ComponentChildren, JSX } from 'preact';
import { Icon, type IconName } from './icon.js';

type Look = {
  variant?: 'primary' | 'secondary' | 'quiet' | 'danger';
  size?: 'normal' | 'small';
  icon?: IconName;
};

export type ButtonProps = Look & {
  children: ComponentChildren;
  /** Whether the action is running. The button then keeps its size and focus, but cannot be used. */
  isBusy?: boolean;
} & Omit<JSX.IntrinsicElements['button'], 'size' | 'icon' | 'children' | 'class'>;

const toClass = ({ variant = 'secondary', size = 'normal' }: Look) => `button button-${variant} button-${size}`;

/** A button. With `aria-disabled` it keeps its focus, and a click does nothing. */
export function Button({ variant, size, icon, isBusy = false, children, onClick, ...attributes }: ButtonProps) {
  const isDisabled = isBusy || attributes['aria-disabled'] === true;
  return (
    <button
      type="button"
      {...attributes}
      class={toClass({ variant, size })}
      aria-busy={isBusy}
      aria-disabled={isDisabled || undefined}
      onClick={isDisabled ? (event) => event.preventDefault() : onClick}
    >
      {icon && <Icon name={icon} size={18} />}
      <span>{children}</span>
    </button>
  );
}

type ButtonLinkProps = Look & { href: string; children: ComponentChildren; onClick?: (() => void) | undefined };

/** A link that looks like a button. */
export function ButtonLink({ href, children, icon, onClick, ...look }: ButtonLinkProps) {
  return (
    <a class={toClass(look)} href={href} onClick={onClick}>
      {icon && <Icon name={icon} size={18} />}
      <span>{children}</span>
    </a>
  );
}

export type IconButtonProps = { icon: IconName; label: string } & Omit<
  JSX.IntrinsicElements['button'],
  'icon' | 'children' | 'class'
>;

/** A button that shows only an icon. Screen readers read the label, and a tooltip shows it. */
export function IconButton({ icon, label, ...attributes }: IconButtonProps) {
  return (
    <button type="button" {...attributes} class="icon-button" aria-label={label} title={label}>
      <Icon name={icon} />
    </button>
  );
}

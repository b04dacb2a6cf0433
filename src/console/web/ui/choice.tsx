import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { SelectOption } from './field.js';
import { Icon, type IconName } from './icon.js';

type SegmentedProps<Value extends string> = {
  label: string;
  value: Value;
  options: readonly SelectOption<Value>[];
  onChange: (value: Value) => void;
};

/** A segmented control: one of a few visible options, such as themes or views. The arrow keys move between them. */
export function SegmentedControl<Value extends string>({ label, value, options, onChange }: SegmentedProps<Value>) {
  const name = useId();
  return (
    <fieldset class="segmented">
      <legend class="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value} class="segment">
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}

type MenuProps = { label: string; icon: IconName; text?: string; children: ComponentChildren };

/** A button that opens a panel. The browser closes the panel on Escape and on a click outside it. */
export function Menu({ label, icon, text, children }: MenuProps) {
  const id = useId();
  return (
    <div class="menu">
      <button
        type="button"
        class={text === undefined ? 'icon-button' : 'menu-button'}
        popovertarget={id}
        aria-label={label}
      >
        <Icon name={icon} />
        {text !== undefined && <span class="menu-text">{text}</span>}
        {text !== undefined && <Icon name="chevron" size={16} />}
      </button>
      <div id={id} popover="auto" class="menu-panel" onClick={closeAfterChoice}>
        {children}
      </div>
    </div>
  );
}

/** Closes the panel after a click on a link or a button. Other controls in the panel leave it open. */
function closeAfterChoice(event: Event & { currentTarget: HTMLElement }): void {
  if (event.target instanceof Element && event.target.closest('a, button') !== null) event.currentTarget.hidePopover();
}

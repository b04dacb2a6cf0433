import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { useText } from '../text/text.js';
import { uiText } from './ui.text.js';

/** Attributes that connect a control with its label, hint and error. */
export type ControlAttributes = {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': boolean | undefined;
  required: boolean | undefined;
};

type FieldProps = {
  label: string;
  hint?: ComponentChildren;
  /** The error message, for example `toFieldErrors(error)['/planName']`. */
  error?: string | undefined;
  isRequired?: boolean;
};

/** A form field: label, control, hint and error. The function `children` renders the control. */
export function Field(props: FieldProps & { children: (attributes: ControlAttributes) => ComponentChildren }) {
  const { label, hint, error, isRequired = false, children } = props;
  const text = useText(uiText);
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean);
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label}
        {!isRequired && <span class="field-optional"> ({text.optional})</span>}
      </label>
      {children({
        id,
        'aria-describedby': described.length > 0 ? described.join(' ') : undefined,
        'aria-invalid': error !== undefined || undefined,
        required: isRequired || undefined,
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} class="field-hint">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} class="field-error">
          {error}
        </p>
      )}
    </div>
  );
}

type InputProps = FieldProps & { value: string; onChange: (value: string) => void } & Omit<
    JSX.IntrinsicElements['input'],
    'value' | 'onChange' | 'onInput' | 'label' | 'class' | 'children'
  >;

/** The longest text for which the service searches in all lists. */
const MAX_SEARCH_LENGTH = 100;

/** A single-line input. `type` determines whether it is for text, a search, a date, a time or a number. */
export function TextField({ label, hint, error, isRequired, value, onChange, ...attributes }: InputProps) {
  return (
    <Field label={label} hint={hint} error={error} isRequired={isRequired}>
      {(control) => (
        <input
          {...(attributes.type === 'search' && { maxLength: MAX_SEARCH_LENGTH })}
          {...attributes}
          {...control}
          class="control"
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

type TextAreaProps = FieldProps & { value: string; onChange: (value: string) => void; rows?: number };

export function TextAreaField({ label, hint, error, isRequired, value, onChange, rows = 3 }: TextAreaProps) {
  return (
    <Field label={label} hint={hint} error={error} isRequired={isRequired}>
      {(control) => (
        <textarea
          {...control}
          class="control"
          rows={rows}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export type SelectOption<Value extends string> = { value: Value; label: string };

type SelectProps<Value extends string> = FieldProps & {
  value: Value;
  onChange: (value: Value) => void;
  options: readonly SelectOption<Value>[];
};

export function SelectField<Value extends string>(props: SelectProps<Value>) {
  const { value, onChange, options, ...field } = props;
  return (
    <Field {...field}>
      {(control) => (
        <select
          {...control}
          class="control"
          value={value}
          onChange={(event) => onChange(event.currentTarget.value as Value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

type CheckboxProps = { label: string; checked: boolean; onChange: (checked: boolean) => void; hint?: string };

export function CheckboxField({ label, checked, onChange, hint }: CheckboxProps) {
  const id = useId();
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p id={`${id}-hint`} class="field-hint">
          {hint}
        </p>
      )}
    </div>
  );
}

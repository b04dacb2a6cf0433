import { useId, useMemo } from 'preact/hooks';
import { appearance } from '../../app/appearance.js';
import { useStore } from '../../app/store.js';
import { useText } from '../../text/text.js';
import { SelectField, TextAreaField, TextField } from '../../ui/index.js';
import { directoryText } from '../directory.text.js';
import { RECORD_KINDS, type RecordFieldName, type RecordKindName, type RecordFormValues } from './record-kinds.js';

/** The languages in which the service writes reminders. */
const LOCALES = ['en', 'de', 'es', 'fr'];

type RecordFieldsProps = {
  kind: RecordKindName;
  values: RecordFormValues;
  errors: Readonly<Record<string, string>>;
  onChange: (change: RecordFormValues) => void;
};

export function RecordFields({ kind, values, errors, onChange }: RecordFieldsProps) {
  const text = useText(directoryText);
  const zones = useId();
  const { fields, required } = RECORD_KINDS[kind];
  return (
    <>
      {fields.map((field) => {
        const shared = {
          label: text.fields[field],
          error: errors[field],
          isRequired: required.includes(field),
          value: values[field] ?? '',
          onChange: (value: string) => onChange({ [field]: value }),
        };
        if (field === 'locale') return <LocaleField key={field} kind={kind} {...shared} />;
        if (field === 'description') return <TextAreaField key={field} {...shared} />;
        const hint = kind === 'clinics' && field === 'timeZone' ? undefined : text.hints[field as 'email' | 'link'];
        return (
          <TextField
            key={field}
            {...shared}
            {...(hint !== undefined && { hint })}
            {...(field === 'timeZone' && { list: zones })}
            type={TYPES[field] ?? 'text'}
            autocomplete="off"
          />
        );
      })}
      <ZoneList id={zones} />
    </>
  );
}

const TYPES: Partial<Record<RecordFieldName, string>> = { email: 'email', link: 'url' };

function ZoneList({ id }: { id: string }) {
  const zones = useMemo(() => Intl.supportedValuesOf('timeZone'), []);
  return (
    <datalist id={id}>
      {zones.map((zone) => (
        <option key={zone} value={zone} />
      ))}
    </datalist>
  );
}

type LocaleProps = {
  kind: RecordKindName;
  label: string;
  error: string | undefined;
  isRequired: boolean;
  value: string;
  onChange: (value: string) => void;
};

function LocaleField({ kind, value, ...field }: LocaleProps) {
  const text = useText(directoryText);
  const { language } = useStore(appearance);
  const names = new Intl.DisplayNames(language, { type: 'language' });
  const locales = value === '' || LOCALES.includes(value) ? LOCALES : [value, ...LOCALES];
  return (
    <SelectField
      {...field}
      value={value}
      options={[
        { value: '', label: kind === 'clinics' ? text.english : text.clinicLanguage },
        ...locales.map((locale) => ({ value: locale, label: toName(names, locale) })),
      ]}
    />
  );
}

function toName(names: Intl.DisplayNames, locale: string): string {
  try {
    return names.of(locale) ?? locale;
  } catch {
    return locale;
  }
}

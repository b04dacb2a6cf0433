import { useText } from '../../text/text.js';
import { SegmentedControl } from '../../ui/index.js';
import { CHANGE_SCOPES, type ChangeScope } from '../session-times.js';
import { weekText } from '../week.text.js';

/** Lets the user choose the scope: the Sessions of the series to which a change applies. */
export function ScopeField({ value, onChange }: { value: ChangeScope; onChange: (scope: ChangeScope) => void }) {
  const text = useText(weekText);
  return (
    <div class="field">
      <span class="field-label" aria-hidden="true">
        {text.scope}
      </span>
      <SegmentedControl
        label={text.scope}
        value={value}
        options={CHANGE_SCOPES.map((scope) => ({ value: scope, label: text.scopes[scope] }))}
        onChange={onChange}
      />
    </div>
  );
}

import { useText } from '../text/text.js';
import { toDefaultWeekName } from './draft/orderings.js';
import { planEditorText } from './plan-editor.text.js';

/** Shows the number of a week, by which a series identifies it, and its name unless the service has assigned the name. */
export function WeekHeading({ name, ordering }: { name: string; ordering: number }) {
  const text = useText(planEditorText);
  const number = text.week(ordering);
  return <h3>{name === toDefaultWeekName(ordering) ? number : `${number} · ${name}`}</h3>;
}

import { appText } from '../app.text.js';
import { parseDemonstrationCaller } from './demonstration-caller.js';

/** Translates the name of a demonstration caller into the user's language, for example `Klinik 1`. */
export function translateDemonstrationCallerName(caller: string, text: (typeof appText)['en']): string {
  const { role, ordinal } = parseDemonstrationCaller(caller);
  return ordinal === undefined ? text.roles[role] : `${text.roles[role]} ${ordinal}`;
}

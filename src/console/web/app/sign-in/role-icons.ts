import type { IconName } from '../../ui/icon.js';
import type { Role } from './sign-in.js';

export const ROLE_ICONS: Readonly<Record<Role, IconName>> = {
  ADMIN: 'key',
  CLINIC: 'clinic',
  CARE_PROVIDER: 'calendar',
  CLIENT: 'person',
};

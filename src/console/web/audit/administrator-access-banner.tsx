import './access.css';
import type { AdministratorAccess } from '@care-scheduling/client';
import { useText } from '../text/text.js';
import { Button } from '../ui/button.js';
import { Icon } from '../ui/icon.js';
import { Time } from '../ui/time/time.js';
import {
  toAuditRouteOfAccess,
  useAdministratorAccesses,
  useEndAdministratorAccess,
} from './administrator-access-data.js';
import { administratorAccessText } from './administrator-access.text.js';
import { useAuditTimeZone } from './audit-data.js';

/** Tells a Clinic, on every page, that an administrator can read its data. */
export function AdministratorAccessBanner() {
  const { data } = useAdministratorAccesses({ isOpenOnly: true });
  return (
    <div role="status" aria-live="polite" class="no-print">
      {data?.items.map((access) => (
        <OpenAccess key={access.id} access={access} />
      ))}
    </div>
  );
}

function OpenAccess({ access }: { access: AdministratorAccess }) {
  const text = useText(administratorAccessText);
  const { timeZone } = useAuditTimeZone();
  const end = useEndAdministratorAccess(text.ended);
  return (
    <div class="access-open">
      <Icon name="warning" size={18} />
      <span>
        {text.banner(access.administrator)} <Time at={access.expiresAt} zone={timeZone ?? 'UTC'} format="time" />.{' '}
        {text.reason}: {access.reason} <a href={toAuditRouteOfAccess(access)}>{text.reads}</a>
      </span>
      <Button size="small" isBusy={end.isPending} onClick={() => end.mutate(access.id)}>
        {text.end}
      </Button>
    </div>
  );
}

import './calendar-link.css';
import type { CalendarLink, CreatedCalendarLink } from '@care-scheduling/client';
import { useState } from 'preact/hooks';
import { useWhileMounted } from '../data/use-while-mounted.js';
import { useText } from '../text/text.js';
import {
  Button,
  ButtonLink,
  Card,
  CheckboxField,
  copyToClipboard,
  Dialog,
  EmptyState,
  Page,
  QueryView,
  Skeleton,
  TextField,
  Time,
} from '../ui/index.js';
import {
  useCalendarLinks,
  useCalendarLinkCreation,
  useCalendarLinkRenewal,
  useCalendarLinkRevocation,
  useCalendarLinkRotation,
} from './calendar-link-data.js';
import { calendarLinkText } from './calendar-link.text.js';
import { QrCode } from './qr-code.js';

/** The page on which a Care Provider or a Client manages the secret links to their calendar. */
export default function CalendarLinkPage() {
  const text = useText(calendarLinkText);
  const links = useCalendarLinks();
  const [created, setCreated] = useState<CreatedCalendarLink>();
  return (
    <Page title={text.title} intro={text.intro} width="narrow">
      {created === undefined ? (
        <NewLink onCreated={setCreated} />
      ) : (
        <CreatedLink link={created} onClose={() => setCreated(undefined)} />
      )}
      <Card title={text.links}>
        <QueryView of={links} skeleton={<Skeleton rows={2} />}>
          {({ items }) => (
            <LinkList
              links={items}
              onRotated={setCreated}
              // The URL of a revoked link must not be copied any more.
              onRevoked={({ id }) => setCreated((shown) => (shown?.id === id ? undefined : shown))}
            />
          )}
        </QueryView>
      </Card>
    </Page>
  );
}

function NewLink({ onCreated }: { onCreated: (link: CreatedCalendarLink) => void }) {
  const text = useText(calendarLinkText);
  const [showsTitles, setShowsTitles] = useState(false);
  const creation = useCalendarLinkCreation(onCreated);
  return (
    <Card title={text.newLink}>
      <CheckboxField label={text.full} hint={text.fullHint} checked={showsTitles} onChange={setShowsTitles} />
      <Button
        variant="primary"
        icon="plus"
        isBusy={creation.isPending}
        onClick={() => creation.mutate(showsTitles ? 'FULL' : 'DISCREET')}
      >
        {text.create}
      </Button>
    </Card>
  );
}

function CreatedLink({ link: { url }, onClose }: { link: CreatedCalendarLink; onClose: () => void }) {
  const text = useText(calendarLinkText);
  return (
    <Card title={text.createdTitle}>
      <p role="status">{text.createdText}</p>
      <div class="calendar-link-new">
        <QrCode value={url} label={text.qrCode} />
        <div class="stack">
          <TextField label={text.link} value={url} onChange={() => undefined} isRequired readOnly />
          <div class="row">
            <Button icon="copy" onClick={() => void copyToClipboard(url, text.copied)}>
              {text.copy}
            </Button>
            {/* Calendar programs open links with this scheme. */}
            <ButtonLink href={url.replace(/^https?:/, 'webcal:')} icon="calendar">
              {text.open}
            </ButtonLink>
          </div>
          <Button variant="primary" onClick={onClose}>
            {text.done}
          </Button>
        </div>
      </div>
    </Card>
  );
}

type LinkListProps = {
  links: readonly CalendarLink[];
  onRotated: (link: CreatedCalendarLink) => void;
  onRevoked: (link: CalendarLink) => void;
};

function LinkList({ links, onRotated, onRevoked }: LinkListProps) {
  const text = useText(calendarLinkText);
  const renewal = useCalendarLinkRenewal(() => text.renewed);
  const rotation = useCalendarLinkRotation(onRotated);
  const [chosen, setChosen] = useState<CalendarLink>();
  if (links.length === 0)
    return (
      <EmptyState icon="calendar" title={text.none}>
        {text.noneText}
      </EmptyState>
    );
  // Links have no time zone, so their times are shown in the time zone of this device.
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return (
    <>
      <ul class="calendar-link-list">
        {links.map((link) => (
          <li key={link.id} class="calendar-link-row">
            <span>
              {text.titles[link.titles]}
              <br />
              <span class="small quiet">
                {text.createdAt}: <Time at={link.createdAt} zone={timeZone} />
                <br />
                {text.expiresAt}: <Time at={link.expiresAt} zone={timeZone} />
              </span>
            </span>
            <span class="row">
              <Button
                size="small"
                isBusy={renewal.isPending && renewal.variables === link}
                onClick={() => renewal.mutate(link)}
              >
                {text.renew}
              </Button>
              <Button
                size="small"
                isBusy={rotation.isPending && rotation.variables === link}
                onClick={() => rotation.mutate(link)}
              >
                {text.rotate}
              </Button>
              <Button size="small" variant="danger" onClick={() => setChosen(link)}>
                {text.revoke}
              </Button>
            </span>
          </li>
        ))}
      </ul>
      {chosen && <RevokeDialog link={chosen} onRevoked={onRevoked} onClose={() => setChosen(undefined)} />}
    </>
  );
}

type RevokeDialogProps = { link: CalendarLink; onRevoked: (link: CalendarLink) => void; onClose: () => void };

function RevokeDialog({ link, onRevoked, onClose }: RevokeDialogProps) {
  const text = useText(calendarLinkText);
  // The dialog of another link may be open by now.
  const close = useWhileMounted(onClose);
  const revoked = () => {
    onRevoked(link);
    close();
  };
  const revocation = useCalendarLinkRevocation(() => text.revoked, revoked);
  return (
    <Dialog
      title={text.revokeTitle}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{text.keep}</Button>
          <Button variant="danger" isBusy={revocation.isPending} onClick={() => revocation.mutate(link)}>
            {text.revoke}
          </Button>
        </>
      }
    >
      <p>{text.revokeText}</p>
    </Dialog>
  );
}

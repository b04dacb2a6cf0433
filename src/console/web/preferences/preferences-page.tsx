import './preferences.css';
import type { ReminderPreference } from '@care-scheduling/client';
import { appearance } from '../app/appearance.js';
import { LeaveConfirmation } from '../app/leave-confirmation.js';
import { requireSignedInCaller } from '../app/sign-in/sign-in.js';
import { useStore } from '../app/store.js';
import { ClientExportCard } from '../client-export/client-export-card.js';
import { listErrorsOutsideForm } from '../data/problems.js';
import { useText } from '../text/text.js';
import { Button, Card, CheckboxField, Page, QueryView, RefusalNotice, Skeleton, Time } from '../ui/index.js';
import { uiText } from '../ui/ui.text.js';
import type { ReminderKind } from './preference-form.js';
import { isRefusal, usePreference } from './preferences-data.js';
import { preferencesText } from './preferences.text.js';
import { QuietHoursFields } from './quiet-hours-fields.js';
import { usePreferenceForm } from './use-preference-form.js';

/** The page with the reminder preferences of a person, or with the defaults of a Clinic. */
export default function PreferencesPage() {
  const text = useText(preferencesText);
  const preference = usePreference();
  const { role } = requireSignedInCaller();
  const isClinic = role === 'CLINIC';
  return (
    <Page title={text.title} intro={isClinic ? text.introClinic : text.intro} width="narrow">
      <QueryView of={preference} skeleton={<Skeleton rows={2} shape="card" />}>
        {(data) => <Form preference={data} isClinic={isClinic} />}
      </QueryView>
      {role === 'CLIENT' && <ClientExportCard />}
    </Page>
  );
}

function Form({ preference, isClinic }: { preference: ReminderPreference; isClinic: boolean }) {
  const text = useText(preferencesText);
  const { problems } = useText(uiText);
  const { form, set, undo, save, isChanged, change } = usePreferenceForm(preference, isClinic);
  const isWrong = form.mode === 'own' && (form.from === '' || form.to === '' || form.from === form.to);
  return (
    <form
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged && !isWrong && !change.isPending) save();
      }}
    >
      <Card title={text.quietHours}>
        <QuietHoursFields form={form} isClinic={isClinic} timeZone={preference.effective.timeZone} onChange={set} />
      </Card>
      {isClinic ? (
        <Card title={text.messages}>
          <CheckboxField
            label={text.revealing}
            hint={text.revealingHint}
            checked={form.revealing}
            onChange={(revealing) => set({ revealing })}
          />
        </Card>
      ) : (
        <WantedKinds optedOut={form.optedOut} onChange={(optedOut) => set({ optedOut })} />
      )}
      {isRefusal(change.error) && (
        <RefusalNotice
          error={change.error}
          title={problems.invalid}
          details={listErrorsOutsideForm(change.error, [])}
        />
      )}
      <div class="row preferences-actions">
        <Button variant="primary" type="submit" isBusy={change.isPending} aria-disabled={!isChanged || isWrong}>
          {text.save}
        </Button>
        {isChanged && <Button onClick={undo}>{text.undo}</Button>}
      </div>
      <About preference={preference} />
      <LeaveConfirmation isActive={isChanged} title={text.leaveTitle}>
        {text.leaveText}
      </LeaveConfirmation>
    </form>
  );
}

type WantedProps = { optedOut: readonly ReminderKind[]; onChange: (optedOut: ReminderKind[]) => void };

function WantedKinds({ optedOut, onChange }: WantedProps) {
  const text = useText(preferencesText);
  const kinds = Object.keys(text.kinds) as ReminderKind[];
  return (
    <Card title={text.wanted}>
      <p class="small quiet">{text.wantedText}</p>
      <div>
        {kinds.map((kind) => (
          <CheckboxField
            key={kind}
            label={text.kinds[kind]}
            checked={!optedOut.includes(kind)}
            onChange={(isOn) => onChange(kinds.filter((one) => (one === kind ? !isOn : optedOut.includes(one))))}
          />
        ))}
      </div>
    </Card>
  );
}

function About({ preference: { effective, updatedAt } }: { preference: ReminderPreference }) {
  const text = useText(preferencesText);
  const { language } = useStore(appearance);
  const channels = effective.channels.map((name) => text.channelNames[name] ?? name);
  return (
    <p class="small quiet">
      {text.channels(new Intl.ListFormat(language, { type: 'disjunction' }).format(channels))}{' '}
      {updatedAt !== null && (
        <>
          {text.changed}: <Time at={updatedAt} zone={effective.timeZone} />
        </>
      )}
    </p>
  );
}

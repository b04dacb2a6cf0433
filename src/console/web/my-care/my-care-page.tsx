import './my-care.css';
import { useText } from '../text/text.js';
import { Card, Page, ReadView, Skeleton } from '../ui/index.js';
import { HomeworkList } from './homework-list.js';
import { useHomework, useSessionsAhead } from './my-care-data.js';
import { myCareText } from './my-care.text.js';
import { PastSessions, SessionsAhead } from './session-cards.js';

/** The start page of a Client. */
export default function MyCarePage() {
  const text = useText(myCareText);
  const sessions = useSessionsAhead();
  const homework = useHomework();
  return (
    <Page title={text.title} width="narrow">
      <div class="stack">
        <ReadView of={sessions} skeleton={<Skeleton rows={1} shape="card" />}>
          {({ items }) => <SessionsAhead sessions={items} />}
        </ReadView>
      </div>
      <Card title={text.homework}>
        <ReadView of={homework} skeleton={<Skeleton rows={4} />}>
          {({ items }) => <HomeworkList homework={items} />}
        </ReadView>
      </Card>
      <PastSessions />
    </Page>
  );
}

import './my-care.css';
import { useText } from '../text/text.js';
import { Card, Page, QueryView, Skeleton } from '../ui/index.js';
import { HomeworkList } from './homework-list.js';
import { useHomework, useOwnUpcomingSessions } from './my-care-data.js';
import { myCareText } from './my-care.text.js';
import { PastSessions, SessionsAhead } from './session-cards.js';

/** The start page of a Client, with upcoming Sessions and homework. */
export default function MyCarePage() {
  const text = useText(myCareText);
  const sessions = useOwnUpcomingSessions();
  const homework = useHomework();
  return (
    <Page title={text.title} width="narrow">
      <div class="stack">
        <QueryView of={sessions} skeleton={<Skeleton rows={1} shape="card" />}>
          {(ahead) => <SessionsAhead ahead={ahead} />}
        </QueryView>
      </div>
      <Card title={text.homework}>
        <QueryView of={homework} skeleton={<Skeleton rows={4} />}>
          {(all) => <HomeworkList homework={all} />}
        </QueryView>
      </Card>
      <PastSessions />
    </Page>
  );
}

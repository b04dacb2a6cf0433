import { useText } from '../../text/text.js';
import { Button } from '../../ui/button.js';
import { Menu } from '../../ui/choice.js';
import { showProblem } from '../../ui/toast.js';
import { appText } from '../app.text.js';
import { allowLeaving, runAfterLeaveConfirmation } from '../leave-guard.js';
import { navigate } from '../router.js';
import { getDemonstrationCallers, signInAsDemonstration } from './demonstration-sign-in.js';
import { translateDemonstrationCaller } from './person-name.js';
import { providerText } from './provider/provider.text.js';
import { ROLE_ICONS } from './role-icons.js';
import type { Role, SignIn } from './sign-in.js';

/**
 * A menu with the name of the caller. It lets the user switch to another demonstration caller or role, and sign out.
 */
export function PersonMenu({ signIn }: { signIn: SignIn }) {
  const text = useText(appText);
  const callers = getDemonstrationCallers();
  const isDemonstration = callers.includes(signIn.name);
  const name = isDemonstration
    ? translateDemonstrationCaller(signIn.name, text)
    : signIn.name || text.roles[signIn.role];
  const switchTo = (caller: string) =>
    runAfterLeaveConfirmation(() => {
      allowLeaving();
      signInAsDemonstration(caller).then(() => navigate('/'), showProblem);
    });
  return (
    <Menu label={`${text.person} ${name}`} icon={ROLE_ICONS[signIn.role]} text={name}>
      {isDemonstration && (
        <>
          <p class="menu-title">{text.switchPerson}</p>
          <ul class="menu-list">
            {callers
              .filter((caller) => caller !== signIn.name)
              .map((caller) => (
                <li key={caller}>
                  <button type="button" class="menu-item" onClick={() => switchTo(caller)}>
                    {translateDemonstrationCaller(caller, text)}
                  </button>
                </li>
              ))}
          </ul>
        </>
      )}
      <OtherRoles signIn={signIn} />
      <Button
        variant="quiet"
        onClick={() =>
          runAfterLeaveConfirmation(() => {
            allowLeaving();
            navigate('/');
            void signIn.signOut();
          })
        }
      >
        {text.signOut}
      </Button>
    </Menu>
  );
}

/** Shows buttons that switch to the caller's other roles, if there are any. */
function OtherRoles({ signIn: { role, roles, actAs } }: { signIn: SignIn }) {
  const { roles: names } = useText(appText);
  const text = useText(providerText);
  const others = roles.filter((other) => other !== role);
  if (actAs === undefined || others.length === 0) return null;
  const change = (other: Role) =>
    runAfterLeaveConfirmation(() => {
      allowLeaving();
      navigate('/');
      actAs(other);
    });
  return (
    <>
      <p class="menu-title">{text.switchRole}</p>
      <ul class="menu-list">
        {others.map((other) => (
          <li key={other}>
            <button type="button" class="menu-item" onClick={() => change(other)}>
              {names[other]}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

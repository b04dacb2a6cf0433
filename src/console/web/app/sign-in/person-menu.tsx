import { useText } from '../../text/text.js';
import { Button } from '../../ui/button.js';
import { Menu } from '../../ui/choice.js';
import { showProblem } from '../../ui/toast.js';
import { appText } from '../app.text.js';
import { allowLeaving, runAfterLeaveConfirmation } from '../leave-guard.js';
import { navigate } from '../router.js';
import { getCachedDemonstrationCallers, signInAsDemonstrationCaller } from './demonstration-sign-in.js';
import { translateDemonstrationCallerName } from './demonstration-caller-name.js';
import { identityProviderText } from './identity-provider/identity-provider.text.js';
import { ROLE_ICONS } from './role-icons.js';
import type { Role, SignedInCaller } from './sign-in.js';

/**
 * A menu with the name of the caller. It lets the user switch to another demonstration caller or role, and sign out.
 */
export function PersonMenu({ caller }: { caller: SignedInCaller }) {
  const text = useText(appText);
  const demonstrationCallers = getCachedDemonstrationCallers();
  const isDemonstration = demonstrationCallers.includes(caller.name);
  const name = isDemonstration
    ? translateDemonstrationCallerName(caller.name, text)
    : caller.name || text.roles[caller.role];
  const switchTo = (other: string) =>
    runAfterLeaveConfirmation(() => {
      signInAsDemonstrationCaller(other).then(() => {
        allowLeaving();
        navigate('/');
      }, showProblem);
    });
  return (
    <Menu label={`${text.person} ${name}`} icon={ROLE_ICONS[caller.role]} text={name}>
      {isDemonstration && (
        <>
          <p class="menu-title">{text.switchPerson}</p>
          <ul class="menu-list">
            {demonstrationCallers
              .filter((other) => other !== caller.name)
              .map((other) => (
                <li key={other}>
                  <button type="button" class="menu-item" onClick={() => switchTo(other)}>
                    {translateDemonstrationCallerName(other, text)}
                  </button>
                </li>
              ))}
          </ul>
        </>
      )}
      <OtherRoles caller={caller} />
      <Button
        variant="quiet"
        onClick={() =>
          runAfterLeaveConfirmation(() => {
            allowLeaving();
            navigate('/');
            void caller.signOut();
          })
        }
      >
        {text.signOut}
      </Button>
    </Menu>
  );
}

/** Shows buttons that switch to the caller's other roles, if there are any. */
function OtherRoles({ caller: { role, roles, actAs } }: { caller: SignedInCaller }) {
  const { roles: names } = useText(appText);
  const text = useText(identityProviderText);
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

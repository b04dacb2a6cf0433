/**
 * Whether the service has another release of the console than this tab. The files of this tab's release may then be
 * gone.
 */
export async function isReleaseReplaced(): Promise<boolean> {
  const running = document.querySelector<HTMLScriptElement>('script[type=module][src]')!.getAttribute('src')!;
  const response = await fetch('/', { cache: 'no-store' }).catch(() => undefined);
  return response?.ok === true && !(await response.text()).includes(running);
}

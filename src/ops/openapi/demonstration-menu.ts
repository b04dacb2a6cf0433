/*
 * Adds the menu "Use the demonstration token of …" to Swagger UI. Nest copies the source of this function into the
 * script of the page, so it runs in the browser and cannot use anything declared outside it. The token is kept only in
 * the memory of the page.
 */

type Choice = { append: (...children: unknown[]) => void; addEventListener: (event: string, act: () => void) => void };
type Select = Choice & { id: string; value: string };
type Answer = { ok: boolean; json: () => Promise<unknown> };

declare const document: {
  createElement: ((name: 'select') => Select) & ((name: 'label') => Choice);
  querySelector: (selector: string) => { append: (child: unknown) => void } | null;
};
declare const window: {
  Option: new (text: string, value: string) => object;
  fetch: (url: string, options?: object) => Promise<Answer>;
  ui: { preauthorizeApiKey: (scheme: string, token: string) => void };
};

/** Adds the menu next to the list of servers, if the service issues demonstration tokens to this browser. */
export async function addDemonstrationMenu(): Promise<void> {
  const url = '/docs/demonstration-token';
  const list = await window.fetch(url);
  if (!list.ok) return;
  const { callers } = (await list.json()) as { callers: string[] };
  const select = document.createElement('select');
  select.id = 'demonstration-token';
  select.append(new window.Option('(choose)', ''), ...callers.map((caller) => new window.Option(caller, caller)));
  const authorize = async () => {
    if (select.value === '') return;
    const body = JSON.stringify({ caller: select.value });
    const answer = await window.fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    if (answer.ok) window.ui.preauthorizeApiKey('bearer', ((await answer.json()) as { token: string }).token);
  };
  select.addEventListener('change', () => void authorize());
  const label = document.createElement('label');
  label.append('Use the demonstration token of ', select);
  document.querySelector('.scheme-container .schemes')?.append(label);
}

import type { Browser, Page, Response } from 'playwright-core';

/** Values that are entered in place of the prefilled ones, keyed by parameter name. */
export type TypedValues = Readonly<Record<string, string>>;

/** An operation of the OpenAPI document, with the tag that it is shown below. */
export type Operation = { method: string; path: string; tag: string };

export type ExecutedExample = {
  status: number;
  body: string;
  headers: Readonly<Record<string, string>>;
  /** Problems that the page itself shows, such as a required field without a value. */
  pageErrors: readonly string[];
};

const TIMEOUT_MS = 15_000;

/** Executes operations in Swagger UI at `/docs`. A script in the page clicks its buttons and fills in its fields. */
export class SwaggerPage {
  /** Errors of scripts, and violations of the content security policy. */
  readonly consoleErrors: string[] = [];

  private constructor(readonly page: Page) {}

  static async open(browser: Browser, url: string): Promise<SwaggerPage> {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    page.setDefaultTimeout(TIMEOUT_MS);
    const swagger = new SwaggerPage(page);
    page.on('pageerror', (error) => swagger.consoleErrors.push(error.message));
    page.on('console', (message) => {
      // The browser also logs responses with an error status. They are ignored here, because the tests check the
      // statuses.
      const isStatus = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isStatus) swagger.consoleErrors.push(message.text());
    });
    await page.goto(`${url}/docs`);
    await page.waitForSelector('.opblock-tag-section');
    return swagger;
  }

  /** Passes the token to Swagger UI, as the dialog "Authorize" does. */
  async authorize(token: string): Promise<void> {
    await this.page.evaluate((value) => window.ui.preauthorizeApiKey('bearer', value), token);
  }

  /** Clicks "Try it out" and "Execute" of an operation, and returns the result. */
  async execute({ method, path, tag }: Operation, typed: TypedValues = {}): Promise<ExecutedExample> {
    const pattern = new RegExp(`${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?|$)`);
    const responses: Response[] = [];
    const keep = (received: Response) => {
      if (received.request().method() === method && pattern.test(received.url())) responses.push(received);
    };
    this.page.on('response', keep);
    const shown = await this.page
      .evaluate(tryOut, { method: method.toLowerCase(), path, tag, typed })
      .catch((error: unknown) => String(error));
    this.page.off('response', keep);
    const response = responses.at(-1);
    if (response === undefined) return { status: 0, body: '', headers: {}, pageErrors: [shown || 'not sent'] };
    const body = await response.text().catch(() => '');
    const pageErrors = shown.startsWith(String(response.status())) ? [] : [`the page shows ${shown}`];
    return { status: response.status(), body, headers: response.headers(), pageErrors };
  }

  /** Takes a screenshot of the operation that was executed last. */
  async capture(method: string, path: string, file: string): Promise<void> {
    const operation = { method: method.toLowerCase(), path };
    await this.page.evaluate(toggle, operation);
    const block = this.page.locator(`.opblock-${operation.method}:has([data-path="${path}"])`);
    await block.locator('.live-responses-table').waitFor();
    await block.screenshot({ path: file });
    await this.page.evaluate(toggle, operation);
  }
}

/** Shows or hides an operation. Its tag must be open. */
function toggle({ method, path }: { method: string; path: string }): void {
  const summary = document.querySelector(`.opblock-${method} .opblock-summary-path[data-path="${path}"]`);
  summary?.closest('.opblock')?.querySelector('.opblock-summary-control')?.click();
}

type PageElement = {
  textContent: string | null;
  dataset: Record<string, string | undefined>;
  click(): void;
  closest(selector: string): PageElement | null;
  querySelector(selector: string): PageElement | null;
  dispatchEvent(event: object): void;
};
/**
 * The parts of the DOM that `tryOut` uses. They are declared here, because the tests are compiled without the types of
 * browsers.
 */
declare const document: {
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
};
declare const window: {
  ui: { preauthorizeApiKey(scheme: string, key: string): void };
  Event: new (type: string, options: object) => object;
  HTMLInputElement: { prototype: object };
};

/**
 * Runs in the page. Playwright's own clicks wait for two frames each, which takes seconds on a page with all
 * operations. Opens only the tag of the operation, because React renders all operations of a tag. Returns the status that
 * the page shows, or its error message.
 */
async function tryOut({ method, path, tag, typed }: Operation & { typed: TypedValues }): Promise<string> {
  const until = async <T>(find: () => T | null | undefined): Promise<T> => {
    for (let tries = 0; tries < 3_000; tries += 1) {
      const found = find();
      if (found !== null && found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`not shown: ${method} ${path}`);
  };
  const findBlock = () =>
    document.querySelector(`.opblock-${method} .opblock-summary-path[data-path="${path}"]`)?.closest('.opblock');
  const click = (selector: string) => until(() => findBlock()?.querySelector(selector)).then((found) => found.click());
  if (findBlock() === null || findBlock() === undefined) {
    for (const open of document.querySelectorAll('.opblock-tag[data-is-open="true"]')) open.click();
    (await until(() => document.querySelector(`.opblock-tag[data-tag="${tag}"]`))).click();
  }
  await click('.opblock-summary-control');
  await click('.try-out__btn');
  for (const [name, value] of Object.entries(typed)) {
    const input = await until(() => findBlock()?.querySelector(`tr[data-param-name="${name}"] input`));
    // Calls the native setter, because React replaces the one of the element.
    Object.getOwnPropertyDescriptor(window.HTMLInputElement.prototype, 'value')!.set!.call(input, value);
    input.dispatchEvent(new window.Event('input', { bubbles: true }));
    // Swagger UI applies a value only some time after the last key press.
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  await click('.execute');
  const shown = await until(
    () =>
      findBlock()?.querySelector('.live-responses-table tbody .response-col_status')?.textContent ??
      findBlock()?.querySelector('input.invalid, .validation-errors li')?.textContent,
  );
  await click('.opblock-summary-control');
  return shown.trim();
}

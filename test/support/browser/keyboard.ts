import type { Locator, Page } from 'playwright-core';

const MAX_STEPS = 150;

/**
 * Operates a page with the keyboard alone. Expects that each Tab moves the focus to a control that is visible and shows
 * the focus.
 */
export class Keyboard {
  constructor(private readonly page: Page) {}

  /** Presses Tab or Shift+Tab until the control has focus. */
  async goTo(control: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    const target = control.first();
    await target.waitFor({ state: 'attached' });
    for (let step = 0; step < MAX_STEPS; step += 1) {
      if (await target.evaluate((element) => element.matches(':focus'))) return;
      await this.page.keyboard.press(key);
      const problem = await this.page.evaluate<string | null>(FIND_PROBLEM);
      if (problem !== null) throw new Error(problem);
    }
    throw new Error(`Tab does not come to ${String(target)}`);
  }

  /** Moves the focus to a control and presses a key there. */
  async press(control: Locator, key: 'Enter' | 'Space' | 'ArrowDown' | 'ArrowRight' = 'Enter'): Promise<void> {
    await this.goTo(control);
    await this.page.keyboard.press(key);
  }

  async type(control: Locator, text: string): Promise<void> {
    await this.goTo(control);
    await this.page.keyboard.type(text);
  }

  /** Waits until the focus is within an element that matches the selector, which may take until the next frame. */
  async expectFocusIn(selector: string): Promise<void> {
    await this.page.locator(`:is(${selector}):focus, :is(${selector}) :focus`).waitFor({ state: 'attached' });
  }
}

/**
 * A script that returns what is wrong with the focused control, or null. After the last control, the document itself
 * gets the focus.
 */
const FIND_PROBLEM = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  const name = element.tagName + ' ' + (element.type ?? '') + ' ' + (element.getAttribute('aria-label') ?? element.textContent ?? '').slice(0, 50);
  // A radio button in a group of segments, or a check box, is drawn by its label.
  const label = element.closest('label');
  const drawn = label ?? element;
  const isOutlined = ({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1;
  const hasOutline = (one) => isOutlined(getComputedStyle(one)) || isOutlined(getComputedStyle(one, '::after'));
  if (![element, label, element.nextElementSibling].some((one) => one instanceof Element && hasOutline(one)))
    return 'the focus is not shown: ' + name;
  const area = drawn.getBoundingClientRect();
  const [left, right] = [Math.max(area.left, 0), Math.min(area.right, innerWidth)];
  const [top, bottom] = [Math.max(area.top, 0), Math.min(area.bottom, innerHeight)];
  const parts = [0.1, 0.5, 0.9];
  const isInSight = parts.some((across) => parts.some((down) => {
    const hit = document.elementFromPoint(left + (right - left) * across, top + (bottom - top) * down);
    return hit !== null && drawn.contains(hit);
  }));
  return isInSight ? null : 'the focus is behind something: ' + name;
})()`;

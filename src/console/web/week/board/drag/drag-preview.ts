import type { BoardRectangle } from './board-grid.js';

const DRAGGED = 'week-dragged';

/** A copy of a Session's element that follows the pointer. Nothing else is drawn during a drag. */
export class DragPreview {
  private readonly element: HTMLElement;
  private readonly time: Element | null;

  constructor(
    board: HTMLElement,
    private readonly box: HTMLElement,
  ) {
    this.element = box.cloneNode(true) as HTMLElement;
    this.element.removeAttribute('tabindex');
    this.element.removeAttribute('role');
    this.element.ariaHidden = 'true';
    this.element.classList.add('week-ghost');
    this.time = this.element.querySelector('.week-event-time');
    board.append(this.element);
    box.classList.add(DRAGGED);
  }

  place({ left, top, width, height }: BoardRectangle, time: string): void {
    const { style } = this.element;
    style.transform = `translate(${left}px, ${top}px)`;
    style.inlineSize = `${width}px`;
    style.blockSize = `${height}px`;
    if (this.time !== null && this.time.textContent !== time) this.time.textContent = time;
  }

  remove(): void {
    this.element.remove();
    this.box.classList.remove(DRAGGED);
  }
}

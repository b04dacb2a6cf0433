import type { WeekSession } from '@care-scheduling/client';
import { SessionDrag, type DragResult, type DragStart } from './session-drag.js';

export type DragOptions = {
  /** Returns the Sessions on the board. */
  sessions: () => readonly WeekSession[];
  /** Returns the Session of an element, or undefined if the Session cannot be moved. */
  find: (box: HTMLElement) => WeekSession | undefined;
  /** Called when a Session is dropped at another time. `revert` removes the preview of the dragged Session. */
  onDrop: (session: WeekSession, drop: DragResult, revert: () => void) => void;
};

/** With a mouse, a drag starts when the pointer has moved by more than this. */
const MIN_DRAG_PIXELS = 4;
/** With a finger, a drag starts after a press of this duration. */
const LONG_PRESS_MS = 350;
/** A finger that moves by more than this during the press scrolls the page instead. */
const FINGER_PIXELS = 8;
/** The height of the area at the bottom of a Session with which the user drags its end. */
const END_PIXELS = 8;
const BOX = '.week-event';

/** Lets the user drag Sessions on the board with a mouse or a finger. Returns a function that removes the listeners. */
export function listenToDrags(board: HTMLElement, options: DragOptions): () => void {
  const press = new PointerPress(board, options);
  const listeners = new AbortController();
  const { signal } = listeners;
  board.addEventListener('pointerdown', press.begin, { signal });
  addEventListener('pointermove', press.follow, { signal });
  addEventListener('pointerup', press.release, { signal });
  addEventListener('pointercancel', press.cancel, { signal });
  addEventListener('blur', press.cancel, { signal });
  addEventListener('keydown', press.cancelByEscape, { signal, capture: true });
  addEventListener('click', press.dropClick, { signal, capture: true });
  // After a long press, a finger drags the Session, so the page must not scroll and no context menu must open.
  board.addEventListener('touchmove', press.preventWhileDragging, { signal, passive: false });
  board.addEventListener('contextmenu', press.preventWhilePressed, { signal });
  return () => {
    listeners.abort();
    press.end();
  };
}

/** The state from pressing the pointer on a Session until releasing it, including the drag. */
class PointerPress {
  private grip: (DragStart & { pointerId: number; isFinger: boolean }) | undefined;
  private drag: SessionDrag | undefined;
  private dropped: SessionDrag | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private hasClickToDrop = false;

  constructor(
    private readonly board: HTMLElement,
    private readonly options: DragOptions,
  ) {}

  readonly begin = (event: PointerEvent) => {
    const box = event.target instanceof Element ? event.target.closest<HTMLElement>(BOX) : null;
    if (box === null || !event.isPrimary || event.button !== 0) return;
    const session = this.options.find(box);
    if (session === undefined) return;
    const { clientX: x, clientY: y, pointerId } = event;
    const { bottom, height } = box.getBoundingClientRect();
    const part = bottom - y <= Math.min(END_PIXELS, height / 4) ? 'end' : 'body';
    const isFinger = event.pointerType === 'touch';
    this.grip = { session, box, part, x, y, pointerId, isFinger };
    if (isFinger) this.timer = setTimeout(this.start, LONG_PRESS_MS);
  };

  readonly follow = (event: PointerEvent) => {
    const { grip } = this;
    if (grip === undefined || event.pointerId !== grip.pointerId) return;
    const distance = Math.hypot(event.clientX - grip.x, event.clientY - grip.y);
    if (this.drag === undefined && grip.isFinger && distance > FINGER_PIXELS) this.end();
    if (this.drag === undefined && !grip.isFinger && distance > MIN_DRAG_PIXELS) this.start();
    this.drag?.follow(event.clientX, event.clientY);
  };

  readonly release = (event: PointerEvent) => {
    // If the browser sends a click after the release, it does so before this timer fires.
    setTimeout(() => (this.hasClickToDrop = false));
    const { grip, drag } = this;
    if (grip === undefined || event.pointerId !== grip.pointerId) return;
    if (drag === undefined) {
      this.end();
      return;
    }
    drag.follow(event.clientX, event.clientY);
    const drop = drag.drop();
    this.hasClickToDrop = true;
    if (drop !== undefined) {
      this.drag = undefined;
      this.dropped = drag;
    }
    this.end();
    if (drop !== undefined) this.options.onDrop(grip.session, drop, () => drag.remove());
  };

  readonly cancel = () => {
    this.hasClickToDrop = this.drag !== undefined;
    this.end();
  };

  readonly cancelByEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || this.drag === undefined) return;
    event.stopPropagation();
    this.cancel();
  };

  /** Stops the click that the browser sends after a drag. Otherwise, the click would open the Session. */
  readonly dropClick = (event: MouseEvent) => {
    if (!this.hasClickToDrop || event.detail === 0) return;
    this.hasClickToDrop = false;
    event.stopPropagation();
    event.preventDefault();
  };

  readonly preventWhileDragging = (event: Event) => {
    if (this.drag !== undefined) event.preventDefault();
  };

  readonly preventWhilePressed = (event: Event) => {
    if (this.grip?.isFinger === true) event.preventDefault();
  };

  end(): void {
    clearTimeout(this.timer);
    this.drag?.remove();
    this.drag = undefined;
    this.grip = undefined;
  }

  private readonly start = () => {
    const { grip } = this;
    if (grip === undefined) return;
    this.dropped?.remove();
    this.drag = SessionDrag.start(grip, this.board, this.options.sessions());
    if (this.drag === undefined) {
      this.end();
      return;
    }
    this.drag.follow(grip.x, grip.y);
    // Captures the pointer until it is released, so that other elements are not redrawn for hover effects.
    grip.box.setPointerCapture(grip.pointerId);
  };
}

import type { WeekSession } from '@care-scheduling/client';
import { BoardGrid } from './board-grid.js';
import { formatMinuteOfDay, moveDraggedSession, resizeDraggedSession, type BoardSessionTimes } from './drag-steps.js';
import { DragPreview } from './drag-preview.js';

/** How a drag started: the Session, the part of its element that was grabbed, and the position of the pointer. */
export type DragStart = { session: WeekSession; box: HTMLElement; part: 'body' | 'end'; x: number; y: number };

/** The result of a drag: a new start or a new duration. */
export type DragResult =
  | { part: 'body'; /** yyyy-MM-ddTHH:mm on the clock of the week */ start: string }
  | { part: 'end'; minutesLonger: number };

type Surface = { board: HTMLElement; grid: BoardGrid; times: BoardSessionTimes };

/** Within this distance from the edge of the window, a drag scrolls the page. */
const EDGE_PIXELS = 56;
const SCROLL_PIXELS_PER_FRAME = 10;

/** A single drag, from its start until the Session is dropped. It evaluates the pointer position once per frame. */
export class SessionDrag {
  private readonly ghost: DragPreview;
  private readonly startY: number;
  private readonly startDay: number;
  private times: BoardSessionTimes;
  private frame: number;

  private constructor(
    private readonly grip: DragStart,
    private readonly surface: Surface,
  ) {
    const { left, top } = surface.board.getBoundingClientRect();
    this.startDay = surface.grid.findDay(grip.x - left);
    this.startY = grip.y - top;
    this.times = surface.times;
    this.ghost = new DragPreview(surface.board, grip.box);
    this.frame = requestAnimationFrame(this.draw);
  }

  /**
   * Starts a drag. Returns undefined if the Session does not start on the board, or if the user drags the end of a
   * Session that ends on another day.
   */
  static start(grip: DragStart, board: HTMLElement, sessions: readonly WeekSession[]): SessionDrag | undefined {
    const grid = BoardGrid.read(board, sessions);
    const times = grid?.readTimes(grip.session);
    if (grid === undefined || times === undefined) return undefined;
    const isOverMidnight = grip.session.localStart.date !== grip.session.localEnd.date;
    return isOverMidnight && grip.part === 'end' ? undefined : new SessionDrag(grip, { board, grid, times });
  }

  private x = 0;
  private y = 0;

  follow(x: number, y: number): void {
    this.x = x;
    this.y = y;
  }

  /**
   * Ends the drag and returns its result, or undefined if nothing changes. The preview stays until `remove` is called,
   * so that the user sees the new position next to the dialog.
   */
  drop(): DragResult | undefined {
    cancelAnimationFrame(this.frame);
    this.update();
    const { times: before, grid } = this.surface;
    const { day, startMinute, durationMinutes } = this.times;
    if (this.grip.part === 'end')
      return durationMinutes === before.durationMinutes
        ? undefined
        : { part: 'end', minutesLonger: durationMinutes - before.durationMinutes };
    if (day === before.day && startMinute === before.startMinute) return undefined;
    return { part: 'body', start: `${grid.findDate(day)}T${formatMinuteOfDay(startMinute)}` };
  }

  remove(): void {
    cancelAnimationFrame(this.frame);
    this.ghost.remove();
  }

  private readonly draw = () => {
    this.frame = requestAnimationFrame(this.draw);
    if (this.y < EDGE_PIXELS) scrollBy(0, -SCROLL_PIXELS_PER_FRAME);
    else if (this.y > innerHeight - EDGE_PIXELS) scrollBy(0, SCROLL_PIXELS_PER_FRAME);
    this.update();
  };

  private update(): void {
    const { board, grid, times } = this.surface;
    // The position of the board is read again in each frame, because the page scrolls under the pointer.
    const { left, top } = board.getBoundingClientRect();
    const minutesDragged = grid.toMinutes(this.y - top - this.startY);
    const days = grid.findDay(this.x - left) - this.startDay;
    this.times =
      this.grip.part === 'end'
        ? resizeDraggedSession(times, minutesDragged, grid.hours)
        : moveDraggedSession(times, days, minutesDragged, grid.hours, grid.lastDay);
    this.ghost.place(grid.toArea(this.times), formatMinuteOfDay(this.times.startMinute));
  }
}
